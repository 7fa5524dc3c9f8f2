import { describe, expect, test } from 'vitest';
import { settle } from '../../base/index.ts';
import type { Plugin } from '../framework/plugin.ts';
import { defaultProfile } from '../framework/profile.ts';
import { SchedulerRun } from '../testing/scheduler-run.ts';

/** A scheduler whose PreBind takes until `finish` is called, for pods of priority 0. */
async function slowRun(): Promise<{ run: SchedulerRun; finish: () => void }> {
  let finish = (): void => undefined;
  const slow: Plugin = {
    name: 'Slow',
    hasPreBindWork: ({ pod }) => pod.priority === 0,
    async preBind({ pod }, _node, { signal }) {
      if (pod.priority > 0) return;
      await new Promise<void>((resolve, reject) => {
        finish = resolve;
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    },
  };
  const profile = { ...defaultProfile, plugins: [...defaultProfile.plugins, { name: 'Slow' }] };
  const run = await SchedulerRun.start({ profiles: [profile], plugins: new Map([['Slow', () => slow]]) });
  await run.addNode('n1', { allocatable: { cpu: '2', memory: '8Gi', pods: '10' } });
  return { run, finish: () => finish() };
}

describe('a pod whose PreBind takes its time', () => {
  test('tells of its node before it is bound', async () => {
    const { run, finish } = await slowRun();
    await using _ = run;
    await run.addPod('web');
    expect(await run.nodeOf('web')).toBeUndefined();
    expect((await run.pods.get('web')).status?.nominatedNodeName).toBe('n1');

    finish();
    await settle();
    expect(await run.nodeOf('web')).toBe('n1');
    expect((await run.pods.get('web')).status?.nominatedNodeName).toBeUndefined();
  });

  test('goes back to the queue when a more important pod needs its room', async () => {
    const { run } = await slowRun();
    await using _ = run;
    await run.client.scheduling.v1.priorityclasses.create({ metadata: { name: 'high' }, value: 1000 });
    await run.addPod('web', { requests: { cpu: '1500m' } });
    await run.addPod('urgent', { priorityClassName: 'high', requests: { cpu: '1500m' } });
    await run.clock.advance('5s');
    expect(await run.nodeOf('urgent')).toBe('n1');
    const web = await run.pods.get('web');
    expect([web.spec?.nodeName, web.metadata.deletionTimestamp]).toEqual([undefined, undefined]);
    const { uid } = (await run.pods.get('urgent')).metadata;
    expect(await run.events('web')).toContain(
      `Normal Preempted default-scheduler Preempted by pod ${uid} on node n1 (in kube-scheduler memory).`,
    );
  });
});
