import { describe, expect, test } from 'vitest';
import { playWith, recordedLooks } from '../testing/scenarios/index.ts';
import { endpointSliceController } from './endpoint-slice-controller.ts';
import { topic } from './testing/scenarios.ts';

const recorded = recordedLooks(new URL('testdata/real-cluster.json', import.meta.url));

describe('endpoints serve zones as on a real cluster', () => {
  test.each(Object.keys(topic.scenarios))('%s', async (name) => {
    expect(await playWith([endpointSliceController()], topic, name)).toEqual(recorded[name]);
  });
});
