import { Deployment } from '../../../client/index.ts';
import type { ScenarioTopic, ScenarioWorld } from '../../testing/scenarios/index.ts';
import { autoscale, utilization } from './autoscalers.ts';
import { define, Gadget, PodMetrics, Stone } from './metric-kinds.ts';
import { deploy, makePods, use } from './pods.ts';

/** Seconds until the real controller has discovered a new kind. */
const DISCOVERED = 40;

async function gadget(world: ScenarioWorld, scale: object): Promise<void> {
  await define(world, PodMetrics);
  await define(world, Gadget, {
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.spec.selector',
    },
  });
  await world.pass(DISCOVERED);
  await world.of(Gadget).create({ metadata: { name: 'web' }, spec: { replicas: 1, ...scale } });
  await makePods(world, 'web-0');
  await use(world, ['web-0'], '150m');
  await autoscale(world, [utilization(50)], {
    scaleTargetRef: { apiVersion: 'example.dev/v1', kind: 'Gadget', name: 'web' },
  });
  const { spec } = await world.of(Gadget).get('web');
  world.note('the gadget', spec);
}

export const targetScenarios: ScenarioTopic['scenarios'] = {
  'more replicas than may be': async (world) => {
    await define(world, PodMetrics);
    await deploy(world, 12);
    await autoscale(world, [utilization(50)], { maxReplicas: 5 });
    await world.look('as many as may be');
  },

  'fewer replicas than must be': async (world) => {
    await define(world, PodMetrics);
    await deploy(world, 1);
    await makePods(world, 'web-0');
    await use(world, ['web-0'], '150m');
    await autoscale(world, [utilization(150)], { minReplicas: 3 });
    await world.look('as many as must be');
  },

  'a target that somebody has scaled to zero': async (world) => {
    await define(world, PodMetrics);
    await deploy(world, 0);
    await autoscale(world, [utilization(50)]);
    await world.look('off');
    await world.change(Deployment, 'web', { spec: { replicas: 12 } });
    await world.pass(5);
    await world.look('on');
  },

  'a target that is not there, and then is': async (world) => {
    await define(world, PodMetrics);
    await autoscale(world, [utilization(50)]);
    await world.look('not there');
    await deploy(world, 12);
    await world.pass(5);
    await world.look('there');
  },

  'a target of an unknown kind': async (world) => {
    const scaleTargetRef = { apiVersion: 'example.dev/v1', kind: 'Nothing', name: 'web' };
    await autoscale(world, [utilization(50)], { scaleTargetRef });
    await world.look('unknown');
  },

  'a target that cannot be scaled': async (world) => {
    await define(world, Stone);
    await world.pass(DISCOVERED);
    await world.of(Stone).create({ metadata: { name: 'web' } });
    await autoscale(world, [utilization(50)], {
      scaleTargetRef: { apiVersion: 'example.dev/v1', kind: 'Stone', name: 'web' },
    });
    await world.look('cannot');
  },

  "a target of one's own kind": async (world) => {
    await gadget(world, { selector: 'app=web' });
    await world.look('scaled up');
  },

  "a target of one's own kind without a selector": async (world) => {
    await gadget(world, {});
    await world.look('whose pods?');
  },

  "a target of one's own kind with a bad selector": async (world) => {
    await gadget(world, { selector: 'app in web' });
    await world.look('whose pods?');
  },

  'two autoscalers of the same pods': async (world) => {
    await define(world, PodMetrics);
    await deploy(world, 1);
    await makePods(world, 'web-0');
    await use(world, ['web-0'], '50m');
    await autoscale(world, [utilization(50)]);
    await autoscale(world, [utilization(50)], { name: 'other' });
    await world.pass(5);
    await world.look('neither');
  },
};
