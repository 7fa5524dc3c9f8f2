import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RealClock, settle, VirtualClock } from '../../base/index.ts';
import { StatusError } from '../../client/index.ts';
import type { ReconcileRecord } from '../trace.ts';
import { KeyedWorkers, type KeyedWorkersOptions } from './keyed-workers.ts';
import { workersParts } from './testing/workers-parts.ts';

interface Started extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly workers: KeyedWorkers;
  readonly records: readonly ReconcileRecord[];
}

function start(options: KeyedWorkersOptions, parts: { readonly stopGraceMs?: number } = {}): Started {
  const clock = new VirtualClock();
  const records: ReconcileRecord[] = [];
  const workers = new KeyedWorkers('test', options, { ...workersParts(clock, records), ...parts });
  const stop = new AbortController();
  const running = workers.run(stop.signal);
  return {
    clock,
    workers,
    records,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** A promise and the function that resolves it. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('keyed workers', () => {
  test('work on each key one at a time, on several keys at once, and again on keys added meanwhile', async () => {
    const log: string[] = [];
    const gates = new Map(['a', 'b', 'c'].map((key) => [key, gate()]));
    await using started = start({
      concurrency: 2,
      work: async (key) => {
        log.push(`begin ${key}`);
        await gates.get(key)?.opened;
        log.push(`end ${key}`);
      },
    });
    for (const key of ['a', 'a', 'b', 'c']) started.workers.add(key);
    await settle();
    expect(log.splice(0)).toEqual(['begin a', 'begin b']);
    started.workers.add('a');
    started.workers.add('a');
    expect(started.workers.isIdle).toBe(false);

    for (const { open } of gates.values()) open();
    await settle();

    expect(log).toEqual(['end a', 'end b', 'begin c', 'begin a', 'end c', 'end a']);
    expect(started.workers.isIdle).toBe(true);
  });

  test('end with the newest state, whatever changes while they write', async () => {
    const change = fc.record({ key: fc.constantFrom('a', 'b'), turns: fc.nat(3), isWritten: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), fc.boolean(), async (changes, isCoalescing) => {
        const state = new Map<string, number>();
        const seen = new Map<string, number | undefined>();
        const { clock, workers, ...started } = start({
          concurrency: 2,
          isCoalescing,
          work: async (key) => {
            const read = state.get(key);
            for (let turn = 0; turn < 2; turn++) await Promise.resolve();
            seen.set(key, read);
          },
        });
        for (const [version, { key, turns, isWritten }] of changes.entries()) {
          if (isWritten) state.set(key, version);
          else state.delete(key);
          workers.add(key);
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        }
        await settle();
        await clock.advance('2s');
        for (const key of new Set(changes.map((changed) => changed.key))) expect(seen.get(key)).toBe(state.get(key));
        await started[Symbol.asyncDispose]();
      }),
    );
  });

  test('retry failures with growing delays, and as late as the server asks', async () => {
    const times: number[] = [];
    const busy = new StatusError({
      reason: 'TooManyRequests',
      message: 'busy',
      code: 429,
      details: { retryAfterSeconds: 7 },
    });
    const errors = [new Error('first'), new Error('second'), busy];
    await using started = start({
      work: async (_, { failures }) => {
        times.push(started.clock.monotonic(), failures);
        const error = errors.shift();
        if (error !== undefined) throw error;
      },
    });
    started.workers.add('a');
    await started.clock.advance('1m');

    expect(times).toEqual([0, 0, 5, 1, 15, 2, 7015, 2]);
    expect(started.records.map(({ outcome, why }) => [outcome, ...why])).toEqual([
      ['failed'],
      ['failed', 'retry'],
      ['failed', 'retry'],
      ['done', 'retry'],
    ]);
  });

  test('return to a key after a delay on request, unless that is cancelled', async () => {
    const times: string[] = [];
    let again = 1;
    await using started = start({
      work: async (key, { after }) => {
        times.push(`${key} at ${started.clock.monotonic() / 1000}`);
        after('10m');
        after('10s');
        return again-- > 0 ? 'again' : undefined;
      },
    });
    started.workers.addAfter('a', 1000, { why: 'time' });
    started.workers.addAfter('b', 1000);
    expect(started.workers.cancelDelayed('b')).toBe(true);
    expect(started.workers.cancelDelayed('b')).toBe(false);
    await started.clock.advance('12s');

    expect(times).toEqual(['a at 1', 'a at 1.005', 'a at 11.005']);
    expect(started.records.map(({ why, outcome }) => [outcome, ...why])).toEqual([
      ['again', 'time'],
      ['done', 'retry'],
      ['done', 'after 10s'],
    ]);
    expect(started.workers.cancelDelayed('a')).toBe(true);
  });

  test('start nothing more when they are to stop, and let work in progress finish within the grace period', async () => {
    const aborted: string[] = [];
    const finish = gate();
    const work: KeyedWorkersOptions['work'] = async (key, { signal }) => {
      signal.addEventListener('abort', () => aborted.push(key));
      await finish.opened;
    };
    const { clock, workers, records, ...started } = start({ work }, { stopGraceMs: 5000 });
    workers.add('a');
    workers.add('b');
    await settle();
    const stopped = started[Symbol.asyncDispose]();
    await clock.advance('4s');
    expect(aborted).toEqual([]);
    await clock.advance('2s');
    expect(aborted).toEqual(['a']);

    finish.open();
    await stopped;

    expect(records.map(({ key }) => key)).toEqual(['a']);
    expect(clock.pending).toBe(0);
  });
});

test('work that asks for the next run at once keeps neither timers nor a stop waiting', async () => {
  const clock = new RealClock();
  const stop = new AbortController();
  const workers = new KeyedWorkers('eager', { work: (_key, { after }) => after(0) }, workersParts(clock));
  workers.add('a');
  const running = workers.run(stop.signal);
  await clock.sleep(1);
  stop.abort();
  await running;
});
