import { expect, test } from 'vitest';
import { mergePatch, type PersistentVolumeClaim, type Stored } from '../../client/index.ts';
import type { OpenNodeBackend } from '../backend/index.ts';
import { nodeAgents } from '../node-agents.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { NodeCluster } from '../testing/node-cluster.ts';

const accessModes = ['ReadWriteOnce' as const];

/** A pod that runs with a volume, and a claim that waits for the node to make that larger. */
async function podWithGrownVolume(cluster: NodeCluster): Promise<void> {
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
  await cluster.run({
    metadata: { name: 'web' },
    spec: {
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      containers: [{ name: 'web', image: 'nginx:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    },
  });
  await volumes.patch('v', mergePatch({ spec: { capacity: { storage: '2Gi' } } }));
  await setResizeStatus(cluster, 'NodeResizePending');
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
  failure: string | undefined = 'no room';
  readonly calls: (string | undefined)[] = [];
  readonly #memory = new MemoryMachine();

  readonly open: OpenNodeBackend = async (node, context) => {
    const backend = await this.#memory.open(node, context);
    const grow: (typeof backend.volumes)[number]['grow'] = async ({ persistentVolume }) => {
      this.calls.push(persistentVolume?.spec?.capacity?.['storage']);
      if (this.failure !== undefined) throw new Error(this.failure);
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
