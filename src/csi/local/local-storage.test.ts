// Local volumes on simulated nodes, with a process's parts for each node. Links make volumes visible, so that no test needs root.
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../../base/index.ts';
import { mergePatch } from '../../client/index.ts';
import { simulatedBackend } from '../../simulated/index.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';
import { csiDriversIn } from '../node/open-csi-node.ts';
import { LOCAL_DRIVER, LOCAL_NODE } from './local-driver.ts';
import { LocalStorage } from './local-storage.ts';
import { ProjectNumbers } from './project-numbers.ts';

const NODES = ['keelson-1', 'keelson-2'] as const;

interface Scene {
  readonly cluster: TestCluster;
  readonly folder: string;
  /** Stops the program of a node. */
  stop(node: string): Promise<void>;
}

/** Two nodes, each with the program. */
async function scene(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'local-'));
  const nodes = join(folder, 'nodes');
  const nodeBackend = simulatedBackend({ volumeDrivers: csiDriversIn({ folder: nodes }) });
  const cluster = await startCluster({ nodes: 2, nodeBackend });
  const running = new Map<string, { readonly end: AbortController; readonly done: Promise<void> }>();
  for (const nodeName of NODES) {
    const end = new AbortController();
    const storage = new LocalStorage(cluster.client, {
      folder: join(folder, nodeName),
      rootDir: join(nodes, nodeName),
      nodeName,
      version: '1',
      className: 'local',
      quotas: undefined,
      capacity: { namespace: 'kube-system', pollMs: 500 },
      mounts: {
        bind: (source, target) =>
          symlink(source, target).catch((error: NodeJS.ErrnoException) => {
            if (error.code !== 'EEXIST') throw error;
          }),
        unbind: (target) => rm(target, { force: true }),
      },
      ...{ clock: new RealClock(), random: new CryptoRandom(), log: discardLogger },
    });
    running.set(nodeName, { end, done: storage.run(end.signal) });
  }
  const stop = async (node: string): Promise<void> => {
    const found = running.get(node);
    running.delete(node);
    found?.end.abort();
    await found?.done;
  };
  onTestFinished(async () => {
    await cluster[Symbol.asyncDispose]();
    for (const node of running.keys()) await stop(node);
    await rm(folder, { recursive: true, force: true });
  });
  await eventually(cluster, async () => {
    for (const name of NODES)
      expect((await cluster.client.storage.v1.csinodes.get(name)).spec.drivers).toMatchObject([
        { name: LOCAL_DRIVER, nodeID: name, topologyKeys: [LOCAL_NODE] },
      ]);
  });
  return { cluster, folder, stop };
}

async function eventually(cluster: TestCluster, check: () => Promise<void>): Promise<void> {
  await vi.waitFor(
    async () => {
      await cluster.clock.advance('5s');
      await check();
    },
    { timeout: 120_000, interval: 50 },
  );
}

async function podWithClaim({ cluster }: Scene, name: string, node?: string): Promise<void> {
  const { core } = cluster.client;
  await core.v1.persistentvolumeclaims.namespace('default').create({
    metadata: { name },
    spec: { storageClassName: 'local', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
  });
  const command = ['sh', '-c', `echo ${name} > /data/name; sleep 100000`];
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  await core.v1.pods.namespace('default').create({
    metadata: { name },
    spec: {
      ...(node === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': node } }),
      containers: [{ name: 'c', image: 'busybox', command, volumeMounts }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
    },
  });
  await eventually(cluster, async () => {
    expect((await core.v1.pods.namespace('default').get(name)).status?.phase).toBe('Running');
  });
}

async function volumesOn({ folder }: Scene, node: string): Promise<readonly string[]> {
  return await readdir(join(folder, node, 'data')).catch(() => []);
}

describe('local storage', () => {
  test('makes a volume where its pod goes, keeps the pod there, and deletes it there', async () => {
    const on = await scene();
    const { core } = on.cluster.client;
    await podWithClaim(on, 'web', 'keelson-2');
    expect([await volumesOn(on, 'keelson-1'), (await volumesOn(on, 'keelson-2')).length]).toEqual([[], 1]);
    const [volume] = (await core.v1.persistentvolumes.list()).items;
    expect(volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: LOCAL_NODE, operator: 'In', values: ['keelson-2'] }] },
    ]);
    const [id = ''] = await volumesOn(on, 'keelson-2');
    const file = join(on.folder, 'keelson-2', 'data', id, 'name');
    await eventually(on.cluster, async () => expect(await readFile(file, 'utf8')).toBe('web\n'));

    const pods = core.v1.pods.namespace('default');
    await pods.delete('web', { gracePeriodSeconds: 0 });
    await core.v1.persistentvolumeclaims.namespace('default').delete('web');
    await eventually(on.cluster, async () => {
      expect((await core.v1.persistentvolumes.list()).items).toEqual([]);
      expect(await volumesOn(on, 'keelson-2')).toEqual([]);
    });
  });

  test('tells what each node has free in objects that other nodes leave alone', async () => {
    const on = await scene();
    const capacities = on.cluster.client.storage.v1.csistoragecapacities.namespace('kube-system');
    const labels = async (): Promise<unknown> =>
      (await capacities.list()).items
        .map(({ metadata, nodeTopology }) => [
          metadata.labels?.['csi.storage.k8s.io/managed-by'],
          nodeTopology?.matchLabels?.[LOCAL_NODE],
          metadata.ownerReferences?.[0]?.name,
        ])
        .toSorted();
    const both = NODES.map((name) => [`external-provisioner-${name}`, name, name]);
    await eventually(on.cluster, async () => expect(await labels()).toEqual(both));

    await on.stop('keelson-1');
    await on.cluster.client.core.v1.nodes.patch('keelson-2', mergePatch({ metadata: { labels: { any: 'thing' } } }));
    for (let round = 0; round < 4; round++) await on.cluster.clock.advance('30s');
    expect(await labels()).toEqual(both);
  });
});

test('projects have the lowest numbers that are free, also at once and after a crash', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'projects-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const numbers = new ProjectNumbers(folder);
  const taken = await Promise.all(['a', 'b', 'c'].map((name) => numbers.of(name)));
  expect(taken.toSorted()).toEqual([1_000_000, 1_000_001, 1_000_002]);
  await numbers.forget('b');
  expect(await new ProjectNumbers(folder).of('d')).toBe(1_000_001);
  expect(await numbers.of('a')).toBe(taken[0]);
  expect(await numbers.find('b')).toBeUndefined();
});
