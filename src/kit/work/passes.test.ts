import { expect, test } from 'vitest';
import { settle, VirtualClock } from '../../base/index.ts';
import { KeyedWorkers } from './keyed-workers.ts';
import { Passes } from './passes.ts';
import { workersParts } from './testing/workers-parts.ts';

async function start(pass: (seconds: number) => Promise<void> = async () => undefined): Promise<{
  clock: VirtualClock;
  passes: Passes;
  times: number[];
  stop: () => Promise<void>;
}> {
  const clock = new VirtualClock();
  const times: number[] = [];
  const abort = new AbortController();
  const run = async (): Promise<void> => {
    times.push(clock.monotonic() / 1000);
    await pass(clock.monotonic() / 1000);
  };
  await clock.advance('3s');
  const workers = workersParts(clock);
  const passes = new Passes({ clock, workers: (name, options) => new KeyedWorkers(name, options, workers) }, 'p', {
    period: 20_000,
    pass: run,
  });
  const running = passes.run(abort.signal);
  await settle();
  const stop = async (): Promise<void> => {
    abort.abort();
    await running;
  };
  return { clock, passes, times, stop };
}

test('runs a pass at the start, and then none without a request', async () => {
  const { clock, times, stop } = await start();

  await clock.advance('10m');

  expect(times).toEqual([3]);
  expect(clock.pending).toBe(0);
  await stop();
});

test('merges many requests into one pass, at the time at which a loop would run it', async () => {
  const { clock, passes, times, stop } = await start();

  await clock.advance('27s');
  for (let count = 0; count < 10; count++) passes.request();
  await clock.advance('10m');

  expect(times).toEqual([3, 43]);
  await stop();
});

test('a pass can be requested for later, and an earlier request wins', async () => {
  const { clock, passes, times, stop } = await start();

  passes.request(90_000);
  await clock.advance('1s');
  passes.request();
  await clock.advance('1m');
  passes.request(90_000);
  await clock.advance('10m');

  expect(times).toEqual([3, 23, 103]);
  await stop();
});

test('runs a failed pass again at the next time', async () => {
  const { clock, times, stop } = await start(async (seconds) => {
    if (seconds < 40) throw new Error('not yet');
  });

  await clock.advance('10m');

  expect(times).toEqual([3, 23, 43]);
  await stop();
});

test('stops at once, whatever is planned', async () => {
  const { clock, passes, stop } = await start();
  passes.request();

  await stop();

  expect(clock.pending).toBe(0);
});
