import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareCodePoints, compareUtf8, ordersNatively } from './utf8-order.ts';

/** Characters on both sides of every boundary where UTF-8 and UTF-16 may differ. */
const edgy = fc.string({
  unit: fc.constantFrom(
    'a',
    '/',
    '\u007f',
    '\u0080',
    'é',
    '\u07ff',
    '\u0800',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '😀',
    '\u{10ffff}',
  ),
  maxLength: 5,
});

function byBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

describe('compareUtf8()', () => {
  test('orders as the bytes of UTF-8 do', () => {
    fc.assert(
      fc.property(edgy, edgy, (left, right) => {
        expect(Math.sign(compareUtf8(left, right))).toBe(byBytes(left, right));
        expect(Math.sign(compareCodePoints(left, right))).toBe(byBytes(left, right));
      }),
      { numRuns: 2000 },
    );
  });

  test('puts U+FFFF before U+10000, where plain < does not', () => {
    const keys = ['\u{10000}', '\uffff'];

    expect([...keys].sort()).toEqual(['\u{10000}', '\uffff']);
    expect([...keys].sort(compareUtf8)).toEqual(['\uffff', '\u{10000}']);
  });
});

test('ordersNatively() is true only where < is right against any other key', () => {
  fc.assert(
    fc.property(edgy, edgy, (left, right) => {
      fc.pre(ordersNatively(left));
      expect(left < right).toBe(byBytes(left, right) < 0);
      expect(right < left).toBe(byBytes(right, left) < 0);
    }),
    { numRuns: 2000 },
  );
});
