import { Job, Pod } from '../../../client/index.ts';
import type { ScenarioTopic } from '../../testing/scenarios/index.ts';
import {
  changeJob,
  deletePods,
  end,
  endAtOnce,
  fail,
  later,
  newJob,
  runningPods,
  start,
  template,
} from './job-world.ts';

/** Parallelism, completions and failures. */
export const countingScenarios: ScenarioTopic['scenarios'] = {
  'a Job of one pod': async (world) => {
    await start(world, newJob());
    await world.look('started');
    await world.makeReady();
    await later(world);
    await world.look('ready');
    await end(world, 1);
    await world.look('done');
  },

  'three completions, two at a time': async (world) => {
    await start(world, newJob({ completions: 3, parallelism: 2 }));
    await world.look('started');
    await end(world, 1);
    await world.look('one done');
    await end(world, 2);
    await world.look('all done');
  },

  'a work queue': async (world) => {
    await start(world, newJob({ parallelism: 3 }));
    await world.look('started');
    await end(world, 1);
    await world.look('one done');
    await fail(world, 1);
    await world.look('one failed');
    await end(world, 1);
    await world.look('all done');
  },

  'no completions at all': async (world) => {
    await start(world, newJob({ completions: 0 }));
    await world.look('done');
  },

  'a parallelism of none, then two, then one': async (world) => {
    await start(world, newJob({ completions: 3, parallelism: 0 }));
    await world.look('none');
    await changeJob(world, { parallelism: 2 });
    await world.makeReady();
    await later(world);
    await world.look('two');
    await changeJob(world, { parallelism: 1 });
    await world.look('one');
    await changeJob(world, { parallelism: 0 });
    await world.look('none again');
  },

  'a failed pod is replaced after a while': async (world) => {
    await start(world, newJob());
    await fail(world, 1);
    await world.look('failed');
    await world.pass(11);
    await world.look('replaced');
    await end(world, 1);
    await world.look('done');
  },

  'two pods that fail together wait for longer': async (world) => {
    await start(world, newJob({ completions: 2, parallelism: 2 }));
    await endAtOnce(world, 2, { phase: 'Failed', exitCode: 1 });
    await world.pass(11);
    await world.look('failed');
    await world.pass(11);
    await world.look('replaced');
  },

  'a success between failures': async (world) => {
    await start(world, newJob({ completions: 3, parallelism: 2 }));
    await fail(world, 1);
    await end(world, 1);
    await world.look('one of each');
    await world.pass(10);
    await world.look('going on');
  },

  'no failure is allowed': async (world) => {
    await start(world, newJob({ completions: 3, parallelism: 3, backoffLimit: 0 }));
    await world.makeReady(2);
    await later(world);
    await fail(world, 1);
    await world.look('failed');
  },

  'one failure is allowed': async (world) => {
    await start(world, newJob({ completions: 4, parallelism: 3, backoffLimit: 1 }));
    await end(world, 1);
    await endAtOnce(world, 2, { phase: 'Failed', exitCode: 1 });
    await world.pass(4);
    await world.look('failed');
  },

  'restarts are failures where containers are restarted': async (world) => {
    await start(world, newJob({ template: template('OnFailure'), backoffLimit: 2 }));
    const restarted = async (restartCount: number): Promise<void> => {
      const containerStatuses = [{ name: 'c', state: {}, ready: true, restartCount, image: '', imageID: '' }];
      const [pod] = await runningPods(world, 1);
      await world.changeStatus(Pod, pod?.metadata.name ?? '', { phase: 'Running', containerStatuses });
      await later(world);
    };
    await restarted(1);
    await world.look('once');
    await restarted(2);
    await world.look('twice');
  },

  'a deadline that is missed': async (world) => {
    await start(world, newJob({ completions: 2, parallelism: 2, activeDeadlineSeconds: 25 }));
    await end(world, 1);
    await world.look('one done');
    await world.pass(25);
    await world.look('late');
  },

  'a deadline that is set later': async (world) => {
    await start(world, newJob({ activeDeadlineSeconds: 3600 }));
    await world.look('started');
    await changeJob(world, { activeDeadlineSeconds: 1 });
    await world.look('late');
  },

  'a pod that is deleted': async (world) => {
    await start(world, newJob());
    await deletePods(world, 1);
    await world.look('deleted');
    await world.pass(11);
    await world.look('replaced');
  },

  'a pod that is deleted where only failed ones are replaced': async (world) => {
    await start(world, newJob({ completions: 2, parallelism: 2, podReplacementPolicy: 'Failed' }));
    await deletePods(world, 1);
    await world.look('terminating');
    await endAtOnce(world, 2, { phase: 'Failed', exitCode: 1 });
    await world.pass(4);
    await world.look('failed');
  },

  'pods that the server refuses': async (world) => {
    const bad = template();
    bad.metadata = { ...bad.metadata, finalizers: ['not a name'] };
    await start(world, newJob({ template: bad, completions: 3, parallelism: 3 }));
    await world.look('refused');
  },

  'a Job with an end that comes before all pods are there': async (world) => {
    await start(world, newJob({ completions: 5, parallelism: 1 }));
    await end(world, 1);
    await changeJob(world, { parallelism: 5 });
    await world.look('more');
    await end(world, 4);
    await world.look('done');
    await world.change(Job, 'work', { metadata: { labels: { a: 'b' } } });
    await world.look('changed afterwards');
  },
};
