import { Deployment, HorizontalPodAutoscaler, mergePatch, Pod } from '../../../client/index.ts';
import { type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';
import { average, autoscale, ofContainer, utilization } from './autoscalers.ts';
import { define, PodMetrics } from './metric-kinds.ts';
import { deploy, makePods, podSpec, starting, use } from './pods.ts';
import { behaviorScenarios } from './scenarios-of-behavior.ts';
import { metricScenarios } from './scenarios-of-metrics.ts';
import { targetScenarios } from './scenarios-of-targets.ts';

/** A Deployment with `replicas` pods that use `cpu` each. */
async function busy(world: ScenarioWorld, replicas: number, cpu: string): Promise<string[]> {
  await define(world, PodMetrics);
  await deploy(world, replicas);
  const names = Array.from({ length: replicas }, (_, index) => `web-${index}`);
  await makePods(world, ...names);
  await use(world, names, cpu);
  return names;
}

const resourceScenarios: ScenarioTopic['scenarios'] = {
  'pods that use more than they should': async (world) => {
    await busy(world, 2, '200m');
    await autoscale(world, [utilization(50)]);
    await world.look('scaled up');
  },

  'pods that use about as much as they should': async (world) => {
    await busy(world, 2, '54m');
    await autoscale(world, [utilization(50)]);
    await world.look('left alone');
    await world.change(HorizontalPodAutoscaler, 'web', { metadata: { labels: { changed: 'yes' } } });
    await world.pass(5);
    await world.look('changed');
  },

  'pods that use less than they should': async (world) => {
    await busy(world, 4, '10m');
    await autoscale(world, [utilization(50)]);
    await world.look('waiting');
    await world.pass(40);
    await world.look('scaled down');
  },

  'more than the largest number': async (world) => {
    await busy(world, 2, '1');
    await autoscale(world, [utilization(50)], { maxReplicas: 3 });
    await world.look('as many as may be');
  },

  'an average value of memory': async (world) => {
    const names = await busy(world, 2, '10m');
    await use(world, names, { c: { cpu: '10m', memory: '96Mi' } });
    await autoscale(world, [average('48Mi', 'memory')]);
    await world.look('scaled up');
  },

  'an average value of CPU with a fraction': async (world) => {
    await busy(world, 3, '100500u');
    await autoscale(world, [average('100m', 'cpu')]);
    await world.look('left alone');
  },

  'one container of several': async (world) => {
    await define(world, PodMetrics);
    await deploy(world, 1);
    const spec = podSpec();
    const sidecar = { name: 'proxy', image: 'i', resources: { requests: { cpu: '50m' } } };
    await makePods(world, { name: 'web-0', spec: { containers: [...spec.containers, sidecar] } });
    await use(world, ['web-0'], { c: { cpu: '10m' }, proxy: { cpu: '100m' } });
    await autoscale(world, [ofContainer('proxy', 100)]);
    await world.look('scaled up');
    await autoscale(world, [ofContainer('absent', 100)], { name: 'other' });
    await world.look('another');
  },

  'pods that are not ready yet do not count': async (world) => {
    await define(world, PodMetrics);
    await deploy(world, 4);
    await makePods(world, 'web-0', 'web-1');
    await makePods(world, { name: 'web-2', status: starting(world) }, { name: 'web-3', status: { phase: 'Pending' } });
    await use(world, ['web-0', 'web-1', 'web-2'], '150m');
    await autoscale(world, [utilization(50)]);
    await world.look('a little');
  },

  'pods that were not measured': async (world) => {
    const names = await busy(world, 3, '10m');
    await world.of(PodMetrics).delete(names[2] ?? '');
    await world.of(PodMetrics).delete(names[1] ?? '');
    await autoscale(world, [utilization(100)]);
    await world.look('cautious');
    await world.pass(40);
    await world.look('after a while');
  },

  'pods that end or fail do not count': async (world) => {
    const names = await busy(world, 3, '10m');
    await use(world, names.slice(0, 1), '200m');
    await world.of(Pod).status.patch('web-2', mergePatch({ status: { phase: 'Failed' } }));
    await world.of(Pod).patch('web-1', mergePatch({ metadata: { finalizers: ['example.dev/stay'] } }));
    await world.of(Pod).delete('web-1', { gracePeriodSeconds: 0 });
    await autoscale(world, [utilization(50)]);
    await world.look('one counts');
  },

  'pods that do not say what they need': async (world) => {
    await define(world, PodMetrics);
    await deploy(world, 1);
    await makePods(world, { name: 'web-0', spec: podSpec({ memory: '1Mi' }) });
    await use(world, ['web-0'], '100m');
    await autoscale(world, [utilization(50)]);
    await world.look('cannot tell');
  },

  'what the pod as a whole asks for': async (world) => {
    await define(world, PodMetrics);
    await deploy(world, 1);
    const spec = { ...podSpec({}), resources: { requests: { cpu: '100m' }, limits: { cpu: '1' } } };
    await makePods(world, { name: 'web-0', spec });
    await use(world, ['web-0'], '100m');
    await autoscale(world, [utilization(50)]);
    await world.look('scaled up');
  },

  'nothing was measured, and then it is': async (world) => {
    await define(world, PodMetrics);
    await deploy(world, 2);
    await makePods(world, 'web-0', 'web-1');
    await autoscale(world, [utilization(50)]);
    await world.look('no metrics');
    await use(world, ['web-0', 'web-1'], '100m');
    await world.pass(8);
    await world.look('metrics');
  },

  'there are no pods': async (world) => {
    await define(world, PodMetrics);
    await deploy(world, 2);
    await use(world, ['web-0'], '100m');
    await autoscale(world, [utilization(50)]);
    await world.look('no pods');
  },
};

/**
 * Scenarios of the horizontal pod autoscaler. No other controller runs: the scenarios create pods and metrics
 * themselves.
 */
export const topic: ScenarioTopic = {
  controllers: ['horizontal-pod-autoscaler-controller'],
  flags: ['--horizontal-pod-autoscaler-sync-period=2s', '--horizontal-pod-autoscaler-downscale-stabilization=30s'],
  seen: [see(HorizontalPodAutoscaler), see(Deployment, ({ spec }) => spec?.replicas)],
  masks: [[/HPAs: \[.*?\]/g, 'HPAs: […]']],
  scenarios: { ...resourceScenarios, ...metricScenarios, ...targetScenarios, ...behaviorScenarios },
};
