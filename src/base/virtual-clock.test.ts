import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Duration } from './duration.ts';
import { VirtualClock } from './virtual-clock.ts';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('VirtualClock', () => {
  test('starts at the given time and stands still', async () => {
    const clock = new VirtualClock({ startMs: 1_000_000 });
    await turn();

    expect(clock.now()).toBe(1_000_000);
    expect(clock.monotonic()).toBe(0);
  });

  test('advance() runs what is due, by time and then by order of setting, and no more', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const seen: string[] = [];
    const note = (name: string) => (): void => void seen.push(`${name}@${clock.now()}`);
    clock.timer(20, note('late'));
    clock.timer(10, note('first'));
    clock.timer(10, note('second'));
    clock.timer(31, note('too late'));

    await clock.advance(30);

    expect(seen).toEqual(['first@10', 'second@10', 'late@20']);
    expect(clock.now()).toBe(30);
    expect(clock.monotonic()).toBe(30);
    expect(clock.pending).toBe(1);
    expect(clock.nextDueMs).toBe(31);
  });

  test('advance() takes durations with days', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    await clock.advance('30d');
    expect(clock.now()).toBe(30 * 86_400_000);
  });

  test('advance() rejects negative and infinite durations', () => {
    const clock = new VirtualClock();
    expect(() => clock.advance(-1)).toThrow('time only goes forward');
    expect(() => clock.advance(Infinity)).toThrow('time only goes forward');
    expect(() => clock.advance('soon' as Duration)).toThrow('time: invalid duration "soon"');
  });

  test('the work that a timer starts settles before the next timer runs', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const seen: string[] = [];
    const worker = async (): Promise<void> => {
      await clock.sleep(10);
      for (let step = 0; step < 5; step++) await turn();
      seen.push(`worked@${clock.now()}`);
      await clock.sleep(5);
      seen.push(`again@${clock.now()}`);
    };
    const working = worker();
    clock.timer(12, () => seen.push(`other@${clock.now()}`));

    await clock.advance(15);
    await working;

    expect(seen).toEqual(['worked@10', 'other@12', 'again@15']);
  });

  test('advance() waits for file operations in flight', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    let readAt = -1;
    const reader = async (): Promise<void> => {
      await clock.sleep(10);
      await readFile(fileURLToPath(import.meta.url));
      readAt = clock.now();
    };
    const reading = reader();
    clock.timer(11, () => undefined);

    await clock.advance(11);
    await reading;

    expect(readAt).toBe(10);
  });

  test('a periodic loop runs once per period and stops as soon as it is aborted', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    let runs = 0;
    const loop = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        runs += 1;
        await clock.sleep(60_000, stop.signal);
      }
    };
    const looping = loop();

    await clock.advance('1h');
    expect(runs).toBe(61);
    stop.abort();
    await looping;

    expect(runs).toBe(61);
    expect(clock.pending).toBe(0);
  });

  test('a disposed timer never runs and is no longer pending', async () => {
    const clock = new VirtualClock();
    const timer = clock.timer(10, () => expect.unreachable());
    timer[Symbol.dispose]();

    expect(clock.pending).toBe(0);
    await clock.advance(20);
    timer[Symbol.dispose]();
  });

  test('a timer of no length runs without advancing, later and in order', async () => {
    const clock = new VirtualClock({ startMs: 5 });
    const seen: string[] = [];
    clock.timer(0, () => {
      seen.push('first');
      clock.timer(0, () => seen.push('third'));
    });
    clock.timer(-1, () => seen.push('second'));
    expect(seen).toEqual([]);

    for (let step = 0; step < 5; step++) await turn();

    expect(seen).toEqual(['first', 'second', 'third']);
    expect(clock.now()).toBe(5);
  });

  test('overlapping advances run one after the other', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    const seen: number[] = [];
    clock.timer(10, () => seen.push(clock.now()));
    clock.timer(20, () => seen.push(clock.now()));

    await Promise.all([clock.advance(10), clock.advance(10)]);

    expect(seen).toEqual([10, 20]);
    expect(clock.now()).toBe(20);
  });

  test('advance() rejects with the error of a timer, and the next advance continues from there', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    clock.timer(10, () => {
      throw new Error('broken timer');
    });

    await expect(clock.advance(20)).rejects.toThrow('broken timer');
    expect(clock.now()).toBe(10);

    await clock.advance(20);
    expect(clock.now()).toBe(30);
  });

  test('an advance that waits behind a failing one still runs', async () => {
    const clock = new VirtualClock({ startMs: 0 });
    clock.timer(10, () => {
      throw new Error('broken timer');
    });

    const outcomes = await Promise.allSettled([clock.advance(20), clock.advance(20)]);

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(clock.now()).toBe(30);
  });

  test('timers run in a stable sort of their times, whatever the times', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 20 }), async (waits) => {
        const clock = new VirtualClock();
        const seen: number[] = [];
        for (const [index, ms] of waits.entries()) clock.timer(ms, () => seen.push(index));

        await clock.advance(5);

        const expected = [...waits.keys()].sort((left, right) => (waits[left] ?? 0) - (waits[right] ?? 0));
        expect(seen).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  describe('skips rounds of beats', () => {
    const start = (maySkip = (_: string) => true, changes?: () => number) => {
      const clock = new VirtualClock({ startMs: 0, maySkip, ...(changes === undefined ? {} : { changes }) });
      const seen: string[] = [];
      const note = (name: string): void => void seen.push(`${name}@${clock.now()}`);
      let lastBeatMs = 0;
      const beat = (): void => {
        clock.timer(
          10,
          () => {
            lastBeatMs = clock.now();
            note('beat');
            if (clock.now() < 5000) beat();
          },
          { type: 'beat', name: 'b', periodMs: 10 },
        );
      };
      const watch = (): void => {
        const look = (): void => (clock.now() - lastBeatMs >= 30 ? note('lost') : watch());
        clock.timer(lastBeatMs + 30 - clock.now(), look, { type: 'watchdog', beats: ['b'] });
      };
      return { clock, seen, note, beat, watch };
    };

    test('but not the first, nor the last before another timer or the end', async () => {
      const { clock, seen, note, beat, watch } = start();
      beat();
      watch();
      clock.timer(1234, () => note('timer'));
      await clock.advance(3000);
      expect(seen).toEqual(['beat@10', 'beat@1230', 'timer@1234', 'beat@1240', 'beat@3000']);
    });

    test('and a watchdog runs on time when the beats stop', async () => {
      const { clock, seen, beat, watch } = start();
      beat();
      watch();
      await clock.advance(10_000);
      expect(seen).toEqual(['beat@10', 'beat@10000']);
      await clock.advance(1000);
      expect(seen.slice(2)).toEqual(['lost@10030']);
    });

    test('unless another component would notice', async () => {
      const { clock, seen, beat } = start(() => false);
      beat();
      await clock.advance(40);
      expect(seen).toEqual(['beat@10', 'beat@20', 'beat@30', 'beat@40']);
    });

    test('also past timers that change nothing, and runs soon after one that does', async () => {
      let changes = 0;
      const { clock, seen, note, beat } = start(undefined, () => changes);
      const poll = (): void => {
        clock.timer(15, () => {
          if (clock.now() === 105) changes += 1;
          poll();
        });
      };
      beat();
      poll();
      clock.timer(200, () => note('timer'));
      await clock.advance(304);
      expect(seen).toEqual(['beat@10', 'beat@110', 'timer@200', 'beat@300']);
    });

    test('past such timers only as far as a watchdog does not miss them', async () => {
      const { clock, seen, beat, watch } = start(undefined, () => 0);
      const poll = (): void => void clock.timer(7, poll);
      beat();
      watch();
      poll();
      await clock.advance(1000);
      expect(seen).not.toContain(expect.stringMatching(/^lost/));
      const times = seen.map((each) => Number(each.split('@')[1]));
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      expect(Math.max(...gaps)).toBeLessThan(30);
      expect(times.length).toBeLessThan(60); // of 100
      expect(times.at(-1)).toBe(1000);
    });

    test('past such timers as far as a watchdog is patient, also while its timer is due sooner', async () => {
      const { clock, seen, beat } = start(undefined, () => 0);
      const poll = (): void => void clock.timer(7, poll);
      const watch = (): void => {
        const look = (): void => watch();
        clock.timer(21, look, { type: 'watchdog', beats: ['b'], patienceMs: 50 });
      };
      beat();
      watch();
      poll();
      await clock.advance(1000);
      const times = seen.map((each) => Number(each.split('@')[1]));
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      expect(new Set(gaps.slice(0, -1))).toEqual(new Set([40]));
    });

    test('and runs what was left out before a client looks', async () => {
      const { clock, seen, note, beat } = start(undefined, () => 0);
      const look = async (name: string): Promise<void> => {
        await clock.catchUp((asked) => asked === name);
        note(`look at ${name}`);
      };
      beat();
      clock.timer(155, () => void look('other'));
      clock.timer(165, () => void look('b'));
      clock.timer(168, () => void look('b'));
      await clock.advance(200);
      expect(seen).toEqual(['beat@10', 'look at other@155', 'beat@165', 'look at b@165', 'look at b@168', 'beat@195']);
    });
  });
});
