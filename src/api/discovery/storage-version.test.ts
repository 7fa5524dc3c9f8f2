import { expect, test } from 'vitest';
import { storageVersionHash, storageVersionOf } from './storage-version.ts';

test('storageVersionHash() is what kube-apiserver computes', () => {
  expect(storageVersionHash({ group: '', version: 'v1' }, 'Pod')).toBe('xPOwRZ+Yhw8=');
  expect(storageVersionHash({ group: 'apps', version: 'v1' }, 'DaemonSet')).toBe('dd7pWHUlMKQ=');
});

test('one resource has one storage version, whatever version it is served in', () => {
  const plural = 'horizontalpodautoscalers';
  expect(storageVersionOf({ group: 'autoscaling', version: 'v1', plural })).toEqual({
    group: 'autoscaling',
    version: 'v2',
  });
  expect(storageVersionOf({ group: 'autoscaling', version: 'v2', plural })).toEqual({
    group: 'autoscaling',
    version: 'v2',
  });
});

test('events of both groups are stored in the core group', () => {
  expect(storageVersionOf({ group: 'events.k8s.io', version: 'v1', plural: 'events' })).toEqual({
    group: '',
    version: 'v1',
  });
});
