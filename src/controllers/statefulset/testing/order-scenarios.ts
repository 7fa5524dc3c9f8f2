import { Pod, StatefulSet } from '../../../client/index.ts';
import type { ScenarioTopic } from '../../testing/scenarios/index.ts';
import { makeAllReady, makeUnready, onNode, scale, statefulSet, template } from './samples.ts';

/** Order of creation and deletion. */
export const orderScenarios: ScenarioTopic['scenarios'] = {
  'pods that come one after the other': async (world) => {
    await world.create(StatefulSet, statefulSet());
    await world.look('created');
    for (const step of [1, 2, 3]) {
      await world.makeReady();
      await world.look(`${step} ready`);
    }
  },

  'pods that come all at once': async (world) => {
    await world.create(StatefulSet, statefulSet({ podManagementPolicy: 'Parallel' }));
    await world.look('created');
    await world.makeReady(2);
    await world.look('two ready');
    await world.makeReady();
    await world.look('all ready');
  },

  'scaling down in order': async (world) => {
    await world.create(StatefulSet, statefulSet(onNode));
    await makeAllReady(world, 3);
    await scale(world, 1);
    await world.look('scaled');
    await world.removeTerminating();
    await world.look('one gone');
    await world.removeTerminating();
    await world.look('two gone');
  },

  'scaling down at once': async (world) => {
    await world.create(StatefulSet, statefulSet({ ...onNode, podManagementPolicy: 'Parallel' }));
    await world.makeReady();
    await scale(world, 1);
    await world.look('scaled');
    await world.removeTerminating();
    await world.look('gone');
  },

  'scaling down while a pod does not work': async (world) => {
    await world.create(StatefulSet, statefulSet(onNode));
    await makeAllReady(world, 3);
    await makeUnready(world, 'web-1');
    await scale(world, 1);
    await world.look('scaled');
    await world.removeTerminating();
    await world.look('one gone');
    await world.removeTerminating();
    await world.look('two gone');
  },

  'scaling down while a pod that stays does not work': async (world) => {
    await world.create(StatefulSet, statefulSet(onNode));
    await makeAllReady(world, 3);
    await makeUnready(world, 'web-0');
    await scale(world, 1);
    await world.look('scaled');
    await world.makeReady();
    await world.look('it works again');
  },

  'scaling up while a pod does not work': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 2 }));
    await makeAllReady(world, 2);
    await makeUnready(world, 'web-0');
    await scale(world, 4);
    await world.look('scaled');
    await world.makeReady();
    await world.look('it works again');
  },

  'a pod that failed': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 2, ...onNode }));
    await makeAllReady(world, 2);
    await world.changeStatus(Pod, 'web-0', { phase: 'Failed', reason: 'Evicted' });
    await world.look('failed');
    await world.removeTerminating();
    await world.look('made anew');
    await world.makeReady();
    await world.look('ready');
  },

  'a pod that succeeded': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 2 }));
    await makeAllReady(world, 2);
    await world.changeStatus(Pod, 'web-1', { phase: 'Succeeded' });
    await world.look('made anew');
  },

  'pods that failed, all at once': async (world) => {
    await world.create(StatefulSet, statefulSet({ podManagementPolicy: 'Parallel' }));
    await world.makeReady();
    await world.changeStatus(Pod, 'web-0', { phase: 'Failed' });
    await world.changeStatus(Pod, 'web-2', { phase: 'Failed' });
    await world.look('made anew');
  },

  'a pod that is deleted': async (world) => {
    await world.create(StatefulSet, statefulSet(onNode));
    await makeAllReady(world, 3);
    await world.of(Pod).delete('web-1');
    await world.look('deleted');
    await world.removeTerminating();
    await world.look('made anew');
  },

  'numbers from five on': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 2, ordinals: { start: 5 } }));
    await makeAllReady(world, 2);
    await world.look('two');
    await scale(world, 3);
    await world.makeReady();
    await scale(world, 1);
    await world.look('one');
  },

  'another first number': async (world) => {
    await world.create(StatefulSet, statefulSet());
    await makeAllReady(world, 3);
    await world.change(StatefulSet, 'web', { spec: { ordinals: { start: 2 } } });
    await world.look('changed');
    await makeAllReady(world, 2);
    await world.look('ready');
  },

  'a time to be ready for': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 2, minReadySeconds: 20 }));
    await world.makeReady();
    await world.look('ready');
    await world.pass(21);
    await world.look('available');
  },

  'a time to be ready for, all at once': async (world) => {
    const spec = { replicas: 2, minReadySeconds: 20, podManagementPolicy: 'Parallel' } as const;
    await world.create(StatefulSet, statefulSet(spec));
    await world.makeReady();
    await world.look('ready');
    await world.pass(21);
    await world.look('available');
  },

  'adopting and releasing': async (world) => {
    const labels = { app: 'web' };
    const { spec } = template();
    const orphan = (name: string): Promise<unknown> =>
      world.create(Pod, { metadata: { name, labels }, ...(spec === undefined ? {} : { spec }) });
    await orphan('web-0');
    await orphan('stranger-0');
    await orphan('web-x');
    await world.create(StatefulSet, statefulSet({ replicas: 2 }));
    await world.look('adopted');
    await world.makeReady();
    await world.look('ready');
    await world.change(Pod, 'web-1', { metadata: { labels: { app: 'other' } } });
    await world.look('released');
    await world.change(Pod, 'web-1', { metadata: { labels: { app: 'web' } } });
    await world.look('adopted again');
  },

  'pods that the server refuses': async (world) => {
    const bad = template();
    bad.metadata = { ...bad.metadata, finalizers: ['not a name'] };
    await world.create(StatefulSet, statefulSet({ template: bad }));
    await world.look('refused');
    await world.change(StatefulSet, 'web', { spec: { template: { metadata: { finalizers: null } } } });
    await world.pass(20);
    await world.makeReady();
    await world.look('repaired');
  },

  'a set that waits for its deletion': async (world) => {
    await world.create(StatefulSet, statefulSet());
    await makeAllReady(world, 3);
    await world.of(StatefulSet).delete('web', { propagationPolicy: 'Foreground' });
    await world.look('deleted');
    await world.of(Pod).delete('web-1');
    await world.look('a pod gone');
  },

  'labels that say who a pod is': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 1 }));
    await world.makeReady();
    const labels = { 'statefulset.kubernetes.io/pod-name': 'someone', 'apps.kubernetes.io/pod-index': null };
    await world.change(Pod, 'web-0', { metadata: { labels } });
    await world.look('repaired');
  },

  'from no pods to some and back': async (world) => {
    await world.create(StatefulSet, statefulSet({ replicas: 0 }));
    await world.look('none');
    await scale(world, 2);
    await makeAllReady(world, 2);
    await world.look('two');
    await scale(world, 0);
    await world.look('none again');
  },
};
