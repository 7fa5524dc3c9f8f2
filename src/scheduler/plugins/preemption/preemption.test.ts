import { describe, expect, test } from 'vitest';
import { settle } from '../../../base/index.ts';
import { mergePatch } from '../../../client/index.ts';
import { SchedulerRun } from '../../testing/scheduler-run.ts';

const small = { allocatable: { cpu: '2', memory: '8Gi', pods: '10' } };

/** A scheduler with priority classes low (10) and high (1000), and a node n1 with 2 CPUs. */
async function clusterWithPriorities(): Promise<SchedulerRun> {
  const run = await SchedulerRun.start();
  const classes = run.client.scheduling.v1.priorityclasses;
  await classes.create({ metadata: { name: 'low' }, value: 10 });
  await classes.create({ metadata: { name: 'high' }, value: 1000 });
  await classes.create({ metadata: { name: 'shy' }, value: 1000, preemptionPolicy: 'Never' });
  await run.addNode('n1', small);
  return run;
}

const pod = (priorityClassName: string, cpu: string, graceSeconds = 0): Parameters<SchedulerRun['addPod']>[1] => ({
  priorityClassName,
  requests: { cpu },
  terminationGracePeriodSeconds: graceSeconds,
});

describe('preemption', () => {
  test('deletes pods of lower priority, reports the reason, and gives their room to the pod', async () => {
    await using run = await clusterWithPriorities();
    await run.addPod('small', pod('low', '500m'));
    await run.addPod('large', pod('low', '1500m'));
    await run.addPod('urgent', pod('high', '1500m'));
    await run.clock.advance('3s');
    expect(await run.nodeOf('urgent')).toBe('n1');
    expect((await run.pods.list()).items.map(({ metadata }) => metadata.name)).toEqual(['small', 'urgent']);
    const { uid } = (await run.pods.get('urgent')).metadata;
    expect(await run.events('large')).toContain(
      `Normal Preempted default-scheduler Preempted by pod ${uid} on node n1`,
    );
  });

  test('nominates the pod for the node while its victims terminate, and chooses no further victims meanwhile', async () => {
    await using run = await clusterWithPriorities();
    await run.addPod('slow', pod('low', '1500m', 30));
    await run.addPod('urgent', pod('high', '1500m'));
    const slow = await run.pods.get('slow');
    expect(slow.metadata.deletionTimestamp).toBeDefined();
    expect(slow.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PreemptionByScheduler',
        message: 'default-scheduler: preempting to accommodate a higher priority pod',
      }),
    );
    expect((await run.pods.get('urgent')).status?.nominatedNodeName).toBe('n1');
    expect(await run.scheduled('urgent')).toBe('False Unschedulable 0/1 nodes are available: 1 Insufficient cpu.');

    await run.addPod('modest', pod('low', '1500m')); // the nomination holds the room
    await run.clock.advance('6m');
    expect(await run.scheduled('urgent')).toContain(
      'preemption: not eligible due to a terminating pod on the nominated node.',
    );

    await run.pods.delete('slow', { gracePeriodSeconds: 0 });
    await run.clock.advance('15s');
    expect(await run.nodeOf('urgent')).toBe('n1');
    expect(await run.nodeOf('modest')).toBeUndefined();
  });

  test('spares pods that a disruption budget protects, if other victims suffice', async () => {
    await using run = await clusterWithPriorities();
    await run.addNode('n2', small);
    for (const name of ['guarded', 'free']) await run.addPod(name, pod('low', '1500m'));
    const guardedNode = await run.nodeOf('guarded');
    await run.pods.patch('guarded', mergePatch({ metadata: { labels: { app: 'guarded' } } }));
    const selector = { matchLabels: { app: 'guarded' } };
    const budgets = run.client.policy.v1.poddisruptionbudgets.namespace('default');
    await budgets.create({ metadata: { name: 'guard' }, spec: { minAvailable: 1, selector } });
    await settle();
    await run.addPod('urgent', pod('high', '1500m'));
    await run.clock.advance('3s');
    expect(await run.nodeOf('guarded')).toBe(guardedNode);
    expect(await run.nodeOf('urgent')).not.toBe(guardedNode);
  });

  test('removes the nomination of a lower-priority pod for the same node', async () => {
    await using run = await clusterWithPriorities();
    await run.client.scheduling.v1.priorityclasses.create({ metadata: { name: 'middle' }, value: 100 });
    await run.addPod('slow', pod('low', '1500m', 30));
    await run.addPod('other', pod('low', '500m', 30));
    await run.addPod('second', pod('middle', '1500m'));
    expect((await run.pods.get('second')).status?.nominatedNodeName).toBe('n1');
    await run.addPod('urgent', pod('high', '2'));
    expect((await run.pods.get('urgent')).status?.nominatedNodeName).toBe('n1');
    expect((await run.pods.get('second')).status?.nominatedNodeName).toBeUndefined();
  });

  test('does nothing for pods that never preempt', async () => {
    await using run = await clusterWithPriorities();
    await run.addPod('large', pod('low', '1500m'));
    await run.addPod('urgent', pod('shy', '1500m'));
    expect(await run.scheduled('urgent')).toBe(
      'False Unschedulable 0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, ' +
        'preemption: not eligible due to preemptionPolicy=Never.',
    );
    expect(await run.nodeOf('large')).toBe('n1');
  });
});
