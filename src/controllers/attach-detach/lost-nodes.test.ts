import { expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import type { TestCluster } from '../../testing/index.ts';
import { eventsIn, startWith } from '../testing/controller-cluster.ts';
import { attachDetachController, type AttachDetachOptions } from './attach-detach-controller.ts';

const UNIQUE = 'kubernetes.io/csi/csi.example.com^handle';

/** A cluster with a pod whose node reports its volume in use. */
async function startUsing(options: AttachDetachOptions = {}): Promise<TestCluster> {
  const cluster = await startWith(attachDetachController(options));
  const { core, storage } = cluster.client;
  await core.v1.nodes.create({
    metadata: { name: 'n1', annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
  });
  await core.v1.nodes.status.patch('n1', mergePatch({ status: { volumesInUse: [UNIQUE] } }));
  const claims = core.v1.persistentvolumeclaims.namespace('default');
  const accessModes = ['ReadWriteOnce' as const];
  const { metadata } = await claims.create({
    metadata: { name: 'data' },
    spec: { accessModes, resources: { requests: { storage: '1Gi' } }, volumeName: 'v' },
  });
  await core.v1.persistentvolumes.create({
    metadata: { name: 'v' },
    spec: {
      accessModes,
      capacity: { storage: '1Gi' },
      csi: { driver: 'csi.example.com', volumeHandle: 'handle' },
      claimRef: { namespace: 'default', name: 'data', uid: metadata.uid },
    },
  });
  await claims.status.patch('data', mergePatch({ status: { phase: 'Bound' } }));
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'nginx' }], volumes };
  await core.v1.pods.namespace('default').create({ metadata: { name: 'web' }, spec });
  await cluster.settle();
  for (const attachment of (await storage.v1.volumeattachments.list()).items)
    await storage.v1.volumeattachments.status.patch(
      attachment.metadata.name,
      mergePatch({ status: { attached: true } }),
    );
  await cluster.settle();
  return cluster;
}

async function attachments({ client }: TestCluster): Promise<number> {
  return (await client.storage.v1.volumeattachments.list()).items.length;
}

async function endPod(cluster: TestCluster): Promise<void> {
  await cluster.client.core.v1.pods.namespace('default').delete('web', { gracePeriodSeconds: 0 });
  await cluster.settle();
}

test('a volume is detached from a lost node after six minutes', async () => {
  await using cluster = await startUsing();
  await endPod(cluster);
  await cluster.clock.advance('5m59s');
  await cluster.settle();
  expect(await attachments(cluster)).toBe(1);
  await cluster.clock.advance('2s');
  await cluster.settle();
  expect(await attachments(cluster)).toBe(0);
  expect((await cluster.client.core.v1.nodes.get('n1')).status?.volumesAttached).toBeUndefined();
});

test('a volume stays attached to a lost node when force-detach is disabled', async () => {
  await using cluster = await startUsing({ disableForceDetachOnTimeout: true });
  await endPod(cluster);
  await cluster.clock.advance('1h');
  await cluster.settle();
  expect(await attachments(cluster)).toBe(1);
});

test('the volumes in use of a deleted node are also detached after six minutes', async () => {
  await using cluster = await startUsing();
  await endPod(cluster);
  await cluster.client.core.v1.nodes.delete('n1');
  await cluster.settle();
  expect(await attachments(cluster)).toBe(1);
  await cluster.clock.advance('6m1s');
  await cluster.settle();
  expect(await attachments(cluster)).toBe(0);
});

test('a pod gets an event when its volume is not attached in time', async () => {
  await using cluster = await startUsing();
  await endPod(cluster);
  await cluster.client.core.v1.nodes.status.patch('n1', mergePatch({ status: { volumesInUse: null } }));
  await cluster.settle();
  expect(await attachments(cluster)).toBe(0);
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'nginx' }], volumes };
  await cluster.client.core.v1.pods.namespace('default').create({ metadata: { name: 'next' }, spec });
  await cluster.settle();
  await cluster.clock.advance('2m1s');
  await cluster.settle();
  expect(await eventsIn(cluster.client)).toContain(
    'attachdetach-controller about Pod next: Warning FailedAttachVolume: AttachVolume.Attach failed for volume "v" : ' +
      'timed out waiting for external-attacher of csi.example.com CSI driver to attach volume handle',
  );
});
