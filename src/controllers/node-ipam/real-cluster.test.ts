import { describe, expect, test } from 'vitest';
import { playWith, recordedLooks } from '../testing/scenarios/index.ts';
import { nodeIpamController } from './node-ipam-controller.ts';
import { topic } from './testing/scenarios.ts';

const options = { clusterCidrs: ['10.244.0.0/22'], serviceCidrs: ['10.96.0.0/16'] };
const recorded = recordedLooks(new URL('testdata/real-cluster.json', import.meta.url));

describe('objects and events come out as on a real cluster', () => {
  test.each(Object.keys(topic.scenarios))('%s', async (name) => {
    expect(await playWith([nodeIpamController(options)], topic, name)).toEqual(recorded[name]);
  });
});
