import type { Clock } from '../../src/base/index.ts';
import { type Client, type Deployment, mergePatch, type Observed, type Pod } from '../../src/client/index.ts';
import { NAMESPACE, type Workload } from './clients.ts';

const NAMES = ['web', 'api', 'batch'];
const SCALE_EVERY_MS = 7000;

function deployment(name: string, replicas: number): Deployment {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };
  return { metadata: { name, namespace: NAMESPACE }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

/** A user of Deployments, and an eye on the pods that come of it. */
export class Deployments {
  readonly problems: string[] = [];

  async create(client: Client): Promise<void> {
    for (const name of NAMES) await client.apps.v1.deployments.namespace(NAMESPACE).create(deployment(name, 4));
  }

  /** Scales one of them now and then. */
  async use({ clock, random, signal, anyClient }: Workload): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(SCALE_EVERY_MS, signal);
      if (signal.aborted) return;
      const name = NAMES[random.int(NAMES.length)] ?? '';
      const patch = mergePatch({ spec: { replicas: 2 + random.int(5) } });
      const limit = AbortSignal.timeout(5000);
      await anyClient()
        .apps.v1.deployments.namespace(NAMESPACE)
        .patch(name, patch, { signal: limit, maxRetries: 0 })
        .catch(() => undefined); // asked again another time
    }
  }

  /** Waits until each Deployment has as many ready pods as it is to have, and looks for pods too many. */
  async check(client: Client, clock: Clock, timeoutMs: number): Promise<void> {
    const endMs = clock.monotonic() + timeoutMs;
    let lacking = ['not looked yet'];
    while (lacking.length > 0 && clock.monotonic() < endMs) {
      lacking = await this.#lacking(client).catch((error: unknown) => [String(error)]);
      if (lacking.length > 0) await clock.sleep(500);
    }
    this.problems.push(...lacking);
  }

  async #lacking(client: Client): Promise<string[]> {
    const pods = (await client.core.v1.pods.namespace(NAMESPACE).list()).items;
    const live = pods.filter(
      ({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === 'Running',
    );
    const problems: string[] = [];
    for (const { metadata, spec } of (await client.apps.v1.deployments.namespace(NAMESPACE).list()).items) {
      const own = live.filter((pod) => pod.metadata.labels?.['app'] === metadata.name);
      const others = pods.filter((pod) => pod.metadata.labels?.['app'] === metadata.name).length - own.length;
      if (own.length !== spec?.replicas || others > 0)
        problems.push(
          `Deployment "${metadata.name}" has ${own.length} running pods and ${others} others, not ${spec?.replicas}`,
        );
    }
    return [...problems, ...doubledAddresses(live)];
  }
}

/** Pods that share an address: two agents, or two ranges that are one. */
function doubledAddresses(pods: readonly Observed<Pod>[]): string[] {
  const byAddress = new Map<string, string>();
  return pods.flatMap(({ metadata, status }) => {
    const address = status?.podIP ?? '';
    const other = byAddress.get(address);
    byAddress.set(address, metadata.name);
    return other === undefined ? [] : [`pods "${metadata.name}" and "${other}" have the address ${address}`];
  });
}

/** Looks at every change of pods and ReplicaSets that etcd has seen, through one watch that misses none. */
export class PodCounter {
  readonly problems: string[] = [];
  readonly #live = new Map<string, Set<string>>();
  readonly #wanted = new Map<string, number>();
  readonly #containers = new Map<string, string>();
  created = 0;

  /** `replicas` as the ReplicaSet says after this change. */
  replicaSet(uid: string, replicas: number): void {
    this.#wanted.set(uid, replicas);
  }

  pod(pod: Observed<Pod>, isDeleted: boolean): void {
    const { uid, name, deletionTimestamp, ownerReferences = [] } = pod.metadata;
    const owner = ownerReferences.find(({ controller }) => controller === true)?.uid;
    if (owner === undefined) return;
    const live = this.#live.get(owner) ?? new Set();
    this.#live.set(owner, live);
    const { phase } = pod.status ?? {};
    const isOver = isDeleted || deletionTimestamp !== undefined || phase === 'Failed' || phase === 'Succeeded';
    const isNew = !live.has(uid) && !isOver;
    if (isOver) live.delete(uid);
    else live.add(uid);
    if (isNew) this.created += 1;
    const wanted = this.#wanted.get(owner) ?? Infinity;
    if (isNew && live.size > wanted)
      this.problems.push(`pod "${name}" is one too many: ${live.size} live pods of a ReplicaSet that wants ${wanted}`);
    this.#containerOf(uid, pod);
  }

  /** Simulated containers do not end by themselves, so that another id means that another agent has started it too. */
  #containerOf(uid: string, { metadata, status }: Observed<Pod>): void {
    const id = status?.containerStatuses?.[0]?.containerID;
    if (id === undefined || id === '') return;
    const before = this.#containers.get(uid);
    const restarts = status?.containerStatuses?.[0]?.restartCount ?? 0;
    if (before !== undefined && before !== id && restarts === 0)
      this.problems.push(`pod "${metadata.name}" was run twice: ${before}, then ${id}`);
    this.#containers.set(uid, id);
  }
}
