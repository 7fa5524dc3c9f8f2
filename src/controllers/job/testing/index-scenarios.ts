import type { ScenarioTopic } from '../../testing/scenarios/index.ts';
import { changeJob, deletePods, end, fail, indexed, newJob, start, template } from './job-world.ts';

/** Indexed Jobs. */
export const indexScenarios: ScenarioTopic['scenarios'] = {
  'three indexes': async (world) => {
    await start(world, indexed(3));
    await world.look('started');
    await end(world, [2]);
    await world.look('the last');
    await end(world, [0]);
    await world.look('the first');
    await end(world, [1]);
    await world.look('done');
  },

  'five indexes, two at a time': async (world) => {
    await start(world, indexed(5, { parallelism: 2 }));
    await end(world, [1]);
    await world.look('one done');
    await end(world, [0, 2]);
    await world.look('three done');
  },

  'an index that fails is tried again': async (world) => {
    await start(world, indexed(2));
    await fail(world, [1]);
    await world.look('failed');
    await world.pass(11);
    await world.look('again');
  },

  'more indexes while it runs': async (world) => {
    await start(world, indexed(2));
    await end(world, [1]);
    await changeJob(world, { completions: 4, parallelism: 4 });
    await world.look('four');
    await end(world, [0, 2, 3]);
    await world.look('done');
  },

  'fewer indexes while it runs': async (world) => {
    await start(world, indexed(4));
    await end(world, [3]);
    await changeJob(world, { completions: 2, parallelism: 2 });
    await world.look('two');
    await end(world, [0, 1]);
    await world.look('done');
  },

  'a template that has the variable, and init containers': async (world) => {
    const own = template();
    const env = [{ name: 'JOB_COMPLETION_INDEX', value: 'mine' }];
    own.spec = {
      restartPolicy: 'Never',
      hostname: 'mine',
      initContainers: [{ name: 'i', image: 'busybox', env: [{ name: 'A', value: 'b' }] }],
      containers: [{ name: 'c', image: 'busybox', env }],
    };
    await start(world, indexed(1, { template: own }));
    await world.look('started');
  },

  'a long name with indexes': async (world) => {
    const name = 'a-name-that-is-as-long-as-it-can-be-for-a-job-with-indexes-x';
    await start(world, newJob({ completionMode: 'Indexed', completions: 2, parallelism: 2 }, name));
    await world.look('started');
  },

  'failures counted by index': async (world) => {
    await start(world, indexed(2, { backoffLimitPerIndex: 1 }));
    await world.look('started');
    await fail(world, [0]);
    await world.look('failed once');
    await world.pass(11);
    await world.look('again');
    await fail(world, [0]);
    await world.look('failed twice');
    await end(world, [1]);
    await world.look('over');
  },

  'no failure is allowed by index': async (world) => {
    await start(world, indexed(3, { backoffLimitPerIndex: 0 }));
    await fail(world, [1]);
    await world.look('one failed');
    await end(world, [0, 2]);
    await world.look('over');
  },

  'too many failed indexes': async (world) => {
    await start(world, indexed(4, { backoffLimitPerIndex: 0, maxFailedIndexes: 1 }));
    await fail(world, [0]);
    await world.look('one failed');
    await fail(world, [2]);
    await world.look('two failed');
  },

  'a deleted pod counts as a failure of its index': async (world) => {
    await start(world, indexed(2, { backoffLimitPerIndex: 1 }));
    await deletePods(world, [0]);
    await world.look('deleted');
    await world.pass(11);
    await world.look('replaced');
  },
};
