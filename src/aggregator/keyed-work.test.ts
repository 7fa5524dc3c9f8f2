import { expect, test } from 'vitest';
import { discardLogger, SeededRandom, settle, VirtualClock } from '../base/index.ts';
import { KeyedWork, type WorkResult } from './keyed-work.ts';

function workOf(act: (key: string) => Promise<WorkResult>, clock = new VirtualClock()): KeyedWork {
  return new KeyedWork({
    clock,
    random: new SeededRandom(1),
    log: discardLogger,
    signal: new AbortController().signal,
    name: 'test',
    backoff: { initialMs: 100, capMs: 400 },
    maxAtOnce: 2,
    act,
  });
}

test('works on a limited number of keys at once, and on each once at a time', async () => {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  using work = workOf((key) => {
    running.push(key);
    return new Promise((resolve) => ends.set(key, () => resolve('done')));
  });
  for (const key of ['a', 'b', 'c', 'a', 'a']) work.add(key);
  await settle();
  expect(running).toEqual(['a', 'b']);

  ends.get('a')?.();
  await settle();
  ends.get('b')?.();
  await settle();

  expect(running).toEqual(['a', 'b', 'c', 'a']);
});

test('a failure is retried after growing pauses, and at once when the key is added again', async () => {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const times: number[] = [];
  let result: WorkResult = 'failed';
  using work = workOf(async () => {
    times.push(clock.now() - startMs);
    return result;
  }, clock);
  work.add('a');
  await clock.advance(1600);
  work.add('a');
  result = { againAfterMs: 1000 };
  await clock.advance(2500);

  expect(times).toEqual([0, 100, 300, 700, 1100, 1500, 1600, 2000, 3000, 4000]);
});

test('nothing starts after its end', async () => {
  const clock = new VirtualClock();
  let count = 0;
  const work = workOf(async () => {
    count += 1;
    return 'failed';
  }, clock);
  work.add('a');
  await settle();
  work[Symbol.dispose]();
  work.add('b');
  await clock.advance('1h');

  expect(count).toBe(1);
});
