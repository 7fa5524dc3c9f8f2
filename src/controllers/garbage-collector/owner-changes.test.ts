import { expect, test } from 'vitest';
import type { Owner } from './graph-node.ts';
import { ownerChanges, unblockedOwners } from './owner-changes.ts';

function owner(uid: string, blockOwnerDeletion?: boolean): Owner {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    name: uid,
    uid,
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  };
}

test('owners are identified by uid', () => {
  const changes = ownerChanges([owner('a'), owner('b', true)], [owner('b', false), owner('c')]);

  expect(changes).toEqual({
    added: [owner('c')],
    removed: [owner('a')],
    changed: [{ old: owner('b', true), now: owner('b', false) }],
  });
});

test('an owner is released by losing its reference, or the blocking in it', () => {
  const old = [owner('a', true), owner('b', true), owner('c', true), owner('d')];
  const now = [owner('b', true), owner('c')];

  expect(unblockedOwners(ownerChanges(old, now))).toEqual(['a', 'c']);
});
