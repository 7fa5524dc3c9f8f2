import type { ScenarioTopic, ScenarioWorld } from '../../testing/scenarios/index.ts';
import { autoscale, external, ofObject, share, utilization, value } from './autoscalers.ts';
import { define, NamespaceMetric, PodMetrics, QueueLength } from './metric-kinds.ts';
import { deploy, makePods, use } from './pods.ts';

/** Two pods, and external queue lengths. */
async function queues(world: ScenarioWorld, ...lengths: readonly (readonly [string, string])[]): Promise<void> {
  await define(world, QueueLength);
  await deploy(world, 2);
  await makePods(world, 'web-0', 'web-1');
  for (const [name, length] of lengths)
    await world.of(QueueLength).create({
      metadata: { name, labels: { queue: name } },
      metricName: 'queue-length',
      timestamp: world.now(),
      value: length,
    });
}

/** Two pods, and a metrics API without samples. */
async function unmeasured(world: ScenarioWorld): Promise<void> {
  await define(world, NamespaceMetric);
  await deploy(world, 2);
  await makePods(world, 'web-0', 'web-1');
}

export const metricScenarios: ScenarioTopic['scenarios'] = {
  'an external value': async (world) => {
    await queues(world, ['a', '30'], ['b', '15']);
    await autoscale(world, [external(value('30'))]);
    await world.look('scaled up');
  },

  'an external value of some': async (world) => {
    await queues(world, ['a', '30500m'], ['b', '500']);
    await autoscale(world, [external(value('10'), { selector: { matchLabels: { queue: 'a' } } })]);
    await world.look('scaled up');
  },

  'an external value for each replica': async (world) => {
    await queues(world, ['a', '30'], ['b', '15']);
    await autoscale(world, [external(share('9'))]);
    await world.look('scaled up');
  },

  'an external value that nobody knows': async (world) => {
    await queues(world);
    await autoscale(world, [external(share('9'))]);
    await world.look('none');
    await autoscale(world, [external(value('9'), { name: 'absent' })], { name: 'other' });
    await world.look('not served');
  },

  'a metric of the namespace that nobody knows': async (world) => {
    await unmeasured(world);
    await autoscale(world, [ofObject(value('20'), { kind: 'Namespace', name: 'any', apiVersion: 'v1' })]);
    await world.look('cannot tell');
  },

  'a metric of an object of an unknown kind': async (world) => {
    await unmeasured(world);
    await autoscale(world, [ofObject(value('20'), { kind: 'Nothing', name: 'any', apiVersion: 'example.dev/v1' })]);
    await world.look('cannot tell');
  },

  'a metric of an object that nobody knows': async (world) => {
    await unmeasured(world);
    await autoscale(world, [ofObject(share('20'), { kind: 'Service', name: 'any', apiVersion: 'v1' })]);
    await world.look('cannot tell');
  },

  'a metric of pods that nobody knows': async (world) => {
    await unmeasured(world);
    await autoscale(world, [{ type: 'Pods', pods: { metric: { name: 'requests' }, target: share('10') } }]);
    await world.look('cannot tell');
  },

  'the largest of several metrics counts': async (world) => {
    await define(world, PodMetrics);
    await queues(world, ['a', '30']);
    await use(world, ['web-0', 'web-1'], '75m');
    await autoscale(world, [utilization(50), external(value('10')), external(share('10'))]);
    await world.look('scaled up');
  },

  'one of several metrics cannot be read': async (world) => {
    await queues(world, ['a', '30']);
    await autoscale(world, [external(value('10'), { name: 'absent' }), external(value('10'))]);
    await world.look('scaled up all the same');
  },

  'nothing is scaled down while a metric cannot be read': async (world) => {
    await queues(world, ['a', '3']);
    await autoscale(world, [external(value('10')), external(value('10'), { name: 'absent' })]);
    await world.pass(35);
    await world.look('not scaled down');
  },
};
