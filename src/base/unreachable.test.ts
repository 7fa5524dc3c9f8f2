import { expect, test } from 'vitest';
import { unreachable } from './unreachable.ts';

test('unreachable() throws and names the value that the types excluded', () => {
  expect(() => unreachable('sideways' as never)).toThrow('Unreachable: "sideways"');
});
