import { describe, expect, test } from 'vitest';
import { FrameCache } from './frame-cache.ts';
import { resourceOf, stored } from './testing/answer-fixture.ts';

const configMaps = resourceOf({ kind: 'ConfigMap' });

function configMap(revision: number): ReturnType<typeof stored> {
  return stored({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: String(revision) } }, configMaps);
}

describe('FrameCache', () => {
  test('finds a frame by object and name', () => {
    const cache = new FrameCache({ maxBytes: 100 });
    const object = configMap(1);
    const frame = new Uint8Array(10);
    cache.add(object, 'ADDED json', frame);

    expect(cache.find(object, 'ADDED json')).toBe(frame);
    expect(cache.find(object, 'MODIFIED json')).toBeUndefined();
    expect(cache.find(configMap(1), 'ADDED json')).toBeUndefined();
  });

  test('forgets the oldest object when it is full', () => {
    const cache = new FrameCache({ maxBytes: 100 });
    const objects = [1, 2, 3].map(configMap);
    for (const object of objects) {
      cache.add(object, 'a', new Uint8Array(20));
      cache.add(object, 'b', new Uint8Array(20));
    }

    expect(objects.map((object) => cache.find(object, 'a') !== undefined)).toEqual([false, true, true]);
  });
});
