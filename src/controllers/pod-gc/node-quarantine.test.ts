import { expect, test } from 'vitest';
import { NodeQuarantine } from './node-quarantine.ts';

test('the time of a node starts when it is first missed and ends once', () => {
  const quarantine = new NodeQuarantine({ periodMs: 40 });
  quarantine.add('a', 0);
  quarantine.add('b', 20);
  quarantine.add('a', 20);

  expect(quarantine.nextDueMs).toBe(40);
  expect(quarantine.release(39)).toEqual([]);
  expect(quarantine.release(40)).toEqual(['a']);
  expect(quarantine.release(100)).toEqual(['b']);
  expect(quarantine.nextDueMs).toBeUndefined();
});
