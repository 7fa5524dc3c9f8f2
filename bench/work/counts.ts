// Counts of work that do not depend on the speed of the machine. `npm test` holds them against budget.json; `npm run bench`
// prints them beside the times. Run with semi-spaces so large that nothing is collected while it counts.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discardLogger, SeededRandom, VirtualClock } from '../../src/base/index.ts';
import { type Client, strategicPatch } from '../../src/client/index.ts';
import { startCluster } from '../../src/testing/index.ts';
import { type ControlPlane, startControlPlane, type StorageOptions } from '../../src/cluster/index.ts';
import { compactStore, openDurableStore } from '../../src/store/index.ts';

const WARM_UP = 3000;
const COUNTED = 500;

const counts: Record<string, number> = {};
await countMemory();
await countDisk();
await countOpenedStore();
await countDeployment();
await countTestClusters();
console.log(JSON.stringify(counts));

/** Bytes of heap that one request in this process costs, once the compiler has done its work. */
async function countMemory(): Promise<void> {
  await using plane = await start({ type: 'memory' });
  const client = plane.client({ user: 'bench', groups: ['system:masters'] });
  const maps = client.core.v1.configmaps.namespace('default');
  let next = 0;
  counts['heap bytes per create'] = await heapPerCall(() => maps.create(configMap(next++)));
  let read = 0;
  counts['heap bytes per get'] = await heapPerCall(() => maps.get(nameOf(read++)));
  counts['heap bytes per listed object'] = Math.round((await heapPerCall(() => maps.page({ limit: 500 }), 20)) / 500);
  await countReports(client);
}

/** The same for what nodes write most: reports of pods, and events about them. */
async function countReports(client: Client): Promise<void> {
  const { serviceaccounts, pods, events } = client.core.v1;
  await serviceaccounts.namespace('default').create({ metadata: { name: 'default' } });
  const own = pods.namespace('default');
  const spec = { containers: [{ name: 'c', image: 'nginx' }] };
  const { metadata } = await own.create({ metadata: { name: 'p', labels: { app: 'load' } }, spec });
  let next = 0;
  counts['heap bytes per status patch'] = await heapPerCall(() => {
    const status = { phase: 'Running', message: `report ${next++}` };
    return own.status.patch('p', strategicPatch({ metadata: { uid: metadata.uid }, status }), { isReadOnly: true });
  });
  const involvedObject = { kind: 'Pod', apiVersion: 'v1', namespace: 'default', name: 'p', uid: metadata.uid };
  const about = { involvedObject, reason: 'Started', message: 'Container started', type: 'Normal', count: 1 };
  counts['heap bytes per event'] = await heapPerCall(() => {
    const name = `p.${next++}`;
    return events.namespace('default').create({ metadata: { name }, ...about }, { isReadOnly: true });
  });
}

/** Bytes that reach the disk for one create, and the transactions it takes. */
async function countDisk(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-work-'));
  try {
    await (await start({ type: 'durable', folder }))[Symbol.asyncDispose](); // writes what every cluster begins with
    const bytesBefore = await sizeOf(folder);
    await using plane = await start({ type: 'durable', folder });
    const client = plane.client({ user: 'bench', groups: ['system:masters'] });
    await bootstrapped(client);
    const before = await revisionOf(client);
    const maps = client.core.v1.configmaps.namespace('default');
    for (let next = 0; next < COUNTED; next++) await maps.create(configMap(next));
    counts['transactions per create'] = ((await revisionOf(client)) - before) / COUNTED;
    await plane[Symbol.asyncDispose]();
    counts['bytes on disk per create'] = Math.round(((await sizeOf(folder)) - bytesBefore) / COUNTED);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What keeping an object takes besides its bytes, in a store that was opened from its log and in one from a checkpoint. */
async function countOpenedStore(): Promise<void> {
  const objects = 10_000;
  const value = Buffer.alloc(1024, 'x');
  const folder = await mkdtemp(join(tmpdir(), 'keelson-work-'));
  const options = { clock: new VirtualClock(), random: new SeededRandom('work'), syncs: false };
  const bytesEach = async (): Promise<number> => {
    const before = await heldBytes();
    await using _store = await openDurableStore(folder, options);
    return Math.round(((await heldBytes()) - before) / objects) - value.length;
  };
  try {
    {
      await using store = await openDurableStore(folder, options);
      const put = (number: number): Promise<unknown> =>
        store.commit({ conditions: [], operations: [{ type: 'put', key: `/registry/${nameOf(number)}`, value }] });
      for (let next = 0; next < objects; next += 100)
        await Promise.all(Array.from({ length: 100 }, (_put, index) => put(next + index)));
    }
    counts['bytes beside an object after opening a log'] = await bytesEach();
    await compactStore(folder, options);
    counts['bytes beside an object after opening a checkpoint'] = await bytesEach();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of objects and of buffers that are alive. Buffers are freed in a turn after that in which they were collected. */
async function heldBytes(): Promise<number> {
  for (let rounds = 0; rounds < 3; rounds++) {
    (globalThis as { gc?: () => void }).gc?.();
    await new Promise(setImmediate);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Changes of the store that it takes until a Deployment's pods run and everybody has said so. */
async function countDeployment(): Promise<void> {
  const replicas = 10;
  await using cluster = await startCluster({ seed: 'work' });
  const before = await revisionOf(cluster.client);
  const labels = { app: 'web' };
  await cluster.client.apps.v1.deployments.namespace('default').create({
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
    },
  });
  await cluster.settle();
  counts['transactions per Deployment of 10 pods'] = (await revisionOf(cluster.client)) - before;
}

/** What a test pays for its own cluster before it has done anything, and how many parts of the cluster's programs have begun. */
async function countTestClusters(): Promise<void> {
  const rounds = 10;
  counts['heap KB per test cluster'] = Math.round(
    (await heapPerCall(
      useOnce(() => startCluster()),
      rounds,
    )) / 1024,
  );
  await using cluster = await startCluster();
  counts['heap KB per fork'] = Math.round(
    (await heapPerCall(
      useOnce(() => cluster.fork()),
      rounds,
    )) / 1024,
  );
  await using fork = await cluster.fork();
  const begun = [cluster, fork].flatMap(({ apps }) =>
    apps.flatMap((app) => app.parts().filter(({ isAsleep }) => isAsleep !== true)),
  );
  counts['parts begun in a test cluster and a fork'] = begun.length;
  await cluster.client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'm' } });
  await cluster.settle();
  counts['parts begun for a ConfigMap'] = cluster.apps.flatMap((app) =>
    app.parts().filter(({ isAsleep }) => isAsleep !== true),
  ).length;
}

function useOnce(make: () => Promise<AsyncDisposable>): () => Promise<void> {
  return async () => {
    await using _made = await make();
  };
}

function start(storage: StorageOptions): Promise<ControlPlane> {
  return startControlPlane({
    name: 'work',
    storage,
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    clock: new VirtualClock(),
    random: new SeededRandom('work'),
    log: discardLogger,
    signal: new AbortController().signal,
  });
}

async function heapPerCall(call: () => Promise<unknown>, warmUp = WARM_UP): Promise<number> {
  for (let done = 0; done < warmUp; done++) await call();
  (globalThis as { gc?: () => void }).gc?.();
  const calls = Math.min(COUNTED, warmUp);
  const before = process.memoryUsage().heapUsed;
  for (let done = 0; done < calls; done++) await call();
  return Math.round((process.memoryUsage().heapUsed - before) / calls);
}

/** Waits until the server has said of all its flow schemas whether their levels are there, which it does beside the first requests. */
async function bootstrapped(client: Client): Promise<void> {
  const schemas = client.flowcontrol.v1.flowschemas;
  while ((await schemas.list()).items.some(({ status }) => (status?.conditions ?? []).length === 0))
    await new Promise(setImmediate);
}

async function revisionOf(client: Client): Promise<number> {
  return Number((await client.core.v1.namespaces.list()).resourceVersion);
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function configMap(number: number): object {
  return { metadata: { name: nameOf(number), labels: { app: 'load' } }, data: { text: 'x'.repeat(600) } };
}

function nameOf(number: number): string {
  return `load-${String(number).padStart(6, '0')}`;
}
