import type { Client } from '../../src/client/index.ts';
import { inTurns } from '../in-turns.ts';
import { HOSTNAME, type PodTemplate, ZONE } from './workloads.ts';

const CHURN_MS = 1000;

/** The pods that are measured, as a selector. */
export const MEASURED = 'measured=true';

/** The nodes and pods of a workload on a real API server, where nothing but a scheduler runs. */
export class KubeCluster {
  readonly #client: Client;
  readonly #nodeCount: number;
  #standing: unknown;

  constructor(client: Client, nodeCount: number) {
    this.#client = client;
    this.#nodeCount = nodeCount;
  }

  async makeNodes(): Promise<void> {
    await inTurns(this.#nodeCount, (index) => this.#makeNode(`node-${index}`, `zone-${index % 3}`));
    const served = { metadata: { name: 'served' }, spec: { selector: { app: 'served' }, ports: [{ port: 80 }] } };
    await this.#client.core.v1.services.namespace('default').create(served);
  }

  /** Removes the pods of the last workload, except those that the next one begins with as well. */
  async prepare(before: (PodTemplate & { readonly perNode: number }) | undefined): Promise<void> {
    const pods = this.#client.core.v1.pods.namespace('default');
    const isSame = before !== undefined && before === this.#standing;
    await pods.deleteCollection({ gracePeriodSeconds: 0, ...(isSame ? { labelSelector: 'standing!=true' } : {}) });
    this.#standing = before;
    if (before === undefined) return;
    const there = new Set((await pods.list()).items.map(({ metadata }) => metadata.name));
    const missing = Array.from({ length: this.#nodeCount * before.perNode }, (_, index) => index).filter(
      (index) => !there.has(`before-${index}`),
    );
    await inTurns(missing.length, async (turn) => {
      const index = missing[turn] ?? 0;
      const labels = { ...before.labels, standing: 'true' };
      const spec = { ...before.spec, nodeName: `node-${index % this.#nodeCount}` };
      await this.#makePod(`before-${index}`, { ...before, labels, spec });
    });
  }

  async makePods(prefix: string, template: PodTemplate, count: number): Promise<void> {
    await inTurns(count, (index) => this.#makePod(`${prefix}-${index}`, template));
  }

  /** Replaces a node, a Service and a large, urgent pod every second until the signal aborts. */
  async churn(signal: AbortSignal): Promise<void> {
    const { services, pods, nodes } = this.#client.core.v1;
    for (let round = 0; !signal.aborted; round++) {
      const name = `churn-${round}`;
      await this.#makeNode(name, 'zone-0');
      await services.namespace('default').create({ metadata: { name }, spec: { ports: [{ port: 80 }] } });
      const requests = { cpu: '100', memory: '500Mi' };
      await this.#makePod(name, { requests, spec: { priority: 10 } });
      await new Promise<void>((resolve) => {
        setTimeout(resolve, CHURN_MS);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await pods.namespace('default').delete(name, { gracePeriodSeconds: 0 });
      await services.namespace('default').delete(name);
      await nodes.delete(name);
    }
  }

  async #makeNode(name: string, zone: string): Promise<void> {
    const allocatable = { cpu: '4', memory: '32Gi', pods: '110' };
    const labels = { [HOSTNAME]: name, [ZONE]: zone };
    const status = { allocatable, capacity: allocatable };
    await this.#client.core.v1.nodes.create({ metadata: { name, labels }, status });
  }

  async #makePod(name: string, { labels, requests, spec }: PodTemplate): Promise<void> {
    const containers = [{ name: 'main', image: 'registry.k8s.io/pause', resources: { requests } }];
    await this.#client.core.v1.pods.namespace('default').create({
      metadata: { name, labels },
      spec: { containers, terminationGracePeriodSeconds: 0, priority: 0, ...spec },
    });
  }
}
