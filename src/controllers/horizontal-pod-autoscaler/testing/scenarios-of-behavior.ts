import type { HorizontalPodAutoscalerBehavior } from '../../../api/types/autoscaling/v2.d.ts';
import type { ScenarioTopic, ScenarioWorld } from '../../testing/scenarios/index.ts';
import { autoscale, external, value } from './autoscalers.ts';
import { define, QueueLength } from './metric-kinds.ts';
import { deploy, makePods } from './pods.ts';

/** Scales by the length of a queue, with a target of ten per pod. */
async function behave(
  world: ScenarioWorld,
  { replicas, length }: { readonly replicas: number; readonly length: string },
  behavior: HorizontalPodAutoscalerBehavior,
): Promise<void> {
  await define(world, QueueLength);
  await deploy(world, replicas);
  await makePods(world, 'web-0', 'web-1');
  const measured = { metricName: 'queue-length', timestamp: world.now(), value: length };
  await world.of(QueueLength).create({ metadata: { name: 'a' }, ...measured });
  await autoscale(world, [external(value('10'))], { maxReplicas: 20, behavior });
}

const LONG = 1800;

export const behaviorScenarios: ScenarioTopic['scenarios'] = {
  'so many pods at once': async (world) => {
    await behave(
      world,
      { replicas: 2, length: '80' },
      {
        scaleUp: { policies: [{ type: 'Pods', value: 3, periodSeconds: LONG }] },
      },
    );
    await world.look('three more');
  },

  'so much at once, or so many': async (world) => {
    await behave(
      world,
      { replicas: 5, length: '80' },
      {
        scaleUp: {
          policies: [
            { type: 'Pods', value: 1, periodSeconds: LONG },
            { type: 'Percent', value: 30, periodSeconds: LONG },
          ],
        },
      },
    );
    await world.look('two more');
  },

  'the least of what is allowed': async (world) => {
    await behave(
      world,
      { replicas: 5, length: '80' },
      {
        scaleUp: {
          selectPolicy: 'Min',
          policies: [
            { type: 'Pods', value: 1, periodSeconds: LONG },
            { type: 'Percent', value: 30, periodSeconds: LONG },
          ],
        },
      },
    );
    await world.look('one more');
  },

  'never up': async (world) => {
    await behave(world, { replicas: 2, length: '80' }, { scaleUp: { selectPolicy: 'Disabled' } });
    await world.look('as it was');
  },

  'up only when it stays so': async (world) => {
    await behave(world, { replicas: 2, length: '80' }, { scaleUp: { stabilizationWindowSeconds: 40 } });
    await world.look('not yet');
    await world.pass(45);
    await world.look('now');
  },

  'down at once': async (world) => {
    await behave(world, { replicas: 10, length: '10' }, { scaleDown: { stabilizationWindowSeconds: 0 } });
    await world.look('as many as needed');
  },

  'down a little at a time': async (world) => {
    await behave(
      world,
      { replicas: 10, length: '10' },
      {
        scaleDown: { stabilizationWindowSeconds: 0, policies: [{ type: 'Percent', value: 25, periodSeconds: LONG }] },
      },
    );
    await world.look('three fewer');
  },

  'down after a while, as everything else says': async (world) => {
    await behave(
      world,
      { replicas: 10, length: '10' },
      { scaleDown: { policies: [{ type: 'Pods', value: 4, periodSeconds: LONG }] } },
    );
    await world.look('not yet');
    await world.pass(40);
    await world.look('four fewer');
  },

  'never down': async (world) => {
    await behave(
      world,
      { replicas: 10, length: '10' },
      {
        scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: 'Disabled' },
      },
    );
    await world.look('as it was');
  },

  'a tolerance of its own': async (world) => {
    await behave(world, { replicas: 2, length: '14' }, { scaleUp: { tolerance: '500m' } });
    await world.look('tolerated');
  },

  'no tolerance at all': async (world) => {
    await behave(world, { replicas: 2, length: '10500m' }, { scaleUp: { tolerance: '0' } });
    await world.look('one more');
  },
};
