import { expect, test } from 'vitest';
import { AbsentOwners } from './absent-owners.ts';
import type { ObjectReference } from './object-reference.ts';

function owner(name: string, namespace = 'default'): ObjectReference {
  return { apiVersion: 'v1', kind: 'Thing', namespace, name, uid: `uid-of-${name}` };
}

test('the least recently used owner is dropped first', () => {
  const absent = new AbsentOwners(2);
  absent.add(owner('a'));
  absent.add(owner('b'));
  expect(absent.has(owner('a'))).toBe(true);

  absent.add(owner('c'));

  expect([owner('a'), owner('b'), owner('c')].map((each) => absent.has(each))).toEqual([true, false, true]);
});

test('the same uid at another reference is a different owner', () => {
  const absent = new AbsentOwners();
  absent.add(owner('a', 'here'));

  expect(absent.has(owner('a', 'there'))).toBe(false);
});
