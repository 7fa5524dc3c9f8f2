import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { RealClock } from './real-clock.ts';

describe('RealClock', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('returns the time of the machine', () => {
    const before = Date.now();
    const now = new RealClock().now();

    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  test('monotonic() never goes back', () => {
    const clock = new RealClock();
    const readings = Array.from({ length: 100 }, () => clock.monotonic());

    expect(readings).toEqual([...readings].sort((left, right) => left - right));
  });

  test('sleep() resolves at once when the signal aborts, and leaves no listener', async () => {
    const stop = new AbortController();
    const sleeping = new RealClock().sleep(1e9, stop.signal);
    stop.abort();

    await expect(sleeping).resolves.toBeUndefined();
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  test('sleep() that ran its time leaves no listener', async () => {
    const { signal } = new AbortController();
    await new RealClock().sleep(1, signal);

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('sleep() with an aborted signal resolves without waiting', async () => {
    await expect(new RealClock().sleep(1e9, AbortSignal.abort())).resolves.toBeUndefined();
  });

  test('a timer longer than Node can hold fires after that time, not at once', () => {
    vi.useFakeTimers();
    const fired: string[] = [];
    const thirtyDaysMs = 30 * 86_400_000;
    new RealClock().timer(thirtyDaysMs, () => fired.push('month'));

    vi.advanceTimersByTime(thirtyDaysMs - 1);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(fired).toEqual(['month']);
  });

  test('a disposed timer never fires, also after Node’s timer was renewed', () => {
    vi.useFakeTimers();
    const fired: string[] = [];
    const timer = new RealClock().timer(30 * 86_400_000, () => fired.push('month'));

    vi.advanceTimersByTime(26 * 86_400_000);
    timer[Symbol.dispose]();
    vi.advanceTimersByTime(26 * 86_400_000);

    expect(fired).toEqual([]);
  });

  test('a pending timer does not keep the process alive', () => {
    const before = countHolding();
    using _timer = new RealClock().timer(1e9, () => undefined);

    expect(countHolding()).toBe(before);
  });
});

function countHolding(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}
