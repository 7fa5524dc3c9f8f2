import { expect, test } from 'vitest';
import { REVISION } from './annotations.ts';
import { setsToCleanUp } from './cleanup.ts';
import { set, type SetFacts, view } from './testing/samples.ts';

function old(revision: number, replicas = 0, facts: SetFacts = {}): ReturnType<typeof set> {
  return set(`r${revision}`, replicas, { annotations: { [REVISION]: String(revision) }, ...facts });
}

function names(limit: number, sets: readonly ReturnType<typeof set>[]): string[] {
  const deployment = view({ spec: { revisionHistoryLimit: limit } });
  return setsToCleanUp(deployment, sets).map(({ metadata }) => metadata.name);
}

test('the lowest revisions beyond the limit are deleted', () => {
  expect(names(2, [old(10), old(2), old(3), old(9)])).toEqual(['r2', 'r3']);
  expect(names(4, [old(10), old(2), old(3), old(9)])).toEqual([]);
  expect(names(0, [old(1)])).toEqual(['r1']);
  expect(names(2 ** 31 - 1, [old(1)])).toEqual([]);
});

test('a ReplicaSet that has or may have pods stays', () => {
  const status = { observedGeneration: 0 };
  expect(names(0, [old(1, 1), old(2, 0, { status: { replicas: 1 } }), old(3, 0, { status })])).toEqual([]);
});

test('a ReplicaSet that is being deleted already does not count', () => {
  expect(names(1, [old(1, 0, { isDeleted: true }), old(2)])).toEqual([]);
});
