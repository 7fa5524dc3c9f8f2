import { expect, test } from 'vitest';
import { mergePatch, type PersistentVolumeClaim, type Stored } from '../../client/index.ts';
import { type OpenNodeBackend, VolumeGrowError } from '../backend/index.ts';
import { nodeAgents } from '../node-agents.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { NodeCluster } from '../testing/node-cluster.ts';

type AccessMode = 'ReadWriteOnce' | 'ReadWriteMany';

const WEB = {
  metadata: { name: 'web' },
  spec: {
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    containers: [{ name: 'web', image: 'nginx:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
  },
};

/** A pod that runs with a volume, and a claim that waits for the node to make that larger. */
async function podWithGrownVolume(cluster: NodeCluster): Promise<void> {
  await boundClaim(cluster);
  await cluster.run(WEB);
  await growVolume(cluster);
}

async function growVolume(cluster: NodeCluster): Promise<void> {
  await cluster.client.core.v1.persistentvolumes.patch('v', mergePatch({ spec: { capacity: { storage: '2Gi' } } }));
  await setResizeStatus(cluster, 'NodeResizePending');
}

async function boundClaim(cluster: NodeCluster, accessModes: readonly AccessMode[] = ['ReadWriteOnce']): Promise<void> {
  const { persistentvolumes: volumes, persistentvolumeclaims } = cluster.client.core.v1;
  const claims = persistentvolumeclaims.namespace('default');
  const resources = { requests: { storage: '1Gi' } };
  const { metadata } = await claims.create({
    metadata: { name: 'data' },
    spec: { accessModes, resources, volumeName: 'v' },
  });
  await claims.status.patch('data', mergePatch({ status: { phase: 'Bound', capacity: { storage: '1Gi' } } }));
  const claimRef = { namespace: 'default', name: 'data', uid: metadata.uid };
  const capacity = { storage: '1Gi' };
  await volumes.create({
    metadata: { name: 'v' },
    spec: { accessModes, capacity, claimRef, hostPath: { path: '/v' } },
  });
}

async function setResizeStatus({ client }: NodeCluster, storage: string): Promise<void> {
  const status = { allocatedResources: { storage: '2Gi' }, allocatedResourceStatuses: { storage } };
  await client.core.v1.persistentvolumeclaims.namespace('default').status.patch('data', mergePatch({ status }));
}

function claimOf({ client }: NodeCluster): Promise<Stored<PersistentVolumeClaim>> {
  return client.core.v1.persistentvolumeclaims.namespace('default').get('data');
}

/** A machine whose plugin fails to grow volumes for as long as `failure` is set; `calls` are the sizes asked for. */
class FailingPlugin {
  failure: string | VolumeGrowError | undefined = 'no room';
  readonly calls: (string | undefined)[] = [];
  readonly #memory = new MemoryMachine();

  readonly open: OpenNodeBackend = async (node, context) => {
    const backend = await this.#memory.open(node, context);
    const grow: (typeof backend.volumes)[number]['grow'] = async ({ persistentVolume }) => {
      this.calls.push(persistentVolume?.spec?.capacity?.['storage']);
      if (this.failure !== undefined)
        throw this.failure instanceof VolumeGrowError ? this.failure : new Error(this.failure);
    };
    return { ...backend, volumes: backend.volumes.map((plugin) => ({ ...plugin, grow })) };
  };
}

test('a volume that its plugin cannot grow leaves the claim as large as it was, and is tried again', async () => {
  const plugin = new FailingPlugin();
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  await podWithGrownVolume(cluster);
  expect((await cluster.pods.get('web')).status?.phase).toBe('Running');

  await cluster.advance('10s');
  expect(plugin.calls).toEqual(['2Gi']);
  expect((await claimOf(cluster)).status).toMatchObject({
    capacity: { storage: '1Gi' },
    allocatedResourceStatuses: { storage: 'NodeResizeInProgress' },
  });
  expect(await cluster.events('web')).toContain(
    'Warning VolumeResizeFailed: NodeExpandVolume.NodeExpandVolume failed for volume "v" : no room',
  );
  expect(await cluster.events('data')).toEqual([]); // a kubelet records failures for the pod only

  plugin.failure = undefined;
  await cluster.advance('10s');
  expect(plugin.calls).toEqual(['2Gi', '2Gi']);
  const { status } = await claimOf(cluster);
  expect([status?.capacity, status?.allocatedResourceStatuses]).toEqual([{ storage: '2Gi' }, undefined]);
  const grown = 'Normal FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "v" keelson';
  expect(await cluster.events('data')).toEqual([grown]);
  expect(await cluster.events('web')).toContain(grown);
});

test('a claim whose resize is infeasible is not tried again', async () => {
  const plugin = new FailingPlugin();
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  await podWithGrownVolume(cluster);
  await setResizeStatus(cluster, 'NodeResizeInfeasible');
  await cluster.advance('1m');
  expect(plugin.calls).toEqual([]);
});

test('a volume grows to the size that is allocated to its claim, when that has given a larger one up', async () => {
  const plugin = new FailingPlugin();
  plugin.failure = undefined;
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  await podWithGrownVolume(cluster);
  const { persistentvolumes } = cluster.client.core.v1;
  await persistentvolumes.patch('v', mergePatch({ spec: { capacity: { storage: '9Gi' } } }));
  await cluster.advance('10s');
  expect(plugin.calls).toEqual(['2Gi']);
  expect((await claimOf(cluster)).status?.capacity).toEqual({ storage: '2Gi' });
});

test('a pod waits while its volume cannot grow to the size that its claim waits for', async () => {
  const plugin = new FailingPlugin();
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  await boundClaim(cluster);
  await growVolume(cluster);
  await cluster.run(WEB);
  await cluster.advance('5s');
  expect((await cluster.pods.get('web')).status?.phase).toBe('Pending');
  expect(await cluster.events('web')).toContain(
    'Warning FailedMount: MountVolume.Setup failed while expanding volume for volume "v" : no room',
  );

  plugin.failure = undefined;
  await cluster.advance('10s');
  expect((await cluster.pods.get('web')).status?.phase).toBe('Running');
  expect((await claimOf(cluster)).status?.capacity).toEqual({ storage: '2Gi' });
});

test('a pod runs although its driver expands no volume in use, which is not tried again', async () => {
  const plugin = new FailingPlugin();
  plugin.failure = new VolumeGrowError('in use', 'not while it is mounted');
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  await boundClaim(cluster);
  await growVolume(cluster);
  await cluster.run(WEB);
  await cluster.advance('1m');
  expect((await cluster.pods.get('web')).status?.phase).toBe('Running');
  expect(plugin.calls).toEqual(['2Gi']);
  const { status } = await claimOf(cluster);
  expect(status?.capacity).toEqual({ storage: '1Gi' });
  expect(status?.conditions).toMatchObject([
    { type: 'NodeResizeError', message: 'failed to expand pvc with not while it is mounted' },
  ]);
});

test('a size that a driver has refused is given up when the claim asks for another by now', async () => {
  const plugin = new FailingPlugin();
  plugin.failure = new VolumeGrowError('final', 'too large');
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  await podWithGrownVolume(cluster); // the claim asks for 1Gi again
  await cluster.advance('10s');
  expect((await claimOf(cluster)).status?.allocatedResourceStatuses).toEqual({ storage: 'NodeResizeInProgress' });
  await cluster.advance('10s');
  expect((await claimOf(cluster)).status?.allocatedResourceStatuses).toEqual({ storage: 'NodeResizeInfeasible' });
});

test('a file system that each node grows for itself is grown when another node has done so', async () => {
  const plugin = new FailingPlugin();
  plugin.failure = undefined;
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  await boundClaim(cluster, ['ReadWriteMany']);
  await cluster.run(WEB);
  const { core } = cluster.client;
  await core.v1.persistentvolumes.patch('v', mergePatch({ spec: { capacity: { storage: '2Gi' } } }));
  const claims = core.v1.persistentvolumeclaims.namespace('default');
  await claims.status.patch('data', mergePatch({ status: { capacity: { storage: '2Gi' } } }));
  await cluster.advance('1m');
  expect(plugin.calls).toEqual(['2Gi']);
  const grown = 'Normal FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "v" keelson';
  expect(await cluster.events('web')).toContain(grown);

  await claims.patch(
    'data',
    mergePatch({ metadata: { annotations: { 'volume.kubernetes.io/node-expansion-not-required': 'true' } } }),
  );
  await core.v1.persistentvolumes.patch('v', mergePatch({ spec: { capacity: { storage: '3Gi' } } }));
  await claims.status.patch('data', mergePatch({ status: { capacity: { storage: '3Gi' } } }));
  await cluster.advance('1m');
  expect(plugin.calls).toEqual(['2Gi']);
});

test('a volume grows for a controller that only says that its file system has to', async () => {
  const plugin = new FailingPlugin();
  plugin.failure = undefined;
  await using cluster = await NodeCluster.start(nodeAgents({ backend: plugin.open }));
  await boundClaim(cluster);
  await cluster.run(WEB);
  const { core } = cluster.client;
  await core.v1.persistentvolumes.patch('v', mergePatch({ spec: { capacity: { storage: '2Gi' } } }));
  const conditions = [{ type: 'FileSystemResizePending', status: 'True' }];
  await core.v1.persistentvolumeclaims
    .namespace('default')
    .status.patch('data', mergePatch({ status: { conditions } }));
  await cluster.advance('10s');
  const { status } = await claimOf(cluster);
  expect([status?.capacity, status?.conditions, status?.allocatedResourceStatuses]).toEqual([
    { storage: '2Gi' },
    undefined,
    undefined,
  ]);
});
