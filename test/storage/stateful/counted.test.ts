import assert from 'node:assert/strict';
import { test } from 'vitest';
import { missingNumbers } from './counted.ts';

test('numbers from 1 on are complete', () => {
  assert.equal(missingNumbers('1\n2\n3\n'), undefined);
});

test.each([
  ['1\n3\n', 'line 2 of 2 is "3"'],
  ['1\n2\n2\n', 'line 3 of 3 is "2"'],
  ['', 'line 1 of 1 is ""'],
])('a gap, a repetition and an empty volume are found in %j', (text, problem) => {
  assert.equal(missingNumbers(text), problem);
});
