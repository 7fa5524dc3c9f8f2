import { expect, test } from 'vitest';
import { settle, VirtualClock } from '../../base/index.ts';
import { SyncLoop } from './sync-loop.ts';

interface Trial {
  readonly clock: VirtualClock;
  readonly loop: SyncLoop;
  readonly runs: number[];
  failures: number;
  advance(ms: number): Promise<void>;
  end(): Promise<void>;
}

function trial(work: () => Promise<void> = async () => undefined): Trial {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const startMs = clock.monotonic();
  const runs: number[] = [];
  const loop = new SyncLoop({
    minPeriodMs: 1000,
    retryMs: 30_000,
    maxPeriodMs: 3_600_000,
    clock,
    async run() {
      runs.push(clock.monotonic() - startMs);
      await work();
    },
    failed: () => (made.failures += 1),
  });
  const running = loop.run(stop.signal);
  const made: Trial = {
    clock,
    loop,
    runs,
    failures: 0,
    async advance(ms) {
      await clock.advance(ms);
      await settle();
    },
    async end() {
      stop.abort();
      await running;
    },
  };
  return made;
}

test('requests in the pause after a run are met by one run at its end', async () => {
  const made = trial();
  made.loop.request();
  await settle();
  made.loop.request();
  made.loop.request();
  expect(made.loop.isIdle).toBe(true);
  await made.advance(999);
  expect(made.runs).toEqual([0]);
  await made.advance(1);
  expect(made.runs).toEqual([0, 1000]);
  await made.advance(10_000);
  expect(made.runs).toEqual([0, 1000]);
  await made.end();
});

test('a run that failed is made again after a while', async () => {
  let isBroken = true;
  const made = trial(async () => {
    if (isBroken) throw new Error('no');
  });
  made.loop.request();
  await made.advance(30_000);
  isBroken = false;
  await made.advance(29_999);
  expect(made.runs).toEqual([0, 30_000]);
  await made.advance(1);
  await made.advance(3_599_999);
  expect(made.runs).toEqual([0, 30_000, 60_000]);
  expect(made.failures).toBe(2);
  await made.advance(1);
  expect(made.runs).toEqual([0, 30_000, 60_000, 3_660_000]);
  await made.end();
});

test('a request while a run is under way leads to another run', async () => {
  let finish: (() => void) | undefined;
  const made = trial(() => new Promise((resolve) => void (finish = resolve)));
  made.loop.request();
  await settle();
  expect(made.loop.isIdle).toBe(false);
  made.loop.request();
  finish?.();
  await settle();
  await made.advance(1000);
  expect(made.runs).toEqual([0, 1000]);
  finish?.();
  await made.end();
});
