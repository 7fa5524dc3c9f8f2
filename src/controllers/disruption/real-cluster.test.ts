import { describe, expect, test } from 'vitest';
import { replicaSetController } from '../replicaset/index.ts';
import { playWith, recordedLooks } from '../testing/scenarios/index.ts';
import { disruptionController } from './disruption-controller.ts';
import { topic } from './testing/scenarios.ts';

const recorded = recordedLooks(new URL('testdata/real-cluster.json', import.meta.url));
const parts = [disruptionController(), replicaSetController()];

describe('objects and events come out as on a real cluster', () => {
  test.each(Object.keys(topic.scenarios))('%s', async (name) => {
    expect(await playWith(parts, topic, name)).toEqual(recorded[name]);
  });
});
