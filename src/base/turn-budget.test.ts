import { describe, expect, test } from 'vitest';
import { nextTurn } from './next-turn.ts';
import { TurnBudget } from './turn-budget.ts';

/** A clock that work moves by hand: a millisecond is a piece of work. */
class WorkClock {
  ms = 0;
  monotonic(): number {
    return this.ms;
  }
}

const lane = { isPreferred: false };

/** Uses up what the budget has for this turn. */
async function spend(budget: TurnBudget, clock: WorkClock): Promise<void> {
  await nextTurn();
  clock.ms += 100;
  for (let step = 0; step < 33; step++) expect(budget.take(lane)).toBeUndefined();
  clock.ms += 100;
}

describe('a turn budget', () => {
  test('lets work go on at once until it is spent, then lets the event loop go round', async () => {
    const clock = new WorkClock();
    const budget = new TurnBudget(clock);
    const log: string[] = [];
    setImmediate(() => log.push('socket'));
    for (let step = 1; step <= 20; step++) {
      const turn = budget.take(lane);
      if (turn !== undefined) await turn;
      log.push(`${step}`);
      clock.ms += 1;
    }
    expect(log.indexOf('socket')).toBe(16);
    expect(log).toHaveLength(21);
  });

  test('counts steps where the clock stands still', async () => {
    const budget = new TurnBudget(new WorkClock());
    let waits = 0;
    for (let step = 0; step < 10_000; step++) {
      const turn = budget.take(lane);
      if (turn === undefined) continue;
      waits += 1;
      await turn;
    }
    expect(waits).toBe(2);
  });

  test('begins afresh when the event loop went round by itself', async () => {
    const clock = new WorkClock();
    const budget = new TurnBudget(clock);
    for (let round = 0; round < 5; round++) {
      await nextTurn();
      clock.ms += 100;
      expect(budget.take(lane)).toBeUndefined();
    }
  });

  test('continues lanes in turns, each in its order, and preferred ones every second time', async () => {
    const clock = new WorkClock();
    const budget = new TurnBudget(clock);
    await spend(budget, clock);
    const log: string[] = [];
    const wait = async (name: string, own: { readonly isPreferred: boolean }): Promise<void> => {
      await budget.take(own);
      log.push(name);
    };
    const [other, events] = [{ isPreferred: false }, { isPreferred: true }];
    const all = [wait('a1', lane), wait('a2', lane), wait('a3', lane), wait('b1', other), wait('b2', other)];
    const reported = (async () => {
      for (const name of ['e1', 'e2', 'e3']) await wait(name, events);
    })();
    await Promise.all([...all, reported]);
    expect(log).toEqual(['e1', 'a1', 'e2', 'b1', 'e3', 'a2', 'b2', 'a3']);
  });

  test('measures each step with all that follows from it', async () => {
    const clock = new WorkClock();
    const budget = new TurnBudget(clock);
    await spend(budget, clock);
    const log: string[] = [];
    const long = async (name: string): Promise<void> => {
      await budget.take(lane);
      for (let part = 0; part < 3; part++) {
        await Promise.resolve();
        clock.ms += 1;
      }
      log.push(name);
    };
    const names = Array.from({ length: 40 }, (_unused, index) => `${index}`);
    const all = Promise.all(names.map(long));
    const turns = async (): Promise<void> => {
      while (!log.includes('39')) {
        await nextTurn();
        if (log.at(-1) !== 'turn') log.push('turn');
      }
    };
    await Promise.all([all, turns()]);
    expect(log.filter((name) => name !== 'turn')).toEqual(names);
    expect(log.slice(log.indexOf('0'), log.indexOf('turn', log.indexOf('0')))).toHaveLength(17);
  });
});
