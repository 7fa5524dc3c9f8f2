import { setTimeout as sleepFor } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { aborted, type Runnable, runTogether } from './tasks.ts';

const untilStopped = (onStop: () => void): Runnable => ({
  run: async (signal) => {
    await aborted(signal);
    onStop();
  },
});
const failing = (message: string): Runnable => ({
  run: async () => {
    throw new Error(message);
  },
});

describe('runTogether()', () => {
  test('resolves once every task has stopped after the signal', async () => {
    const stop = new AbortController();
    const stopped: string[] = [];
    const running = runTogether(
      [untilStopped(() => stopped.push('a')), untilStopped(() => stopped.push('b'))],
      stop.signal,
    );
    stop.abort();
    await running;

    expect(stopped).toEqual(['a', 'b']);
  });

  test('when one task fails, stops the rest, waits for them and throws the first error', async () => {
    const stopped: string[] = [];
    const slow: Runnable = {
      run: async (signal) => {
        await aborted(signal);
        await Promise.resolve();
        stopped.push('slow');
        throw new Error('second');
      },
    };
    await expect(runTogether([slow, failing('first')], new AbortController().signal)).rejects.toThrow('first');

    expect(stopped).toEqual(['slow']);
  });

  test('a task that throws instead of returning a promise is a failed task', async () => {
    const thrower: Runnable = {
      run: () => {
        throw new Error('thrown at once');
      },
    };
    await expect(runTogether([thrower], new AbortController().signal)).rejects.toThrow('thrown at once');
  });

  test('a task that rejects with the reason of the abort has stopped, not failed', async () => {
    const stop = new AbortController();
    const rejectsWithReason: Runnable = {
      run: async (signal) => {
        await aborted(signal);
        signal.throwIfAborted();
      },
    };
    const rejectsWithCause: Runnable = { run: async (signal) => sleepFor(1e9, undefined, { signal, ref: false }) };
    const running = runTogether([rejectsWithReason, rejectsWithCause], stop.signal);
    stop.abort(new Error('shutting down'));

    await expect(running).resolves.toBeUndefined();
  });

  test('the error of a task that fails while stopping is thrown', async () => {
    const stop = new AbortController();
    const running = runTogether(
      [
        untilStopped(() => {
          throw new Error('cannot flush');
        }),
      ],
      stop.signal,
    );
    stop.abort();

    await expect(running).rejects.toThrow('cannot flush');
  });

  test('with an aborted signal, tasks are still started, and stop at once', async () => {
    const stopped: string[] = [];
    await runTogether([untilStopped(() => stopped.push('a'))], AbortSignal.abort());
    expect(stopped).toEqual(['a']);
  });

  test('resolves with no tasks', async () => {
    await expect(runTogether([], new AbortController().signal)).resolves.toBeUndefined();
  });
});

test('aborted() resolves when the signal aborts, and at once if it has', async () => {
  const stop = new AbortController();
  let isOver = false;
  const waiting = aborted(stop.signal).then(() => (isOver = true));
  await Promise.resolve();
  expect(isOver).toBe(false);
  stop.abort();
  await waiting;
  await aborted(stop.signal);
});
