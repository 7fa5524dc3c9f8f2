import { describe, expect, test } from 'vitest';
import { playWith, recordedLooks } from '../testing/scenarios/index.ts';
import { horizontalPodAutoscalerController } from './horizontal-pod-autoscaler-controller.ts';
import { topic } from './testing/scenarios.ts';

const recorded = recordedLooks(new URL('testdata/real-cluster.json', import.meta.url));
/** As the topic's flags have it. */
const SETTINGS = { autoscalerSyncPeriod: 2000, downscaleStabilization: 30_000 };

describe('objects and events come out as on a real cluster', () => {
  test.each(Object.keys(topic.scenarios))('%s', async (name) => {
    expect(await playWith([horizontalPodAutoscalerController(SETTINGS)], topic, name)).toEqual(recorded[name]);
  });
});
