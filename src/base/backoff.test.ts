import { describe, expect, test } from 'vitest';
import { Backoff } from './backoff.ts';
import { SeededRandom } from './random.ts';

import * as fc from 'fast-check';

const random = new SeededRandom('backoff');

describe('Backoff', () => {
  test('grows by its factor up to the cap, and starts again after reset()', () => {
    const backoff = new Backoff({ initialMs: 100, factor: 2, capMs: 500 }, random);

    expect([backoff.nextMs(), backoff.nextMs(), backoff.nextMs(), backoff.nextMs(), backoff.nextMs()]).toEqual([
      100, 200, 400, 500, 500,
    ]);
    expect(backoff.attempts).toBe(5);
    backoff.reset();
    expect(backoff.attempts).toBe(0);
    expect(backoff.nextMs()).toBe(100);
  });

  test('jitter adds at most its share of the delay', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2, noNaN: true }), fc.integer({ min: 1, max: 60 }), (jitter, steps) => {
        const plain = new Backoff({ initialMs: 10, factor: 1.5, capMs: 30_000 }, random);
        const jittered = new Backoff({ initialMs: 10, factor: 1.5, jitter, capMs: 30_000 }, random);
        for (let step = 0; step < steps; step++) {
          const base = plain.nextMs();
          const delay = jittered.nextMs();
          expect(delay).toBeGreaterThanOrEqual(base);
          expect(delay).toBeLessThanOrEqual(base * (1 + jitter));
        }
      }),
    );
  });

  test('never overflows, even after many attempts', () => {
    const backoff = new Backoff({ initialMs: 1, factor: 10, capMs: 60_000 }, random);
    for (let step = 0; step < 1000; step++) backoff.nextMs();
    expect(backoff.nextMs()).toBe(60_000);
  });

  test('starts at the cap when the first delay is above it', () => {
    expect(new Backoff({ initialMs: 1000, capMs: 10 }, random).nextMs()).toBe(10);
  });

  test.each([
    { initialMs: -1 },
    { initialMs: NaN },
    { initialMs: 1, factor: 0.5 },
    { initialMs: 1, jitter: -1 },
    { initialMs: 1, capMs: -1 },
  ])('refuses %j', (options) => {
    expect(() => new Backoff(options, random)).toThrow('Cannot back off');
  });
});
