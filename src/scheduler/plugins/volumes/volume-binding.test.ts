import { describe, expect, test } from 'vitest';
import { settle } from '../../../base/index.ts';
import type { PersistentVolumeClaim, StorageClass } from '../../../client/index.ts';
import { mergePatch } from '../../../client/index.ts';
import { SchedulerRun } from '../../testing/scheduler-run.ts';

const PROVISIONER = 'csi.example.com';
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

async function claim(
  run: SchedulerRun,
  name: string,
  spec: Partial<PersistentVolumeClaim['spec']> = {},
): Promise<void> {
  await run.client.core.v1.persistentvolumeclaims.namespace('default').create({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  });
  await settle();
}

async function lateClass(run: SchedulerRun, rest: Partial<StorageClass> = {}): Promise<void> {
  await run.client.storage.v1.storageclasses.create({
    metadata: { name: 'late' },
    provisioner: PROVISIONER,
    volumeBindingMode: 'WaitForFirstConsumer',
    ...rest,
  });
  await settle();
}

async function volume(
  run: SchedulerRun,
  name: string,
  { node, storage = '1Gi' }: { node?: string; storage?: string } = {},
): Promise<void> {
  const { persistentvolumes } = run.client.core.v1;
  const terms = [{ matchExpressions: [{ key: 'host', operator: 'In' as const, values: [node ?? ''] }] }];
  await persistentvolumes.create({
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage },
      storageClassName: 'late',
      hostPath: { path: '/srv/none' },
      ...(node === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
    },
  });
  await persistentvolumes.status.patch(name, mergePatch({ status: { phase: 'Available' } }));
  await settle();
}

/** Does what the persistent volume binder would do. */
async function bind(run: SchedulerRun, name: string, volumeName: string): Promise<void> {
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
  const claims = run.client.core.v1.persistentvolumeclaims.namespace('default');
  await claims.patch(name, mergePatch({ metadata: { annotations }, spec: { volumeName } }));
  await settle();
}

async function podUsing(run: SchedulerRun, name: string, ...claims: string[]): Promise<void> {
  const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
  await run.addPod(name, { volumes });
}

describe('claims with immediate binding', () => {
  test('must be bound before their pod is scheduled', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1');
    await claim(run, 'data', { storageClassName: 'late' });
    await podUsing(run, 'web', 'data');
    expect(await run.scheduled('web')).toBe(
      'False Unschedulable 0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    );
    await volume(run, 'v');
    await bind(run, 'data', 'v');
    await run.clock.advance(10_000);
    await settle();
    expect(await run.nodeOf('web')).toBe('n1');
  });

  test('must exist', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1');
    await podUsing(run, 'web', 'none');
    expect(await run.scheduled('web')).toContain('persistentvolumeclaim "none" not found');
  });
});

describe('claims that wait for their first pod', () => {
  test('get its node as selected node, and the pod is bound after they are', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1');
    await lateClass(run);
    await claim(run, 'data', { storageClassName: 'late' });
    await podUsing(run, 'web', 'data');
    const claims = run.client.core.v1.persistentvolumeclaims.namespace('default');
    expect((await claims.get('data')).metadata.annotations).toEqual({ [SELECTED_NODE]: 'n1' });
    expect(await run.nodeOf('web')).toBeUndefined();
    expect((await run.pods.get('web')).status?.nominatedNodeName).toBe('n1');
    expect(run.isIdle).toBe(true);

    await volume(run, 'v');
    await bind(run, 'data', 'v');
    expect(await run.nodeOf('web')).toBe('n1');
    expect((await run.pods.get('web')).status?.nominatedNodeName).toBeUndefined();
  });

  test('get the smallest volume that their node can reach, each a different one', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1', { labels: { host: 'n1' } });
    await run.addNode('n2', { labels: { host: 'n2' } });
    await lateClass(run, { provisioner: 'kubernetes.io/no-provisioner' });
    await volume(run, 'large', { node: 'n2', storage: '9Gi' });
    await volume(run, 'small', { node: 'n2', storage: '2Gi' });
    await claim(run, 'a', { storageClassName: 'late' });
    await claim(run, 'b', { storageClassName: 'late' });
    await claim(run, 'c', { storageClassName: 'late' });
    await podUsing(run, 'web', 'a');
    await podUsing(run, 'other', 'b');
    await podUsing(run, 'third', 'c');
    const { items } = await run.client.core.v1.persistentvolumes.list();
    expect(items.map(({ metadata, spec }) => [metadata.name, spec?.claimRef?.name, metadata.annotations])).toEqual([
      ['large', 'b', { 'pv.kubernetes.io/bound-by-controller': 'yes' }],
      ['small', 'a', { 'pv.kubernetes.io/bound-by-controller': 'yes' }],
    ]);
    expect(await run.scheduled('third')).toContain(
      "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.",
    );
    await bind(run, 'a', 'small');
    await bind(run, 'b', 'large');
    expect([await run.nodeOf('web'), await run.nodeOf('other')]).toEqual(['n2', 'n2']);
  });

  test('delay a pod for at most ten minutes; then it is retried', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1');
    await lateClass(run);
    await claim(run, 'data', { storageClassName: 'late' });
    await podUsing(run, 'web', 'data');
    await run.clock.advance(601_000);
    await settle();
    expect(await run.events('web')).toContain(
      'Warning FailedScheduling default-scheduler running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    );
  });

  test('stop waiting when the pod is deleted, and do not keep the scheduler from stopping', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1');
    await lateClass(run);
    await claim(run, 'data', { storageClassName: 'late' });
    await podUsing(run, 'web', 'data');
    await run.pods.delete('web', { gracePeriodSeconds: 0 });
    await settle();
    expect(await run.events('web')).toContain(
      'Warning FailedScheduling default-scheduler running PreBind plugin "VolumeBinding": binding volumes: ' +
        'pod does not exist any more: pod "web" not found',
    );
    await podUsing(run, 'next', 'data');
    await run.stop();
    expect(await run.events('next')).toEqual([]);
  });

  test('do not delay other pods, however many wait', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1');
    await lateClass(run);
    for (let count = 0; count < 70; count++) {
      await claim(run, `data-${count}`, { storageClassName: 'late' });
      await podUsing(run, `web-${count}`, `data-${count}`);
    }
    await run.addPod('other');
    expect(await run.nodeOf('other')).toBe('n1');
  });
});
