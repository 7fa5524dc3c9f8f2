import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../src/base/index.ts';
import { checkRegister, type RegisterOperation } from './linearizability.ts';

type Did = RegisterOperation['did'];

function operation(calledAt: number, returnedAt: number, did: Did): RegisterOperation {
  return { client: 'test', calledAt, returnedAt, did };
}

const read = (value: string): Did => ({ type: 'read', value });
const swap = (from: string, to: string, outcome: 'done' | 'refused' | 'unknown' = 'done'): Did => ({
  type: 'swap',
  from,
  to,
  outcome,
});

const isLinearizable = (...operations: RegisterOperation[]): boolean => checkRegister(operations, '0').isLinearizable;

describe('checkRegister()', () => {
  test('takes histories that some order explains', () => {
    expect(isLinearizable()).toBe(true);
    expect(
      isLinearizable(operation(0, 1, read('0')), operation(2, 3, swap('0', '1')), operation(4, 5, read('1'))),
    ).toBe(true);
    const overlapping = [operation(0, 9, swap('0', '1')), operation(1, 2, read('0')), operation(3, 4, read('1'))];
    expect(isLinearizable(...overlapping)).toBe(true);
    const racing = [operation(0, 5, swap('0', '1')), operation(0, 6, swap('0', '2', 'refused'))];
    expect(isLinearizable(...racing, operation(7, 8, read('1')))).toBe(true);
  });

  test('accepts an operation of unknown outcome as done, as not done, and as done later', () => {
    const unknown = operation(0, Infinity, swap('0', '1', 'unknown'));
    expect(isLinearizable(unknown, operation(5, 6, read('0')))).toBe(true);
    expect(isLinearizable(unknown, operation(5, 6, read('1')))).toBe(true);
    expect(isLinearizable(unknown, operation(2, 3, read('0')), operation(5, 6, read('1')))).toBe(true);
    expect(isLinearizable(unknown, operation(2, 3, read('1')), operation(5, 6, read('0')))).toBe(false);
  });

  test('finds planted faults', () => {
    const stale = [operation(0, 1, swap('0', '1')), operation(2, 3, read('0'))];
    const lost = [operation(0, 1, swap('0', '1')), operation(2, 3, swap('0', '2'))];
    const invented = [operation(0, 1, read('7'))];
    const backwards = [operation(0, 9, swap('0', '1')), operation(1, 2, read('1')), operation(3, 4, read('0'))];
    const refusedForNothing = [operation(0, 1, swap('0', '1', 'refused'))];
    const done = [
      operation(0, 1, swap('0', '1', 'refused')),
      operation(0, 2, swap('0', '2')),
      operation(3, 4, read('1')),
    ];
    for (const history of [stale, lost, invented, backwards, refusedForNothing, done])
      expect(checkRegister(history, '0')).toMatchObject({ isLinearizable: false });
    const verdict = checkRegister(stale, '0');
    expect(!verdict.isLinearizable && verdict.stuckAt).toEqual([stale[1]]);
  });

  test.each([1, 2, 3, 4, 5])(
    'distinguishes a long history of a real register from one with a single fault (seed %i)',
    (seed) => {
      const history = simulated(new SeededRandom(seed), 2000);
      expect(checkRegister(history, '0').isLinearizable).toBe(true);
      const reads = history.flatMap(({ did }, index) => (did.type === 'read' ? [index] : []));
      const at = reads[Math.floor(reads.length / 2)] ?? 0;
      const earlier = history[reads[3] ?? 0]?.did;
      const spoiled = history.map((each, index) =>
        index === at && earlier !== undefined ? { ...each, did: earlier } : each,
      );
      expect(checkRegister(spoiled, '0').isLinearizable).toBe(false);
    },
  );
});

/** What six clients of a register see that does each operation at some moment between call and return. */
function simulated(random: SeededRandom, count: number): RegisterOperation[] {
  const free = [0, 0, 0, 0, 0, 0];
  const planned = Array.from({ length: count }, (_, index) => {
    const client = random.int(free.length);
    const calledAt = (free[client] ?? 0) + random.float();
    const returnedAt = calledAt + 5 * random.float();
    free[client] = returnedAt;
    return { client, calledAt, returnedAt, at: calledAt + (returnedAt - calledAt) * random.float(), index };
  });
  let state = '0';
  let before = '0';
  const history: RegisterOperation[] = [];
  for (const { client, calledAt, returnedAt, at: _, index } of planned.toSorted((left, right) => left.at - right.at)) {
    const plain = { client: String(client), calledAt, returnedAt };
    const chance = random.float();
    if (chance < 0.5) history.push({ ...plain, did: read(state) });
    else {
      const from = chance < 0.6 && before !== state ? before : state;
      const isUnknown = chance > 0.95;
      const outcome = isUnknown ? 'unknown' : from === state ? 'done' : 'refused';
      history.push({ ...plain, returnedAt: isUnknown ? Infinity : returnedAt, did: swap(from, `v${index}`, outcome) });
      if (from === state && !(isUnknown && chance > 0.975)) [before, state] = [state, `v${index}`];
    }
  }
  return history.toSorted((left, right) => left.calledAt - right.calledAt);
}
