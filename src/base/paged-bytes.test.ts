import { expect, test } from 'vitest';
import { pagedBytes, plainBytes } from './paged-bytes.ts';

test.each([0, 1, 32_767, 32_768, 100_000])(
  '%d characters are encoded as UTF-8, in paged and in plain memory',
  (length) => {
    const text = 'é'.repeat(length);
    expect(Buffer.from(text).equals(pagedBytes(text))).toBe(true);
  },
);

test('only large texts get their own memory pages', () => {
  const isPaged = (length: number): boolean => (pagedBytes('x'.repeat(length)).buffer as ArrayBuffer).resizable;
  expect([isPaged(32_767), isPaged(32_768)]).toEqual([false, true]);
});

test('plainBytes() copies paged bytes and returns plain ones as they are', () => {
  const paged = pagedBytes('x'.repeat(40_000));
  const plain = plainBytes(paged);
  expect((plain.buffer as ArrayBuffer).resizable).toBe(false);
  expect(Buffer.compare(plain, paged)).toBe(0);
  expect(plainBytes(plain)).toBe(plain);
});
