import { describe, expect, test } from 'vitest';
import { playWith, recordedLooks } from '../testing/scenarios/index.ts';
import { persistentVolumeBinder } from './persistent-volume-binder.ts';
import { topic } from './testing/scenarios.ts';

const recorded = recordedLooks(new URL('testdata/real-cluster.json', import.meta.url));
/** As when recorded. */
const claimBinderSyncPeriod = 2 * 60 * 60 * 1000;

describe('objects and events come out as on a real cluster', () => {
  test.each(Object.keys(topic.scenarios))('%s', async (name) => {
    expect(await playWith([persistentVolumeBinder({ claimBinderSyncPeriod })], topic, name)).toEqual(recorded[name]);
  });
});
