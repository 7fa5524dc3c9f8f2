import { expect, test } from 'vitest';
import { isMailAddress } from './mail-address.ts';

test.each([
  ['a@b.c', true],
  ['Ann <a@b.c>', true],
  ['"Ann B." <a@b.c> (friend)', true],
  ['a@b.c, d@e.f', false],
  ['group: a@b.c;', true],
  ['group: a@b.c; (comment)', true],
  ['group:;', false],
  ['group: a@b.c, d@e.f;', false],
  ['group: a@b.c', false],
  ['group: other: a@b.c;;', false],
])('%s is one address: %s', (text, isOne) => {
  expect(isMailAddress(text)).toBe(isOne);
});
