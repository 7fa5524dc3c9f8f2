import type { PodDisruptionBudgetSpec } from '../../../api/types/policy/v1.d.ts';
import { evictPod, Job, Pod, PodDisruptionBudget, ReplicaSet, type Sendable } from '../../../client/index.ts';
import { type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';

const labels = { app: 'web' };
const podSpec = { containers: [{ name: 'c', image: 'nginx' }] };

async function budget(world: ScenarioWorld, spec: Partial<PodDisruptionBudgetSpec>, name = 'web'): Promise<void> {
  const selector = { matchLabels: labels };
  await world.create(PodDisruptionBudget, { metadata: { name }, spec: { selector, ...spec } });
}

async function replicaSet(world: ScenarioWorld, replicas: number): Promise<void> {
  const template = { metadata: { labels }, spec: podSpec };
  await world.create(ReplicaSet, {
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: labels }, template },
  });
}

function pod(name: string, more: NonNullable<Sendable<Pod>['metadata']> = {}): Sendable<Pod> {
  return { metadata: { name, labels, ...more }, spec: podSpec };
}

/** Requests an eviction and records the answer. */
async function evict(world: ScenarioWorld): Promise<void> {
  const { items } = await world.pods.list();
  const ready = items.filter(({ status }) => status?.conditions?.some(({ type }) => type === 'Ready'));
  const [name = ''] = ready.map(({ metadata }) => metadata.name).toSorted();
  try {
    await evictPod(world.pods, name);
    world.note('evicted', 'allowed');
  } catch (error) {
    world.note('evicted', error instanceof Error ? error.message : 'refused');
  }
}

const scenarios: ScenarioTopic['scenarios'] = {
  'a budget without pods': async (world) => {
    await budget(world, { minAvailable: 1 });
    await world.look('created');
  },

  'a number that must be available': async (world) => {
    await budget(world, { minAvailable: 2 });
    await replicaSet(world, 3);
    await world.look('three pods');
    await world.makeReady(2);
    await world.look('two ready');
    await world.makeReady();
    await world.look('three ready');
  },

  'a share that must be available': async (world) => {
    await replicaSet(world, 3);
    await world.makeReady();
    await budget(world, { minAvailable: '50%' });
    await world.look('created');
    await world.change(ReplicaSet, 'web', { spec: { replicas: 4 } });
    await world.makeReady();
    await world.look('scaled');
  },

  'a number that may be unavailable': async (world) => {
    await replicaSet(world, 3);
    await world.makeReady();
    await budget(world, { maxUnavailable: 1 });
    await world.look('created');
    await world.change(PodDisruptionBudget, 'web', { spec: { maxUnavailable: 0 } });
    await world.look('none any more');
  },

  'a share that may be unavailable': async (world) => {
    await replicaSet(world, 5);
    await world.makeReady(4);
    await budget(world, { maxUnavailable: '30%' });
    await world.look('created');
  },

  'evictions until the budget is used up': async (world) => {
    await replicaSet(world, 3);
    await world.makeReady();
    await budget(world, { minAvailable: 2 });
    await evict(world);
    await world.look('one evicted');
    await evict(world);
    await world.look('none evicted');
    await world.makeReady();
    await world.look('its place is taken');
  },

  'pods without a controller': async (world) => {
    await world.create(Pod, pod('one'));
    await world.create(Pod, pod('two'));
    await world.makeReady();
    await budget(world, { minAvailable: 1 });
    await world.look('a number');
    await world.of(PodDisruptionBudget).delete('web');
    await budget(world, { maxUnavailable: '50%' }, 'share');
    await world.look('a share');
  },

  'pods of a controller that has no scale': async (world) => {
    const template = { spec: { ...podSpec, restartPolicy: 'Never' as const } };
    const job = await world.create(Job, { metadata: { name: 'work' }, spec: { template, suspend: true } });
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'work', uid: job.metadata.uid, controller: true };
    await world.create(Pod, pod('one', { ownerReferences: [owner] }));
    await world.makeReady();
    await budget(world, { maxUnavailable: 1 });
    await world.look('cannot be told');
  },

  'pods of a controller that is gone': async (world) => {
    const uid = '11111111-1111-4111-8111-111111111111';
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid, controller: true };
    await world.create(Pod, pod('one', { ownerReferences: [owner] }));
    await budget(world, { minAvailable: '10%' });
    await world.look('cannot be told');
  },

  'a pod that is being deleted does not count': async (world) => {
    await world.create(Pod, pod('one', { finalizers: ['example.com/hold'] }));
    await world.create(Pod, pod('two'));
    await world.makeReady();
    await budget(world, { minAvailable: 1 });
    await world.look('two');
    await world.of(Pod).delete('one');
    await world.look('one is going');
  },

  'a pod whose eviction was allowed and that stays': async (world) => {
    await world.create(Pod, pod('one'));
    await world.create(Pod, pod('two'));
    await world.makeReady();
    await budget(world, { minAvailable: 1 });
    const disruptedPods = { one: world.now(-90), two: world.now(-600), gone: world.now() };
    await world.changeStatus(PodDisruptionBudget, 'web', { disruptedPods });
    await world.look('one is expected to go');
    await world.pass(35);
    await world.look('it stays');
  },

  'a selector that selects all': async (world) => {
    await world.create(Pod, pod('one'));
    await budget(world, { minAvailable: 0, selector: {} });
    await world.makeReady();
    await world.look('all');
  },

  'a disruption that did not happen': async (world) => {
    await world.create(Pod, pod('one'));
    const lastTransitionTime = world.now(-90);
    const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'Test', message: 'x', lastTransitionTime }];
    await world.changeStatus(Pod, 'one', { conditions });
    await world.look('announced');
    await world.pass(35);
    await world.look('taken back');
  },
};

/** Scenarios about PodDisruptionBudgets. */
export const topic: ScenarioTopic = {
  controllers: ['disruption-controller', 'replicaset-controller'],
  seen: [see(PodDisruptionBudget), see(Pod)],
  scenarios,
};
