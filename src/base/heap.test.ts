import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heap } from './heap.ts';

test('pop() returns the items that were pushed and not removed, smallest first', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer(), fc.boolean()), { maxLength: 200, size: 'max' }), (pushes) => {
      const heap = new Heap<number>((left, right) => left < right);
      const entries = pushes.map(([item, isKept]) => ({ entry: heap.push(item), isKept }));
      for (const { entry, isKept } of entries) if (!isKept) expect(heap.remove(entry)).toBe(true);

      const popped: number[] = [];
      while (heap.size > 0) popped.push(heap.pop() as number);

      const kept = pushes.filter(([, isKept]) => isKept).map(([item]) => item);
      expect(popped).toEqual(kept.sort((left, right) => left - right));
    }),
  );
});

test('remove() returns false for an entry that was already popped or removed', () => {
  const heap = new Heap<number>((left, right) => left < right);
  const popped = heap.push(1);
  const removed = heap.push(2);
  heap.pop();

  expect(heap.remove(popped)).toBe(false);
  expect(heap.remove(removed)).toBe(true);
  expect(heap.remove(removed)).toBe(false);
  expect(heap.pop()).toBeUndefined();
});
