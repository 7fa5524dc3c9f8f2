import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mergePatch } from 'keelson';
import { csiDriversIn } from 'keelson/csi';
import { simulatedBackend } from 'keelson/node';
import { startCluster, type TestCluster } from 'keelson/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { POOL_DRIVER, poolDriver } from './driver.ts';
import { ADDRESS, Bucket, POOL, StoragePool, storageOperator } from './operator.ts';
import { Pool } from './pool.ts';
import { poolsOf } from './pools-of.ts';
import { openStore, type Store } from './store.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'storage-pool-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a real store for each pod of a pool that runs: containers of simulated nodes run no code. */
class Stores implements AsyncDisposable {
  readonly #cluster: TestCluster;
  readonly #folder: string;
  readonly #running = new Map<string, Store>();

  constructor(cluster: TestCluster, folder: string) {
    this.#cluster = cluster;
    this.#folder = folder;
  }

  /** What account.yaml has. */
  async account(): Promise<void> {
    const accounts = this.#cluster.client.core.v1.serviceaccounts.namespace('default');
    await accounts.create({ metadata: { name: 'storage-pool' } });
  }

  async look(): Promise<void> {
    const pods = this.#cluster.client.core.v1.pods.namespace('default');
    const { items } = await pods.list({ labelSelector: POOL });
    const running = items.filter(({ status, metadata }) => status?.phase === 'Running' && !metadata.deletionTimestamp);
    for (const { metadata } of running) {
      if (this.#running.has(metadata.uid)) continue;
      const store = await openStore({ folder: join(this.#folder, metadata.uid) });
      this.#running.set(metadata.uid, store);
      await pods.patch(metadata.name, mergePatch({ metadata: { annotations: { [ADDRESS]: store.address } } }));
    }
    for (const uid of [...this.#running.keys()])
      if (!running.some(({ metadata }) => metadata.uid === uid)) await this.stop(uid);
  }

  async stop(uid: string): Promise<void> {
    await this.#running.get(uid)?.[Symbol.asyncDispose]();
    this.#running.delete(uid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const uid of [...this.#running.keys()]) await this.stop(uid);
  }
}

async function eventually(cluster: TestCluster, stores: Stores, check: () => Promise<void>): Promise<void> {
  await vi.waitFor(
    async () => {
      await cluster.clock.advance('5s');
      await stores.look();
      await check();
    },
    { timeout: 120_000, interval: 30 },
  );
}

test('a pool keeps its objects through an upgrade and the loss of a node, and buckets go with all in them', async () => {
  await using cluster = await startCluster({ nodes: 4 });
  await using stores = new Stores(cluster, await newFolder());
  await stores.account();
  await cluster.run(storageOperator());
  const { client } = cluster;
  const pools = client.kind(StoragePool).namespace('default');
  const buckets = client.kind(Bucket).namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  const status = async (): Promise<unknown> => (await pools.get('main')).status;
  await pools.create({ metadata: { name: 'main' }, spec: { stores: 3 } });
  await buckets.create({ metadata: { name: 'photos' }, spec: { pool: 'main' } });
  await eventually(cluster, stores, async () => {
    expect(await status()).toMatchObject({ phase: 'Healthy', ready: 3, version: 'v1' });
    expect((await buckets.get('photos')).status?.phase).toBe('Ready');
  });
  const pool = poolsOf(client, 'default')('main');
  const bucket = (await buckets.get('photos')).status?.bucket ?? '';
  await pool.put(bucket, 'a/cat', Buffer.from('meow'));

  await pools.patch('main', mergePatch({ spec: { version: 'v2' } }));
  await eventually(cluster, stores, async () => {
    expect(await status()).toMatchObject({ phase: 'Healthy', ready: 3, version: 'v2' });
  });
  expect((await pool.get(bucket, 'a/cat'))?.toString()).toBe('meow'); // each new store began empty

  const [victim] = (await pods.list({ labelSelector: POOL })).items;
  const node = victim?.spec?.nodeName ?? '';
  const lost = victim?.metadata.name ?? '';
  // the machine is gone: it reports neither itself nor the end of its pod
  using _heartbeat = cluster.fault({ type: 'unavailable', program: 'kubelet', name: node });
  const silence = cluster.fault({ type: 'unavailable', program: 'kubelet', name: lost, namespace: 'default' });
  await stores.stop(victim?.metadata.uid ?? '');
  await pool.put(bucket, 'a/dog', Buffer.from('woof')); // two of three are enough
  await eventually(cluster, stores, async () => {
    const now = (await pods.list({ labelSelector: POOL })).items;
    expect(now.map(({ metadata }) => metadata.uid)).not.toContain(victim?.metadata.uid);
  });
  silence.remove(); // the next pod has the same name
  await eventually(cluster, stores, async () => {
    const now = (await pods.list({ labelSelector: POOL })).items;
    expect(now.map(({ spec }) => spec?.nodeName)).not.toContain(node);
    expect(await status()).toMatchObject({ phase: 'Healthy', ready: 3 });
  });
  expect(await pool.list(bucket)).toEqual(expect.arrayContaining(['a/cat', 'a/dog']));
  const alone = (await pods.list({ labelSelector: POOL })).items.map(({ metadata }) => metadata.annotations?.[ADDRESS]);
  for (const address of alone) {
    const single = new Pool(async () => ({ size: 1, addresses: [address ?? ''] }));
    expect((await single.get(bucket, 'a/dog'))?.toString()).toBe('woof'); // every store has been given what it lacked
  }

  await buckets.delete('photos');
  await eventually(cluster, stores, async () => expect((await buckets.list()).items).toEqual([]));
  await expect(pool.list(bucket)).resolves.toEqual([]);
  await pools.delete('main');
  await eventually(cluster, stores, async () => expect((await pods.list({ labelSelector: POOL })).items).toEqual([]));
});

test('files of a volume follow its pod from node to node, and begin a copy', async () => {
  const folder = await newFolder();
  const nodes = join(folder, 'nodes');
  const nodeBackend = simulatedBackend({ volumeDrivers: csiDriversIn({ folder: nodes }) });
  await using cluster = await startCluster({ nodes: 2, nodeBackend });
  await using stores = new Stores(cluster, join(folder, 'stores'));
  await stores.account();
  await cluster.run(storageOperator());
  const { client } = cluster;
  await client
    .kind(StoragePool)
    .namespace('default')
    .create({ metadata: { name: 'main' }, spec: { stores: 3 } });
  await eventually(cluster, stores, async () => {
    expect((await client.kind(StoragePool).namespace('default').get('main')).status?.phase).toBe('Healthy');
  });
  const pool = poolsOf(client, 'default');
  const stop = new AbortController();
  const running = ['keelson-1', 'keelson-2'].map((node) =>
    poolDriver({
      folder: join(folder, node),
      node,
      pool,
      saveMs: 100,
      mounts: { bind: (source, target) => symlink(source, target), unbind: (target) => rm(target, { force: true }) },
    })
      .serve({ listen: `unix://${folder}/${node}.sock`, registerIn: join(nodes, node, 'plugins_registry') })
      .run(stop.signal),
  );
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
  });
  const { core, storage } = client;
  await storage.v1.csidrivers.create({ metadata: { name: POOL_DRIVER }, spec: { attachRequired: false } });
  const bucketName = 'volume-shared';
  await pool('main').put(bucketName, '.owner', Buffer.from('keelson-1'));
  await core.v1.persistentvolumes.create({
    metadata: { name: 'shared' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      storageClassName: '',
      csi: { driver: POOL_DRIVER, volumeHandle: 'shared', volumeAttributes: { pool: 'main' } },
    },
  });
  await core.v1.persistentvolumeclaims.namespace('default').create({
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } },
  });
  const pods = core.v1.pods.namespace('default');
  const start = async (name: string, node: string, command: string): Promise<void> => {
    await pods.create({
      metadata: { name },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': node },
        containers: [
          {
            name: 'c',
            image: 'busybox',
            command: ['sh', '-c', `${command}; sleep 100000`],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });
  };
  await start('first', 'keelson-1', 'echo hello > /data/greeting');
  await eventually(cluster, stores, async () => {
    expect((await pool('main').get(bucketName, 'greeting'))?.toString()).toBe('hello\n'); // while the pod runs
  });
  await pods.delete('first', { gracePeriodSeconds: 0 });
  await eventually(cluster, stores, async () => {
    await expect(readFile(join(folder, 'keelson-1', 'owned', 'shared'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  await pool('main').put(bucketName, '.owner', Buffer.from('keelson-2'));
  await start('second', 'keelson-2', 'cat /data/greeting > /data/answer');
  await eventually(cluster, stores, async () => {
    expect((await pool('main').get(bucketName, 'answer'))?.toString()).toBe('hello\n');
  });
  await pool('main').copy(bucketName, 'volume-copy');
  expect(await pool('main').list('volume-copy')).toEqual(expect.arrayContaining(['answer', 'greeting']));
  await pods.delete('second', { gracePeriodSeconds: 0 });
  await eventually(cluster, stores, async () =>
    expect((await pods.list({ labelSelector: '!storage.example.com/pool' })).items).toEqual([]),
  );
});
