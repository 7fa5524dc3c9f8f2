import { describe, expect, test } from 'vitest';
import { settle } from '../../../base/index.ts';
import type { Plugin } from '../../framework/plugin.ts';
import { defaultProfile } from '../../framework/profile.ts';
import type { SchedulerOptions } from '../../scheduler.ts';
import { SchedulerRun } from '../../testing/scheduler-run.ts';

/** A scheduler with a custom plugin, and a node n1 with 2 CPUs. */
async function clusterWith(plugin: Plugin): Promise<SchedulerRun> {
  const options: SchedulerOptions = {
    profiles: [{ ...defaultProfile, plugins: [...defaultProfile.plugins, { name: plugin.name }] }],
    plugins: new Map([[plugin.name, () => plugin]]),
  };
  const run = await SchedulerRun.start(options);
  await run.client.scheduling.v1.priorityclasses.create({ metadata: { name: 'high' }, value: 1000 });
  await run.addNode('n1', { allocatable: { cpu: '2', memory: '8Gi', pods: '10' } });
  return run;
}

async function preemptedEvents(run: SchedulerRun): Promise<string[]> {
  const { items } = await run.client.core.v1.events.namespace('default').list();
  const preempted = items.filter(({ reason }) => reason === 'Preempted');
  return preempted.map(({ message = '' }) => message.replace(/[0-9a-f-]{36}/, 'UID'));
}

const large = { requests: { cpu: '1500m' } };
const urgent = { ...large, priorityClassName: 'high' };

describe('preemption of a pod that is not bound yet', () => {
  test('ends its wait for permission and does not delete it', async () => {
    await using run = await clusterWith({
      name: 'Guard',
      permit: ({ pod }) => (pod.priority === 0 ? new Promise(() => undefined) : undefined),
    });
    await run.addPod('waiting', large);
    expect((await run.pods.get('waiting')).status?.nominatedNodeName).toBe('n1');
    await run.addPod('urgent', urgent);
    await settle();
    expect(await run.nodeOf('urgent')).toBe('n1');
    const waiting = await run.pods.get('waiting');
    expect(waiting.metadata.deletionTimestamp).toBeUndefined();
    expect(waiting.status?.nominatedNodeName).toBeUndefined();
    expect(waiting.status?.conditions?.some(({ type }) => type === 'DisruptionTarget')).toBe(false);
    expect(await preemptedEvents(run)).toEqual(['Preempted by pod UID on node n1 (in kube-scheduler memory).']);
    expect(await run.scheduled('waiting')).toBe('False SchedulerError waiting on permit for pod: preempted');
  });

  test('cancels its PreBind plugins', async () => {
    let wasCancelled = false;
    await using run = await clusterWith({
      name: 'Slow',
      willPreBind: ({ pod }) => pod.priority === 0,
      preBind: (_cycle, _node, { rest }) =>
        rest(
          (signal) =>
            new Promise((_, reject) => {
              signal.addEventListener('abort', () => {
                wasCancelled = true;
                reject(new Error('gave up', { cause: signal.reason }));
              });
            }),
        ),
    });
    await run.addPod('waiting', large);
    expect((await run.pods.get('waiting')).status?.nominatedNodeName).toBe('n1');
    await run.addPod('urgent', urgent);
    await settle();
    expect(wasCancelled).toBe(true);
    expect(await run.scheduled('waiting')).toBe(
      'False SchedulerError running PreBind plugin "Slow": preempted by DefaultPreemption',
    );
    expect(await run.nodeOf('urgent')).toBe('n1');
    expect((await run.pods.get('waiting')).metadata.deletionTimestamp).toBeUndefined();
    expect(await preemptedEvents(run)).toEqual(['Preempted by pod UID on node n1 (in kube-scheduler memory).']);
  });
});
