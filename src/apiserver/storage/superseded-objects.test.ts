import { expect, test } from 'vitest';
import { SupersededObjects } from './superseded-objects.ts';

/** Adds revisions of that many bytes each; answers which were told to forget. */
function forgottenOf(count: number, bytes: number): readonly number[] {
  const superseded = new SupersededObjects();
  const forgotten: number[] = [];
  for (let index = 0; index < count; index++) superseded.add({ bytes, forget: () => void forgotten.push(index) });
  return forgotten;
}

test('the newest few hundred past revisions are kept', () => {
  expect(forgottenOf(255, 100)).toEqual([]);
  expect(forgottenOf(600, 100)).toEqual(Array.from({ length: 345 }, (_unused, index) => index));
});

test('one that is looked at again is kept again', () => {
  const superseded = new SupersededObjects();
  let again: (() => void) | undefined;
  let times = 0;
  const first: Parameters<SupersededObjects['add']>[0] = {
    bytes: 1,
    forget(remade) {
      times += 1;
      again = () => remade(first);
    },
  };
  const others = (): void => {
    for (let index = 0; index < 300; index++) superseded.add({ bytes: 1, forget: () => undefined });
  };
  superseded.add(first);
  others();
  expect(times).toBe(1);

  again?.();
  others();
  expect(times).toBe(2);
});

test('fewer are kept when they are large, and the newest always is', () => {
  expect(forgottenOf(10, 2 * 1024 * 1024)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(forgottenOf(3, 20 * 1024 * 1024)).toEqual([0, 1]);
});
