import { describe, expect, test } from 'vitest';
import { replicaSetController } from '../replicaset/index.ts';
import { replicationControllerController } from '../replication-controller.ts';
import { playWith, recordedLooks } from '../testing/scenarios/index.ts';
import { deploymentController } from './deployment-controller.ts';
import { topic } from './testing/scenarios.ts';

const recorded = recordedLooks(new URL('testdata/real-cluster.json', import.meta.url));
const parts = [deploymentController(), replicaSetController(), replicationControllerController()];

describe('objects and events come out as on a real cluster', () => {
  test.each(Object.keys(topic.scenarios))('%s', async (name) => {
    expect(await playWith(parts, topic, name)).toEqual(recorded[name]);
  });
});
