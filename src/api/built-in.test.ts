import { expect, test } from 'vitest';
import { builtInTypes } from './built-in.ts';

test('the types of a version of Kubernetes are unpacked once, however many messages quote values of them', () => {
  expect(builtInTypes()).toBe(builtInTypes('1.36'));
  expect(builtInTypes('1.34')).toBe(builtInTypes('1.34'));
  expect(builtInTypes('1.34')).not.toBe(builtInTypes());
});
