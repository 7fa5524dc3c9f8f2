import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { aborted, discardLogger, SeededRandom, VirtualClock } from '../base/index.ts';
import { HeapWatch } from './heap-watch.ts';
import { ProgramFence } from './program-fence.ts';
import { StartRecord } from './start-record.ts';

/** A program that logs its life, and fails when `fail` is called. */
function fenced() {
  const clock = new VirtualClock();
  const fence = new ProgramFence({ clock, random: new SeededRandom('fence'), log: discardLogger });
  const log: string[] = [];
  const failures: unknown[] = [];
  fence.onFailure((error) => void failures.push(error));
  let fail = (_error: Error): void => undefined;
  const program = fence.around('test', {
    run: (signal) =>
      new Promise((resolve, reject) => {
        log.push('start');
        fail = reject;
        void aborted(signal).then(() => (log.push('stop'), resolve()));
      }),
  });
  const stop = new AbortController();
  return { clock, fence, log, failures, fail: (error: Error) => fail(error), stop, running: program.run(stop.signal) };
}

describe('a program behind the fence', () => {
  test('starts again when it fails, later each time, and from the first delay after it was well', async () => {
    const { clock, log, failures, fail, stop, running } = fenced();
    for (const [delay, starts] of [
      ['999ms', 1],
      ['1ms', 2],
    ] as const) {
      if (delay === '999ms') fail(new Error('first'));
      await clock.advance(delay);
      expect(log).toHaveLength(starts);
    }
    fail(new Error('second'));
    await clock.advance('1999ms');
    expect(log).toHaveLength(2);
    await clock.advance('1ms');
    expect(log).toHaveLength(3);
    await clock.advance('10m');
    fail(new Error('third'));
    await clock.advance('1s');
    expect(log).toHaveLength(4);
    stop.abort();
    await running;
    expect(failures.map(String)).toEqual(['Error: first', 'Error: second', 'Error: third']);
  });

  test('stops while programs are held back, and runs when no cause is left', async () => {
    const { clock, fence, log, failures, stop, running } = fenced();
    fence.hold('memory', 'no memory');
    fence.hold('start', 'it died');
    await clock.advance('1h');
    expect([log, fence.heldBack]).toEqual([['start', 'stop'], 'no memory; it died']);
    fence.release('memory');
    await clock.advance('1h');
    expect(log).toHaveLength(2);
    fence.release('start');
    await clock.advance(0);
    expect([log.at(-1), fence.heldBack, failures]).toEqual(['start', undefined, []]);
    stop.abort();
    await running;
  });

  test('starts again after an error that no code caught; without programs that error is the server’s', async () => {
    const { clock, fence, log, failures, stop, running } = fenced();
    expect(fence.takeUncaught(new Error('lost'))).toBe(true);
    await clock.advance('1s');
    expect([log, failures.map(String)]).toEqual([['start', 'stop', 'start'], ['Error: lost']]);
    stop.abort();
    await running;
    expect(fence.takeUncaught(new Error('lost'))).toBe(false);
  });
});

test('programs are held back after two starts that died young, until a stop in good order', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-starts-'));
  const begin = (clock = new VirtualClock()): Promise<StartRecord> => StartRecord.begin(folder, clock);
  expect((await begin()).heldBack).toBeUndefined();
  expect((await begin()).heldBack).toBeUndefined();
  const clock = new VirtualClock();
  expect((await begin(clock)).heldBack).toBe('the last 2 starts ended without a stop, each within 60 seconds');
  await clock.advance('2m');
  expect((await begin()).heldBack).toBe('the last 3 starts ended without a stop, each within 60 seconds');
  await (await begin())[Symbol.asyncDispose]();
  expect((await begin(clock)).heldBack).toBeUndefined();
  await clock.advance('2m'); // it was well for long enough
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test('a heap full of live objects is reported once, collected again and again, and reported when there is room', async () => {
  const clock = new VirtualClock();
  let used = 0;
  let collected = (): void => undefined;
  const log: string[] = [];
  const heap = {
    use: () => ({ usedBytes: used * 2 ** 20, limitBytes: 1000 * 2 ** 20 }),
    onCollected: (listener: () => void) => ((collected = listener), { [Symbol.dispose]: () => undefined }),
    collect: () => (log.push('collect'), collected()),
  };
  using _watch = new HeapWatch(
    {
      onFull: ({ usedMb, limitMb }) => void log.push(`${usedMb} of ${limitMb}`),
      onRoomy: () => void log.push('roomy'),
    },
    { clock, heap },
  );
  for (used of [500, 740, 751, 900, 700]) collected();
  expect(log.splice(0)).toEqual(['751 of 1000']);
  await clock.advance('40s'); // nothing allocates, so V8 would not look
  expect(log.splice(0)).toEqual(['collect', 'collect']);
  used = 590;
  await clock.advance('1h');
  expect(log).toEqual(['collect', 'roomy']);
});
