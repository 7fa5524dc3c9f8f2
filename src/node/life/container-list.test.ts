import { expect, test } from 'vitest';
import { containerListOf } from './container-list.ts';

test('names the list of the specification that a container is in', () => {
  const metadata = { name: 'web', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  const pod = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata,
    spec: { containers: [{ name: 'main' }], initContainers: [{ name: 'setup' }] },
  } as const;
  expect(['main', 'setup', 'debugger'].map((name) => containerListOf(pod, name))).toEqual([
    'containers',
    'initContainers',
    'ephemeralContainers',
  ]);
});
