import { expect, test } from 'vitest';
import { withMembers } from './with-members.ts';

test('a copy has the members of both, in the order of their first appearance', () => {
  const object = Object.freeze({ a: 1, b: 2 });

  const copy = withMembers(object, { c: 3, a: 4 });

  expect(Object.entries(copy)).toEqual([
    ['a', 4],
    ['b', 2],
    ['c', 3],
  ]);
  expect(object).toEqual({ a: 1, b: 2 });
});
