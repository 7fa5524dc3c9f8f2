import { expect, test } from 'vitest';
import { mergePatch } from '../client/index.ts';
import type { NodeCluster } from '../node/testing/node-cluster.ts';
import { startNodes } from './testing/simulated-nodes.ts';

const UNIQUE = 'kubernetes.io/csi/csi.example.com^handle';

/** A pod with a claim whose volume must be attached first. */
async function podWithVolume({ client, pods }: NodeCluster): Promise<void> {
  const { persistentvolumeclaims, persistentvolumes } = client.core.v1;
  const claims = persistentvolumeclaims.namespace('default');
  const accessModes = ['ReadWriteOnce' as const];
  const { metadata } = await claims.create({
    metadata: { name: 'data' },
    spec: { accessModes, resources: { requests: { storage: '1Gi' } }, volumeName: 'v' },
  });
  await claims.status.patch('data', mergePatch({ status: { phase: 'Bound' } }));
  await persistentvolumes.create({
    metadata: { name: 'v' },
    spec: {
      accessModes,
      capacity: { storage: '1Gi' },
      csi: { driver: 'csi.example.com', volumeHandle: 'handle' },
      claimRef: { namespace: 'default', name: 'data', uid: metadata.uid },
    },
  });
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const containers = [{ name: 'c', image: 'nginx', volumeMounts: [{ name: 'data', mountPath: '/data' }] }];
  await pods.create({ metadata: { name: 'web' }, spec: { nodeName: 'keelson', containers, volumes } });
}

async function attach({ client }: NodeCluster): Promise<void> {
  const volumesAttached = [{ name: UNIQUE, devicePath: '' }];
  await client.core.v1.nodes.status.patch('keelson', mergePatch({ status: { volumesAttached } }));
}

async function inUse({ client }: NodeCluster): Promise<readonly string[] | undefined> {
  return (await client.core.v1.nodes.get('keelson')).status?.volumesInUse;
}

test('a node reports that it uses a volume, and starts the pod when that is attached', async () => {
  await using cluster = await startNodes();
  await podWithVolume(cluster);
  await cluster.settle();
  await cluster.advance('1m');
  expect(await inUse(cluster)).toEqual([UNIQUE]);
  expect((await cluster.pods.get('web')).status?.phase).toBe('Pending');

  await attach(cluster);
  await cluster.settle();
  expect((await cluster.pods.get('web')).status?.phase).toBe('Running');

  await cluster.pods.delete('web');
  await cluster.advance('40s');
  expect(await inUse(cluster)).toBeUndefined();
});

test('a restarted node still reports the volumes of its pods as in use', async () => {
  await using cluster = await startNodes();
  await podWithVolume(cluster);
  await cluster.settle();
  await attach(cluster);
  await cluster.advance('1s');
  expect((await cluster.pods.get('web')).status?.phase).toBe('Running');

  await cluster.stopNodes();
  await cluster.startNodes();
  await cluster.advance('1s');
  expect(await inUse(cluster)).toEqual([UNIQUE]);
});
