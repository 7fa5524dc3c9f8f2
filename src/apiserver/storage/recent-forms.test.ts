import { expect, test } from 'vitest';
import { RecentForms } from './recent-forms.ts';

interface Made {
  readonly bytes: number;
  readonly index: number;
}

/** Records, by number, which objects had to forget their forms, and the callbacks for forms that are made again. */
function recentForms(): { recent: RecentForms<Made>; forgotten: number[]; remade: ((stored: Made) => void)[] } {
  const forgotten: number[] = [];
  const remade: ((stored: Made) => void)[] = [];
  const recent = new RecentForms<Made>({
    maxCount: 256,
    maxBytes: 8 * 1024 * 1024,
    forget: ({ index }, again) => {
      forgotten.push(index);
      remade[index] = again;
    },
  });
  return { recent, forgotten, remade };
}

/** Adds `count` objects of `bytes` each; returns those that had to forget their forms. */
function forgottenOf(count: number, bytes: number): readonly number[] {
  const { recent, forgotten } = recentForms();
  for (let index = 0; index < count; index++) recent.add({ bytes, index });
  return forgotten;
}

test('the forms of the newest few hundred are kept', () => {
  expect(forgottenOf(255, 100)).toEqual([]);
  expect(forgottenOf(600, 100)).toEqual(Array.from({ length: 345 }, (_unused, index) => index));
});

test('an object whose forms are made again is kept again', () => {
  const { recent, forgotten, remade } = recentForms();
  const first: Made = { bytes: 1, index: 0 };
  const others = (): void => {
    for (let count = 0; count < 300; count++) recent.add({ bytes: 1, index: 1 });
  };
  const times = (): number => forgotten.filter((index) => index === 0).length;
  recent.add(first);
  others();
  expect(times()).toBe(1);

  remade[0]?.(first);
  others();
  expect(times()).toBe(2);
});

test('fewer are kept when they are large, and the newest is always kept', () => {
  expect(forgottenOf(10, 2 * 1024 * 1024)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(forgottenOf(3, 20 * 1024 * 1024)).toEqual([0, 1]);
});

test('a removed object no longer counts', () => {
  const { recent, forgotten } = recentForms();
  const all = Array.from({ length: 255 }, (_made, index): Made => ({ bytes: 100, index }));
  for (const made of all) recent.add(made);
  for (const index of [0, 100, 254]) recent.remove(all[index] as Made);
  for (let index = 300; index < 304; index++) recent.add({ bytes: 100, index });

  expect(forgotten).toEqual([1]);
});
