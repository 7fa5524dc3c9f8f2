import { expect, test } from 'vitest';
import { unreachable } from './unreachable.ts';

test('unreachable() throws and names the value that the types said could not be', () => {
  expect(() => unreachable('sideways' as never)).toThrow('Unreachable: "sideways"');
});
