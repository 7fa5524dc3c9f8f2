import { expect, test } from 'vitest';
import { settle } from '../../../base/index.ts';
import { mergePatch, type PersistentVolume } from '../../../client/index.ts';
import { SchedulerRun } from '../../testing/scheduler-run.ts';

const ZONE = 'topology.kubernetes.io/zone';

/** A claim bound to a volume of a CSI driver. */
async function bound(run: SchedulerRun, name: string, volume: Partial<PersistentVolume> = {}): Promise<void> {
  const { persistentvolumeclaims, persistentvolumes } = run.client.core.v1;
  const accessModes = ['ReadWriteOncePod' as const];
  await persistentvolumeclaims.namespace('default').create({
    metadata: { name, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { accessModes, resources: { requests: { storage: '1Gi' } }, volumeName: name },
  });
  await persistentvolumes.create({
    metadata: { name, ...volume.metadata },
    spec: { accessModes, capacity: { storage: '1Gi' }, csi: { driver: 'csi.example.com', volumeHandle: name } },
  });
  await settle();
}

async function podUsing(run: SchedulerRun, name: string, claimName: string): Promise<void> {
  await run.addPod(name, { volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] });
}

/** Waits until the back-off of a rejected pod is over. */
async function later(run: SchedulerRun): Promise<void> {
  await settle();
  await run.clock.advance(10_000);
  await settle();
}

test('a pod waits until the pod that uses its ReadWriteOncePod claim is gone', async () => {
  await using run = await SchedulerRun.start();
  await run.addNode('n1');
  await bound(run, 'data');
  await podUsing(run, 'first', 'data');
  await podUsing(run, 'second', 'data');
  expect(await run.scheduled('second')).toContain('with ReadWriteOncePod access mode already in-use by another pod');
  await run.pods.delete('first', { gracePeriodSeconds: 0 });
  await later(run);
  expect(await run.nodeOf('second')).toBe('n1');
});

test('a pod waits for free attachments on a node, and for a claim that does not exist yet', async () => {
  await using run = await SchedulerRun.start();
  await run.addNode('n1');
  const { csinodes } = run.client.storage.v1;
  const drivers = (count: number): object => [{ name: 'csi.example.com', nodeID: 'n1', allocatable: { count } }];
  await csinodes.create({ metadata: { name: 'n1' }, spec: { drivers: [] } });
  await csinodes.patch('n1', mergePatch({ spec: { drivers: drivers(1) } }));
  await bound(run, 'a');
  await podUsing(run, 'first', 'a');
  await podUsing(run, 'second', 'b');
  expect(await run.scheduled('second')).toContain('persistentvolumeclaim "b" not found');
  await bound(run, 'b');
  await later(run);
  expect(await run.scheduled('second')).toContain('1 node(s) exceed max volume count');
  await run.pods.delete('first', { gracePeriodSeconds: 0 });
  await later(run);
  expect(await run.nodeOf('second')).toBe('n1');
});

test('a pod waits for a node in the zone of its volume', async () => {
  await using run = await SchedulerRun.start();
  await run.addNode('n1', { labels: { [ZONE]: 'a' } });
  await bound(run, 'data', { metadata: { labels: { [ZONE]: 'b__c' } } });
  await podUsing(run, 'web', 'data');
  expect(await run.scheduled('web')).toContain('1 node(s) had no available volume zone');
  await run.client.core.v1.nodes.patch('n1', mergePatch({ metadata: { labels: { [ZONE]: 'c' } } }));
  await later(run);
  expect(await run.nodeOf('web')).toBe('n1');
});
