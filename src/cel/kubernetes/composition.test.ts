import { expect, test } from 'vitest';
import { BOOL } from '../type-terms/index.ts';
import { compileExpression } from './compile-expression.ts';
import { Composition } from './composition.ts';
import { evaluateConditions } from './conditions.ts';

function answers(composition: Composition, texts: readonly string[], budget = 10_000): unknown {
  const conditions = texts.map((text) => ({
    text,
    result: compileExpression(composition.environment, text, { returnTypes: [BOOL] }),
  }));
  const bound = composition.bind({
    object: { spec: { replicas: 3 } },
    oldObject: null,
    request: null,
    namespaceObject: null,
  });
  return evaluateConditions(conditions, bound, budget);
}

test('variables may use those before them, and have their types', () => {
  const composition = new Composition();
  composition.add('replicas', 'int(object.spec.replicas)');
  composition.add('doubled', 'variables.replicas * 2');
  expect(answers(composition, ['variables.doubled == 6'])).toMatchObject({
    ok: true,
    answers: [{ ok: true, value: true }],
  });
  expect(answers(composition, ["variables.doubled == 'a'"])).toMatchObject({
    answers: [{ ok: false, problem: { detail: expect.stringContaining("applied to '(int, string)'") } }],
  });
});

test('a variable is evaluated only when it is read, and then once', () => {
  const composition = new Composition();
  composition.add('broken', '1 / 0');
  composition.add('costly', '[1, 2, 3].all(x, x > 0)');
  const once = answers(composition, ['variables.costly']) as { remainingBudget: number };
  const twice = answers(composition, ['variables.costly && variables.costly']) as { remainingBudget: number };
  expect(once.remainingBudget - twice.remainingBudget).toBeLessThan(5);
  expect(answers(composition, ['variables.broken == 1'])).toMatchObject({
    answers: [{ ok: false, problem: { detail: expect.stringContaining('division by zero') } }],
  });
});

test('the total cost of all conditions is limited', () => {
  expect(answers(new Composition(), ['object.spec.replicas > 1', 'object.spec.replicas > 2'], 5)).toEqual({
    ok: false,
    problem: {
      kind: 'invalid',
      detail: 'validation failed due to running out of cost budget, no further validation rules will be run',
    },
  });
});
