import { expect, test } from 'vitest';
import { describeError } from './error-text.ts';

test('a description includes the causes of an error, without repeating text that a message already contains', () => {
  const refused = new Error('connect ECONNREFUSED');
  const outer = new Error('Cannot connect: connect ECONNREFUSED', { cause: refused });

  expect(describeError(outer)).toBe('Cannot connect: connect ECONNREFUSED');
  expect(describeError(new Error('no kinds', { cause: outer }))).toBe('no kinds: Cannot connect: connect ECONNREFUSED');
  expect(describeError(new Error('', { cause: 'text' }))).toBe('Error');
  expect(describeError('text')).toBe('text');
});
