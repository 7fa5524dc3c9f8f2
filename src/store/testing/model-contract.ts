import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prefixRange } from '../key-range.ts';
import type { Store } from '../store.ts';
import { bytes, type OpenStoreUnderTest, put, text, WatchReader, write } from './store-under-test.ts';

interface ModelEntry {
  readonly value: string;
  readonly createRevision: number;
  readonly modRevision: number;
}

type ModelState = ReadonlyMap<string, ModelEntry>;

interface Step {
  /** Conditions by intent: the current revision, or a wrong one. */
  readonly conditions: readonly { readonly key: string; readonly isRight: boolean }[];
  readonly writes: readonly { readonly key: string; readonly value: string | undefined }[];
}

const keys = fc.constantFrom('a', 'a/1', 'a/2', 'b', 'b/1', 'ä', '😀');
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    conditions: fc.array(fc.record({ key: keys, isRight: fc.integer({ min: 0, max: 9 }).map((roll) => roll > 0) }), {
      maxLength: 2,
    }),
    writes: fc.uniqueArray(
      fc.record({ key: keys, value: fc.option(fc.string({ maxLength: 4 }), { nil: undefined }) }),
      {
        maxLength: 3,
        selector: ({ key }) => key,
      },
    ),
  }),
  { maxLength: 40 },
);

/** Compares a store with a plain map and a counter, at every revision. */
export function describeModel(open: OpenStoreUnderTest): void {
  describe('model', () => {
    test('any sequence of transactions leaves what a plain map would have, at every revision and in every watch', async () => {
      await using under = await open();
      const { store, prefix } = under;
      let round = 0;
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => followModel(store, `${prefix}${++round}/`, sequence)),
        { numRuns: 40, interruptAfterTimeLimit: 20_000 },
      );
      expect(round).toBeGreaterThan(0);
    });
  });
}

async function followModel(store: Store, prefix: string, sequence: readonly Step[]): Promise<void> {
  const base = await store.revision();
  /** The state at base, base + 1, … */
  const states: ModelState[] = [new Map()];
  const events: string[] = [];
  for (const step of sequence) {
    const now = states.at(-1) as ModelState;
    const revision = base + states.length;
    const conditions = step.conditions.map(({ key, isRight }) => {
      const modRevision = now.get(key)?.modRevision ?? 0;
      return { key: prefix + key, modRevision: isRight ? modRevision : modRevision + 1 };
    });
    const operations = step.writes.map(({ key, value }) =>
      value === undefined
        ? { type: 'delete' as const, key: prefix + key }
        : { type: 'put' as const, key: prefix + key, value: bytes(value) },
    );
    const isRefused = step.conditions.some(({ isRight }) => !isRight);
    const next = isRefused ? undefined : applyToModel(now, step, revision);
    const result = await store.commit({ conditions, operations });
    expect(result.ok).toBe(!isRefused);
    if (next === undefined) {
      expect(await store.revision()).toBe(revision - 1);
      continue;
    }
    expect(result.revision).toBe(revision);
    states.push(next);
    for (const { key, value } of step.writes) {
      if (value !== undefined) events.push(`${revision} ${key}=${value} was ${now.get(key)?.value}`);
      else if (now.has(key)) events.push(`${revision} ${key} was ${now.get(key)?.value}`);
    }
  }
  await expectStates(store, prefix, { base, states });
  await expectEvents(store, prefix, { base, events });
}

/** `undefined` when nothing changes. */
function applyToModel(now: ModelState, step: Step, revision: number): ModelState | undefined {
  const next = new Map(now);
  let hasChanged = false;
  for (const { key, value } of step.writes) {
    if (value === undefined) hasChanged = next.delete(key) || hasChanged;
    else {
      next.set(key, { value, createRevision: now.get(key)?.createRevision ?? revision, modRevision: revision });
      hasChanged = true;
    }
  }
  return hasChanged ? next : undefined;
}

async function expectStates(
  store: Store,
  prefix: string,
  model: { base: number; states: readonly ModelState[] },
): Promise<void> {
  for (const [index, state] of model.states.entries()) {
    if (index === 0 && model.base === 0) continue; // revision 0 is before everything, not a revision to read at
    const found = await store.range(prefixRange(prefix), { at: model.base + index });
    const expected = [...state].map(([key, entry]) => ({ key: prefix + key, ...entry }));
    expected.sort((left, right) => Buffer.compare(bytes(left.key), bytes(right.key)));
    expect(found.entries.map((entry) => ({ ...entry, value: text(entry) }))).toEqual(expected);
    expect(found.count).toBe(state.size);
  }
}

async function expectEvents(
  store: Store,
  prefix: string,
  model: { base: number; events: readonly string[] },
): Promise<void> {
  const last = await write(store, put(`${prefix}end`, 'end'));
  const reader = new WatchReader(store, prefixRange(prefix), model.base + 1);
  const found: string[] = [];
  for (let revision = 0; revision < last;) {
    const batch = await reader.batch();
    revision = batch.revision;
    for (const event of batch.events) {
      const was = text(event.previous);
      if (event.type === 'delete') found.push(`${event.revision} ${event.key.slice(prefix.length)} was ${was}`);
      else
        found.push(
          `${event.entry.modRevision} ${event.entry.key.slice(prefix.length)}=${text(event.entry)} was ${was}`,
        );
    }
  }
  await reader.end();
  expect(found).toEqual([...model.events, `${last} end=end was undefined`]);
}
