import { expect, test } from 'vitest';
import { Slice } from './slice.ts';
import { Turns } from './turns.ts';

test('a slice ends after some milliseconds, and the next one starts after other work had a turn', async () => {
  let nowMs = 0;
  const slice = new Slice(new Turns(), { monotonic: () => nowMs });
  nowMs = 5;
  expect(slice.isOver).toBe(false);
  nowMs = 6;
  expect(slice.isOver).toBe(true);

  let hadTurn = false;
  setImmediate(() => (hadTurn = true));
  await slice.next();
  expect([hadTurn, slice.isOver]).toEqual([true, false]);
});
