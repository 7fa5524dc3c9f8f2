import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SortedMap } from './sorted-map.ts';
import type { SortedRange, SortedView } from './sorted-view.ts';
import { compareUtf8 } from './utf8-order.ts';

type Pair = [string, number];

/** The simplest implementation of the same interface: a sorted array, searched from end to end. */
class SortedArray {
  readonly #pairs: readonly Pair[];

  constructor(entries: ReadonlyMap<string, number>) {
    this.#pairs = [...entries].sort(([left], [right]) => compareUtf8(left, right));
  }

  range({ from, to }: SortedRange): Pair[] {
    return this.#pairs.filter(
      ([key]) => (from === undefined || compareUtf8(key, from) >= 0) && (to === undefined || compareUtf8(key, to) < 0),
    );
  }
}

function expectSame(
  view: SortedView<number>,
  model: ReadonlyMap<string, number>,
  ranges: readonly SortedRange[],
): void {
  const array = new SortedArray(model);
  expect(view.size).toBe(model.size);
  for (const range of [{}, ...ranges]) {
    const expected = array.range(range);
    const visited: Pair[] = [];
    view.visit(range, (key, value) => void visited.push([key, value]));
    expect([...view.entries(range)]).toEqual(expected);
    expect(visited).toEqual(expected);
    expect([...view.keys(range)]).toEqual(expected.map(([key]) => key));
    expect([...view.values(range)]).toEqual(expected.map(([, value]) => value));
    expect(view.count(range)).toBe(expected.length);
    expect(view.first(range)).toEqual(expected[0]);
  }
}

const smallKey = fc.string({
  unit: fc.constantFrom('a', 'b', '/', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '😀'),
  maxLength: 3,
});
/** Enough different keys for several levels of nodes. */
const numberedKey = fc.nat(4000).map((number) => `/registry/pods/${number}`);

const range = (key: fc.Arbitrary<string>): fc.Arbitrary<SortedRange> =>
  fc.record({ from: key, to: key }, { requiredKeys: [] });

const action = (key: fc.Arbitrary<string>): fc.Arbitrary<Action> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('set' as const), key, value: fc.integer() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('snapshot' as const) }) },
  );

type Action =
  | { readonly do: 'set'; readonly key: string; readonly value: number }
  | { readonly do: 'delete'; readonly key: string }
  | { readonly do: 'snapshot' };

describe.each([
  { kind: 'keys of every kind of character', key: smallKey, maxLength: 300, numRuns: 100 },
  { kind: 'thousands of keys', key: numberedKey, maxLength: 5000, numRuns: 8 },
])('with $kind', ({ key, maxLength, numRuns }) => {
  const actions = fc.array(action(key), { maxLength, size: 'max' });
  const ranges = fc.array(range(key), { minLength: 3, maxLength: 6 });

  test('an editor and all its snapshots agree with a sorted array', () => {
    fc.assert(
      fc.property(actions, ranges, (steps, ranges) => {
        const editor = SortedMap.empty<number>().editable();
        const model = new Map<string, number>();
        const kept: { snapshot: SortedMap<number>; model: Map<string, number> }[] = [];
        for (const step of steps) {
          if (step.do === 'snapshot') {
            if (kept.length < 20) kept.push({ snapshot: editor.snapshot(), model: new Map(model) });
            continue;
          }
          expect(editor.get(step.key)).toBe(model.get(step.key));
          const previous = model.get(step.key);
          if (step.do === 'set') {
            expect(editor.set(step.key, step.value)).toBe(previous);
            model.set(step.key, step.value);
          } else {
            expect(editor.delete(step.key)).toBe(previous);
            model.delete(step.key);
          }
        }
        expectSame(editor, model, ranges);
        for (const { snapshot, model } of kept) expectSame(snapshot, model, ranges);
      }),
      { numRuns },
    );
  });

  test('set() and delete() return new maps and do not change the old ones', () => {
    fc.assert(
      fc.property(
        fc.array(action(key), { maxLength: 200, size: 'max' }),
        fc.array(key, { maxLength: 500, size: 'max' }),
        (steps, keys) => {
          const model = new Map(keys.map((key, index) => [key, index]));
          let map = SortedMap.from(model);
          const original = { map, model: new Map(model) };
          for (const step of steps) {
            if (step.do === 'set') {
              map = map.set(step.key, step.value);
              model.set(step.key, step.value);
            } else if (step.do === 'delete') {
              map = map.delete(step.key);
              model.delete(step.key);
            }
          }
          expectSame(map, model, []);
          expectSame(original.map, original.model, []);
        },
      ),
      { numRuns },
    );
  });
});

describe('SortedMap', () => {
  const hundred = SortedMap.from(
    Array.from({ length: 100 }, (_, index): Pair => [`k${String(index).padStart(2, '0')}`, index]),
  );

  test('an empty map has nothing', () => {
    expectSame(SortedMap.empty(), new Map(), [{ from: 'a' }, { to: 'a' }, { from: 'b', to: 'a' }]);
  });

  test('a range includes its start and not its end; with its ends swapped it is empty', () => {
    expect([...hundred.keys({ from: 'k10', to: 'k13' })]).toEqual(['k10', 'k11', 'k12']);
    expect([...hundred.keys({ from: 'k13', to: 'k10' })]).toEqual([]);
    expect(hundred.count({ from: 'k13', to: 'k10' })).toBe(0);
    expect([...hundred.keys({ from: 'k97x' })]).toEqual(['k98', 'k99']);
  });

  test('visit() stops when the visitor returns false', () => {
    const seen: string[] = [];
    hundred.visit({ from: 'k40' }, (key) => {
      seen.push(key);
      return seen.length < 3;
    });
    expect(seen).toEqual(['k40', 'k41', 'k42']);
  });

  test('deleting an absent key returns the same map', () => {
    expect(hundred.delete('absent')).toBe(hundred);
    expect(hundred.editable().snapshot()).toBe(hundred);
  });

  test('snapshot() returns the same object until something changes', () => {
    const editor = hundred.editable();
    editor.set('new', 1);
    const first = editor.snapshot();
    editor.delete('absent');

    expect(editor.snapshot()).toBe(first);
    editor.set('new', 1);
    expect(editor.snapshot()).not.toBe(first);
  });

  test('an editor can be changed while it is iterated; the loop sees it as it was', () => {
    const editor = hundred.editable();
    editor.set('k50', 500);
    const seen: string[] = [];
    for (const key of editor.keys()) {
      seen.push(key);
      editor.delete(key);
      editor.set(`z${key}`, 1);
    }
    expect(seen).toEqual([...hundred.keys()]);
    expect(editor.size).toBe(100);
    expect(editor.first()?.[0]).toBe('zk00');
  });

  test('an iterator of an editor sees the map as it was when asked for, not when first used', () => {
    const editor = hundred.editable();
    const keys = editor.keys();
    editor.delete('k00');
    expect(keys.next().value).toBe('k00');
  });

  test('two editors of one map do not see each other', () => {
    const left = hundred.editable();
    const right = hundred.editable();
    left.set('k00', -1);
    right.delete('k00');

    expect([left.get('k00'), right.get('k00'), hundred.get('k00')]).toEqual([-1, undefined, 0]);
  });

  test('from() lets later entries win', () => {
    expect([
      ...SortedMap.from<number>([
        ['a', 1],
        ['b', 2],
        ['a', 3],
      ]),
    ]).toEqual([
      ['a', 3],
      ['b', 2],
    ]);
  });
});
