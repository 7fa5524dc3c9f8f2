import { expect, test } from 'vitest';
import { discardLogger, settle, VirtualClock } from '../base/index.ts';
import { PassPlanner } from './pass-planner.ts';

async function start(pass: (seconds: number) => Promise<void> = async () => undefined): Promise<{
  clock: VirtualClock;
  planner: PassPlanner;
  passes: number[];
  stop: () => Promise<void>;
}> {
  const clock = new VirtualClock();
  const planner = new PassPlanner({ clock, log: discardLogger, periodMs: 20_000 });
  const passes: number[] = [];
  const abort = new AbortController();
  const run = async (): Promise<void> => {
    passes.push(clock.monotonic() / 1000);
    await pass(clock.monotonic() / 1000);
  };
  await clock.advance('3s');
  const running = planner.run(run, abort.signal);
  await settle();
  const stop = async (): Promise<void> => {
    abort.abort();
    await running;
  };
  return { clock, planner, passes, stop };
}

test('a pass is run at the start, and then none without a reason', async () => {
  const { clock, passes, stop } = await start();

  await clock.advance('10m');

  expect(passes).toEqual([3]);
  expect(clock.pending).toBe(0);
  await stop();
});

test('many reasons lead to one pass, at the time a loop would run it', async () => {
  const { clock, planner, passes, stop } = await start();

  await clock.advance('27s');
  for (let count = 0; count < 10; count++) planner.request();
  await clock.advance('10m');

  expect(passes).toEqual([3, 43]);
  await stop();
});

test('a pass can be wanted later, and an earlier reason comes first', async () => {
  const { clock, planner, passes, stop } = await start();

  planner.request(90_000);
  await clock.advance('1s');
  planner.request();
  await clock.advance('1m');
  planner.request(90_000);
  await clock.advance('10m');

  expect(passes).toEqual([3, 23, 103]);
  await stop();
});

test('a pass that fails is run again at the next time', async () => {
  const { clock, passes, stop } = await start(async (seconds) => {
    if (seconds < 40) throw new Error('not yet');
  });

  await clock.advance('10m');

  expect(passes).toEqual([3, 23, 43]);
  await stop();
});

test('it stops at once, whatever is planned', async () => {
  const { clock, planner, stop } = await start();
  planner.request();

  await stop();

  expect(clock.pending).toBe(0);
});
