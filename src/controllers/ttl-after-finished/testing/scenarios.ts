import { Job, type Sendable } from '../../../client/index.ts';
import { type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';

function job(ttlSecondsAfterFinished?: number): Sendable<Job> {
  const spec = { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'busybox' }] };
  const ttl = ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished };
  return { metadata: { name: 'work' }, spec: { template: { spec }, ...ttl } };
}

async function finish(world: ScenarioWorld, type: 'Complete' | 'Failed'): Promise<void> {
  const time = world.now();
  const isComplete = type === 'Complete';
  const conditions = [isComplete ? 'SuccessCriteriaMet' : 'FailureTarget', type].map((each) => ({
    type: each,
    status: 'True',
    lastProbeTime: time,
    lastTransitionTime: time,
  }));
  const completionTime = isComplete ? { completionTime: time } : {};
  await world.changeStatus(Job, 'work', {
    startTime: time,
    conditions,
    uncountedTerminatedPods: {},
    ...completionTime,
  });
}

const scenarios: ScenarioTopic['scenarios'] = {
  'a Job goes some time after it has finished': async (world) => {
    await world.create(Job, job(8));
    await world.pass(10);
    await world.look('not finished');
    await finish(world, 'Complete');
    await world.look('finished');
    await world.pass(9);
    await world.look('gone');
  },

  'a failed Job goes at once': async (world) => {
    await world.create(Job, job(0));
    await world.look('running');
    await finish(world, 'Failed');
    await world.look('gone');
  },

  'a Job that stays': async (world) => {
    await world.create(Job, job());
    await finish(world, 'Complete');
    await world.pass(3);
    await world.look('stays');
    await world.change(Job, 'work', { spec: { ttlSecondsAfterFinished: 2 } });
    await world.pass(3);
    await world.look('goes after all');
  },

  'a time that is made longer': async (world) => {
    await world.create(Job, job(6));
    await finish(world, 'Complete');
    await world.change(Job, 'work', { spec: { ttlSecondsAfterFinished: 3600 } });
    await world.pass(8);
    await world.look('stays');
  },
};

/** Scenarios about finished Jobs. */
export const topic: ScenarioTopic = {
  controllers: ['ttl-after-finished-controller'],
  seen: [see(Job)],
  scenarios,
};
