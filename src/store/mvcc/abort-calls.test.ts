import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { AbortCalls } from './abort-calls.ts';

describe('AbortCalls', () => {
  test('calls all once when the signal aborts, with one listener on it', () => {
    const aborts = new AbortCalls();
    const stop = new AbortController();
    const calls: number[] = [];
    const removals = Array.from({ length: 100 }, (_item, index) => aborts.add(stop.signal, () => calls.push(index)));
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    removals[1]?.();

    stop.abort();

    expect(calls).toHaveLength(99);
    expect(calls).not.toContain(1);
    removals[0]?.();
  });

  test('leaves no listener when all calls have been withdrawn', () => {
    const aborts = new AbortCalls();
    const stop = new AbortController();
    for (let round = 0; round < 3; round++) {
      const removals = [aborts.add(stop.signal, () => undefined), aborts.add(stop.signal, () => undefined)];
      for (const remove of removals) remove();
      expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
    }
  });
});
