import { expect, test } from 'vitest';
import { describeError } from './error-text.ts';

test('an error is told with its causes, and what it has told itself not twice', () => {
  const refused = new Error('connect ECONNREFUSED');
  const told = new Error('Cannot connect: connect ECONNREFUSED', { cause: refused });

  expect(describeError(told)).toBe('Cannot connect: connect ECONNREFUSED');
  expect(describeError(new Error('no kinds', { cause: told }))).toBe('no kinds: Cannot connect: connect ECONNREFUSED');
  expect(describeError(new Error('', { cause: 'text' }))).toBe('Error');
  expect(describeError('text')).toBe('text');
});
