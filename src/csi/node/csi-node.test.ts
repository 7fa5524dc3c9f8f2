import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import { nodeAgents } from '../../node/index.ts';
import { NodeCluster } from '../../node/testing/node-cluster.ts';
import { simulatedBackend } from '../../simulated/index.ts';
import { csiDriver } from '../kit/csi-driver.ts';
import { CsiError } from '../kit/csi-error.ts';
import type { CsiNode } from '../kit/driver-definition.ts';
import { csiDriversIn } from './open-csi-node.ts';

const DRIVER = 'dir.csi.example.com';
const HANDLE = 'volume-1';
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csi-node-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a CSI driver on a node', () => {
  test('is registered: CSINode, labels and annotation, and all but the labels go with its socket', async () => {
    await using cluster = await start();
    {
      await using _driver = await serve({ topology: { 'topology.example.com/zone': 'a' } }, { maxVolumesPerNode: 7 });
      await until(async () => {
        const { metadata, spec } = await cluster.client.storage.v1.csinodes.get('keelson');
        expect(spec.drivers).toEqual([
          { name: DRIVER, nodeID: 'node-1', topologyKeys: ['topology.example.com/zone'], allocatable: { count: 7 } },
        ]);
        expect(metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: 'keelson' }]);
      });
      const { metadata } = await cluster.client.core.v1.nodes.get('keelson');
      expect(metadata.labels).toMatchObject({ 'topology.example.com/zone': 'a' });
      expect(metadata.annotations).toMatchObject({ 'csi.volume.kubernetes.io/nodeid': `{"${DRIVER}":"node-1"}` });
    }
    await until(async () => {
      expect((await cluster.client.storage.v1.csinodes.get('keelson')).spec.drivers).toBeNull();
      const { metadata } = await cluster.client.core.v1.nodes.get('keelson');
      expect(metadata.annotations?.['csi.volume.kubernetes.io/nodeid']).toBeUndefined();
      expect(metadata.labels).toMatchObject({ 'topology.example.com/zone': 'a' });
    });
  });

  test('stages and publishes the volume of a claim, whose files containers write and read, and undoes both', async () => {
    await using cluster = await start();
    const calls: string[] = [];
    await using _driver = await serve(recording(calls));
    await registered(cluster);
    await volume(cluster);
    const uid = await run(cluster, 'web', { command: ['sh', '-c', 'echo kept > /data/file && sleep 1000'] });

    const root = join(folder, 'nodes', 'keelson');
    const target = `${root}/pods/${uid}/volumes/kubernetes.io~csi/v/mount`;
    expect(JSON.parse(await readFile(join(target, '..', 'vol_data.json'), 'utf8'))).toMatchObject({
      specVolID: 'v',
      volumeHandle: HANDLE,
      driverName: DRIVER,
      nodeName: 'keelson',
      volumeLifecycleMode: 'Persistent',
    });
    await until(async () => expect(await readFile(join(folder, 'data', HANDLE, 'file'), 'utf8')).toBe('kept\n'));
    expect(calls).toEqual(['stage', 'publish']);

    await cluster.pods.delete('web', { gracePeriodSeconds: 0 });
    await until(() => expect(calls).toEqual(['stage', 'publish', 'unpublish', 'unstage']));
    await until(async () => expect(await readdir(`${root}/plugins/kubernetes.io/csi/${DRIVER}`)).toEqual([]));
    expect(await readFile(join(folder, 'data', HANDLE, 'file'), 'utf8')).toBe('kept\n');
  });
});

async function start(): Promise<NodeCluster> {
  const backend = simulatedBackend({ volumeDrivers: csiDriversIn({ folder: join(folder, 'nodes') }) });
  return await NodeCluster.start(nodeAgents({ backend }));
}

/** Volumes are folders in `data`, and visible by links. */
function linking(members: Partial<CsiNode> = {}): CsiNode {
  return {
    id: 'node-1',
    async publish({ id }, { targetPath }) {
      const { symlink } = await import('node:fs/promises');
      await mkdir(join(folder, 'data', id), { recursive: true });
      await symlink(join(folder, 'data', id), targetPath).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
    },
    unpublish: (_, { targetPath }) => rm(targetPath, { force: true }),
    ...members,
  };
}
function recording(calls: string[], members: Partial<CsiNode> = {}): CsiNode {
  const node = linking(members);
  return {
    ...node,
    stage: async () => void calls.push('stage'),
    unstage: async () => void calls.push('unstage'),
    publish: async (...args) => {
      calls.push('publish');
      await node.publish(...args);
    },
    unpublish: async (...args) => {
      calls.push('unpublish');
      await node.unpublish(...args);
    },
  };
}

async function serve(
  node: Partial<CsiNode>,
  rest: { readonly maxVolumesPerNode?: number } = {},
): Promise<AsyncDisposable> {
  const driver = csiDriver({ name: DRIVER, version: '1', node: linking(node), ...rest });
  const listen = `unix://${join(folder, 'csi.sock')}`;
  const served = driver.serve({ listen, registerIn: join(folder, 'nodes', 'keelson', 'plugins_registry') });
  const stop = new AbortController();
  const running = served.run(stop.signal);
  await served.listening();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

async function registered({ client }: NodeCluster): Promise<void> {
  await until(async () =>
    expect((await client.storage.v1.csinodes.get('keelson')).spec.drivers).toMatchObject([{ name: DRIVER }]),
  );
}

/** A bound claim `data` with a volume of the driver, which is not attached. */
async function volume({ client }: NodeCluster): Promise<void> {
  await client.storage.v1.csidrivers.create({ metadata: { name: DRIVER }, spec: { attachRequired: false } });
  const claims = client.core.v1.persistentvolumeclaims.namespace('default');
  const accessModes = ['ReadWriteOnce' as const];
  const { metadata } = await claims.create({
    metadata: { name: 'data' },
    spec: { accessModes, resources: { requests: { storage: '1Gi' } }, volumeName: 'v' },
  });
  await claims.status.patch('data', mergePatch({ status: { phase: 'Bound' } }));
  await client.core.v1.persistentvolumes.create({
    metadata: { name: 'v' },
    spec: {
      accessModes,
      capacity: { storage: '1Gi' },
      csi: { driver: DRIVER, volumeHandle: HANDLE },
      claimRef: { namespace: 'default', name: 'data', uid: metadata.uid },
    },
  });
}

async function run(
  cluster: NodeCluster,
  name: string,
  { command }: { readonly command?: string[] } = {},
): Promise<string> {
  const volumes = [{ name: 'files', persistentVolumeClaim: { claimName: 'data' } }];
  const volumeMounts = [{ name: 'files', mountPath: '/data' }];
  const containers = [{ name: 'c', image: 'busybox', ...(command === undefined ? {} : { command }), volumeMounts }];
  const { metadata } = await cluster.pods.create({ metadata: { name }, spec: { nodeName: 'keelson', containers, volumes } });
  await until(async () => expect((await cluster.pods.get(name)).status?.phase).toBe('Running'));
  return metadata.uid;
}

async function until(check: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: 10_000 });
}
void CsiError; void stat; void writeFile;
