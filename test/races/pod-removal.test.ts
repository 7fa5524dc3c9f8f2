// Pods that are deleted while their node still writes their first reports, on every store (issue 12, D1 and D2).
import { describe, expect, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../../src/base/index.ts';
import { type Cluster, launchCluster, type StorageOptions } from '../../src/cluster/index.ts';
import type { Client } from '../../src/client/index.ts';
import { describeWithEtcd } from '../../src/store/etcd/testing/describe-with-etcd.ts';
import { DurableFolder } from '../../src/store/testing/durable-folder.ts';

const PODS = 80;
/** A simulated node's default pod capacity. */
const CAPACITY = 110;
const spec = { containers: [{ name: 'web', image: 'nginx:1' }], terminationGracePeriodSeconds: 1 };

class RealCluster implements AsyncDisposable {
  readonly client: Client;
  readonly #cluster: Cluster;
  readonly #folder: AsyncDisposable | undefined;

  private constructor(cluster: Cluster, folder: AsyncDisposable | undefined) {
    this.#cluster = cluster;
    this.#folder = folder;
    this.client = cluster.plane.client({ user: 'admin', groups: ['system:masters'] });
  }

  static async start(storage: StorageOptions, folder?: AsyncDisposable): Promise<RealCluster> {
    const { signal } = new AbortController();
    const cluster = await launchCluster({
      name: 'races',
      storage,
      runtimeConfig: new Map(),
      admission: { disable: ['ServiceAccount'] },
      serviceCidrs: ['10.96.0.0/16'],
      nodes: 1,
      clock: new RealClock(),
      random: new CryptoRandom(),
      log: discardLogger,
      signal,
    });
    await cluster.nodesReady(signal);
    return new RealCluster(cluster, folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
    await this.#cluster[Symbol.asyncDispose]();
    await this.#folder?.[Symbol.asyncDispose]();
  }
}

/** Creates pods and deletes each as soon as its n-th state is seen, a different n for each; ends when all are gone. */
async function createAndDelete(cluster: RealCluster): Promise<readonly string[]> {
  const pods = cluster.client.core.v1.pods.namespace('default');
  const seen = new Map<string, number>();
  const left = new Set(names(PODS));
  const work: Promise<unknown>[] = [];
  const { resourceVersion } = await pods.list();
  for (const name of left) work.push(pods.create({ metadata: { name }, spec }));
  for await (const event of pods.watch({ resourceVersion })) {
    if (event.type === 'BOOKMARK') continue;
    const { name } = event.object.metadata;
    if (event.type === 'DELETED') left.delete(name);
    if (left.size === 0) break;
    const states = (seen.get(name) ?? 0) + 1;
    seen.set(name, states);
    if (states === 1 + (Number(name.slice(4)) % 4)) work.push(pods.delete(name).catch(() => undefined));
  }
  await Promise.all(work);
  return (await pods.list()).items.map(({ metadata }) => metadata.name);
}

/** Fills the node from one namespace while pods of another wait, deletes the first; answers with the phases of the others. */
async function handOverRoom(cluster: RealCluster): Promise<readonly string[]> {
  const { namespaces, pods } = cluster.client.core.v1;
  const full = pods.namespace('full');
  await namespaces.create({ metadata: { name: 'full' } });
  await Promise.all(names(CAPACITY).map((name) => full.create({ metadata: { name }, spec })));
  const running = new Set<string>();
  for await (const event of full.watch()) {
    if (event.type !== 'BOOKMARK' && event.object.status?.phase === 'Running') running.add(event.object.metadata.name);
    if (running.size === CAPACITY) break;
  }
  const waiting = pods.namespace('default');
  await Promise.all(names(PODS).map((name) => waiting.create({ metadata: { name }, spec })));
  await namespaces.delete('full');
  const phases = new Map<string, string>();
  for await (const event of waiting.watch()) {
    if (event.type === 'BOOKMARK') continue;
    const { metadata, status } = event.object;
    if (status?.phase !== 'Pending') phases.set(metadata.name, status?.reason ?? status?.phase ?? '');
    if (phases.size === PODS) break;
  }
  return [...new Set(phases.values())];
}

function describeRemoval(open: () => Promise<RealCluster>): void {
  test('pods that are deleted while they start are all gone in the end', async () => {
    await using cluster = await open();
    expect(await createAndDelete(cluster)).toEqual([]);
  });
}

describe('with the store in memory', () => describeRemoval(() => RealCluster.start({ type: 'memory' })));

describe('with the embedded store', () => {
  const open = async (): Promise<RealCluster> => {
    const folder = await DurableFolder.make();
    return RealCluster.start({ type: 'durable', folder: folder.path }, folder);
  };
  describeRemoval(open);

  test('a full node takes waiting pods as soon as others are gone', async () => {
    await using cluster = await open();
    expect(await handOverRoom(cluster)).toEqual(['Running']);
  });
});

describeWithEtcd('with etcd', (etcd) => {
  let clusters = 0;
  describeRemoval(() => {
    const prefix = `/cluster-${clusters++}`;
    return RealCluster.start({ type: 'etcd', etcd: { endpoints: [etcd().endpoint], prefix } });
  });
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `pod-${index}`);
}
