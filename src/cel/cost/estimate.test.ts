import { describe, expect, test } from 'vitest';
import { ruleEnvironment, structuralShape, type StructuralSchema as Schema } from '../index.ts';

const text = (maxLength: number): Schema => ({ type: 'string', maxLength });

function estimate(properties: Readonly<Record<string, Schema>>, rule: string): { min: bigint; max: bigint } {
  const rules = ruleEnvironment(structuralShape({ type: 'object', properties }));
  if (rules === undefined) throw new Error('no type');
  const compiled = rules.environment.compile(rule);
  if (!compiled.ok) throw new Error(compiled.issues.toString());
  return compiled.expression.estimateCost(rules.sizes);
}

describe('the estimate', () => {
  test('is exact where nothing depends on data', () => {
    expect(estimate({ a: { type: 'integer' } }, 'self.a + 1 == 2')).toEqual({ min: 4n, max: 4n });
  });

  test('follows maxLength, since comparing strings takes their length', () => {
    const of = (length: number): bigint => estimate({ a: text(length), b: text(length) }, 'self.a == self.b').max;
    expect(of(1000) - of(500)).toBe(of(1500) - of(1000));
  });

  test('multiplies the bounds of nested loops', () => {
    const list = (maxItems: number): Schema => ({ type: 'array', maxItems, items: { type: 'integer' } });
    const nested = 'self.a.all(x, self.a.all(y, x != y))';
    const [ten, hundred] = [10, 100].map((size) => Number(estimate({ a: list(size) }, nested).max)) as [number, number];
    expect(hundred / ten).toBeGreaterThan(80);
  });

  test('assumes what fits into a request where the schema has no bound', () => {
    const unbounded: Schema = { type: 'array', items: { type: 'string' } };
    expect(estimate({ a: unbounded }, 'self.a.all(x, x.contains("a"))').max).toBeGreaterThan(10_000_000n);
  });

  test('takes the more expensive branch for the maximum and the cheaper one for the minimum', () => {
    const { min, max } = estimate({ a: text(100) }, "self.a == '' ? true : self.a.matches('a.*b')");
    expect(min).toBeLessThan(max);
  });
});
