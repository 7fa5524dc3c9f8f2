import { describe, expect, test } from 'vitest';
import { playWith, recordedLooks } from '../testing/scenarios/index.ts';
import { attachDetachController } from './attach-detach-controller.ts';
import { topic } from './testing/scenarios.ts';

const recorded = recordedLooks(new URL('testdata/real-cluster.json', import.meta.url));

describe('objects and events come out as on a real cluster', () => {
  test.each(Object.keys(topic.scenarios))('%s', async (name) => {
    expect(await playWith([attachDetachController()], topic, name)).toEqual(recorded[name]);
  });
});
