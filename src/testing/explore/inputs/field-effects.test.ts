import { expect, test } from 'vitest';
import { Journal } from '../journal.ts';
import type { Plan } from '../plan.ts';
import type { RunResult } from '../run-result.ts';
import { FieldEffects, partOf } from './field-effects.ts';

const plan = (field: string, value: unknown): Plan => ({
  seed: 'explore',
  faults: [
    {
      type: 'input',
      object: 'acme.dev/v1 Cache default/web',
      step: 'create',
      changes: [{ field, value }],
      end: 'back',
    },
  ],
});

const result = (hasEffect: boolean, isApplicable = true): RunResult => ({
  journal: new Journal(),
  problems: [],
  isApplicable,
  states: new Map(),
  outside: new Map(),
  idleWrites: 0,
  idleWritesAfter: new Map(),
  input: { field: '', hasEffect },
  wasTaken: true,
});

test('a field is ignored if it was tried in all planned ways, at least one was allowed, and none had an effect', () => {
  const effects = new FieldEffects();
  const plans = ['a', 'b', 'c', 'd'].flatMap((name) => [plan(`spec.${name}`, 1), plan(`spec.${name}`, 2)]);
  effects.expect(plans);
  const [a1, a2, b1, b2, c1, , d1, d2] = plans as [Plan, Plan, Plan, Plan, Plan, Plan, Plan, Plan];
  effects.note(a1, result(false));
  effects.note(a2, result(false, false)); // refused
  effects.note(b1, result(false));
  effects.note(b2, result(true));
  effects.note(c1, result(false)); // the other one is still to come
  effects.note(d1, result(false, false));
  effects.note(d2, result(false, false));
  expect(effects.ignored({})).toEqual([a1]);
  expect(effects.ignored({ withoutEffect: ['Cache spec.a'] })).toEqual([]);
});

test('parts keep the plans of a field together', () => {
  const plans = ['a', 'a', 'b', 'b', 'c'].map((name, index) => plan(`spec.${name}`, index));
  const [first, second] = [0, 1].map((index) => partOf(plans, { index, count: 2 }));
  expect(first).toEqual([plans[0], plans[1], plans[4]]);
  expect(second).toEqual([plans[2], plans[3]]);
});
