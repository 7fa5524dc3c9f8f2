import { RealClock, SeededRandom } from '../../src/base/index.ts';
import type { Service } from '../../src/client/index.ts';
import { PodInfo } from '../../src/scheduler/cache/pod-info.ts';
import { SchedulerCache } from '../../src/scheduler/cache/scheduler-cache.ts';
import { Snapshot } from '../../src/scheduler/cache/snapshot.ts';
import { PodScheduler } from '../../src/scheduler/cycle/schedule-pod.ts';
import { Cycle } from '../../src/scheduler/framework/cycle.ts';
import { FitError } from '../../src/scheduler/framework/fit-error.ts';
import { Framework } from '../../src/scheduler/framework/framework.ts';
import { defaultProfile } from '../../src/scheduler/framework/profile.ts';
import { builtInPlugins } from '../../src/scheduler/plugins/registry.ts';
import { listerOf, nodeOf, podOf, sharedContext } from '../../src/scheduler/testing/objects.ts';
import { HOSTNAME, type PodTemplate, type Workload, ZONE } from './workloads.ts';

const ZONES = 3;
const service: Service = {
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name: 'served', namespace: 'default' },
  spec: { selector: { app: 'served' } },
};
const context = sharedContext({ clock: new RealClock(), objects: (kind) => listerOf(kind, [service]) });

/** A scheduler's view of a cluster, without an API server. */
export class Cluster {
  readonly #framework = new Framework(defaultProfile, builtInPlugins, context);
  readonly #cache = new SchedulerCache();
  readonly #snapshot = new Snapshot();
  readonly #scheduler = new PodScheduler(this.#snapshot, new SeededRandom(1));
  readonly #nodeCount: number;

  constructor(nodeCount: number, { before }: Workload) {
    this.#nodeCount = nodeCount;
    for (let index = 0; index < nodeCount; index++) this.#setNode(index);
    for (let index = 0; index < nodeCount * (before?.perNode ?? 0); index++) {
      const pod = podFrom(before ?? {}, `before-${index}`);
      this.#cache.assume(new PodInfo(pod), `node-${index % nodeCount}`);
    }
    this.#cache.update(this.#snapshot);
  }

  async schedule(pod: ReturnType<typeof podFrom>): Promise<void> {
    const info = new PodInfo(pod);
    this.#cache.update(this.#snapshot);
    try {
      const placement = this.#scheduler.schedule(this.#framework, new Cycle(info));
      this.#cache.assume(info, (placement instanceof Promise ? await placement : placement).nodeName);
    } catch (error) {
      if (!(error instanceof FitError)) throw error;
      const { nominatedNodeName = '' } = error;
      if (nominatedNodeName !== '') await this.#afterVictims(pod, nominatedNodeName);
    }
  }

  /** Another pod goes, and a node gets another label. */
  churn(index: number): void {
    this.#cache.removePod(`uid-before-${index % this.#nodeCount}`);
    this.#setNode(index % this.#nodeCount, { generation: `${index}` });
  }

  /** The pods go that have to, and the pod is tried again on the node it is nominated for. */
  async #afterVictims(pod: ReturnType<typeof podFrom>, nominatedNodeName: string): Promise<void> {
    const lower = this.#snapshot.get(nominatedNodeName)?.pods.filter(({ priority }) => priority === 0) ?? [];
    for (const { uid } of lower) this.#cache.removePod(uid);
    await this.schedule({ ...pod, status: { nominatedNodeName } });
  }

  #setNode(index: number, more: Record<string, string> = {}): void {
    const name = `node-${index}`;
    const labels = { [HOSTNAME]: name, [ZONE]: `zone-${index % ZONES}`, ...more };
    this.#cache.setNode(nodeOf({ name, labels, allocatable: { cpu: '4', memory: '32Gi', pods: '110' } }));
  }
}

export function podFrom({ labels, requests, spec }: PodTemplate, name: string): ReturnType<typeof podOf> {
  return podOf({ name, labels, requests, ...spec });
}
