import { describe, expect, test } from 'vitest';
import { CryptoRandom, type Random, SeededRandom } from './random.ts';

import * as fc from 'fast-check';

function describeRandom(name: string, open: () => Random): void {
  describe(`${name} keeps the Random contract`, () => {
    test('float() is at least 0, below 1 and spreads over the range', () => {
      const random = open();
      const draws = Array.from({ length: 10_000 }, () => random.float());

      expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true);
      for (let tenth = 0; tenth < 10; tenth++) {
        const hits = draws.filter((draw) => Math.floor(draw * 10) === tenth).length;
        expect(hits).toBeGreaterThan(800);
        expect(hits).toBeLessThan(1200);
      }
    });

    test('int() reaches every number below its bound and no other', () => {
      const random = open();
      const draws = new Set(Array.from({ length: 2000 }, () => random.int(27)));

      expect([...draws].sort((left, right) => left - right)).toEqual(Array.from({ length: 27 }, (_, index) => index));
    });

    test('int() is uniform where the bound does not divide 2 to the power of 32', () => {
      const random = open();
      const draws = Array.from({ length: 9000 }, () => random.int(3 * 2 ** 30));

      for (let third = 0; third < 3; third++) {
        const hits = draws.filter((draw) => Math.floor(draw / 2 ** 30) === third).length;
        expect(hits).toBeGreaterThan(2700);
        expect(hits).toBeLessThan(3300);
      }
    });

    test('int() stays below bounds of any size', () => {
      const random = open();
      fc.assert(
        fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (bound) => {
          const draw = random.int(bound);
          expect(Number.isInteger(draw) && draw >= 0 && draw < bound).toBe(true);
        }),
      );
    });

    test.each([0, -1, 1.5, NaN, Infinity])('int() refuses the bound %d', (bound) => {
      expect(() => open().int(bound)).toThrow('the bound must be an integer >= 1');
    });

    test.each([0, 1, 3, 4, 7, 1000, 5000])('bytes() gives %d bytes', (count) => {
      const bytes = open().bytes(count);
      expect(bytes.length).toBe(count);
      if (count >= 1000) expect(new Set(bytes).size).toBeGreaterThan(200);
    });

    test('nameSuffix() uses the letters and digits that Kubernetes uses', () => {
      const random = open();
      const suffixes = Array.from({ length: 1000 }, () => random.nameSuffix(5));

      expect(suffixes.every((suffix) => suffix.length === 5)).toBe(true);
      expect([...new Set(suffixes.join(''))].sort().join('')).toBe('2456789bcdfghjklmnpqrstvwxz');
    });
  });
}

describeRandom('CryptoRandom', () => new CryptoRandom());
describeRandom('SeededRandom', () => new SeededRandom('keelson'));

function draw(seed: number | string): string {
  const random = new SeededRandom(seed);
  return `${random.nameSuffix(20)} ${random.float()} ${random.int(1000)}`;
}

test('SeededRandom repeats itself for the same seed and differs for another', () => {
  expect(draw(7)).toBe(draw(7));
  expect(draw(7)).not.toBe(draw(8));
  expect(draw('7')).toBe(draw(7));
});

test('SeededRandom yields the same numbers in every release, so recorded runs can be replayed', () => {
  const random = new SeededRandom(42);
  expect([random.nameSuffix(5), random.nameSuffix(5), random.int(1_000_000)]).toMatchInlineSnapshot(`
    [
      "w2z8g",
      "z9v72",
      466560,
    ]
  `);
});

test('CryptoRandom gives different draws each time', () => {
  expect(new CryptoRandom().nameSuffix(20)).not.toBe(new CryptoRandom().nameSuffix(20));
});
