import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  baseEnvironment,
  type Bindings,
  DYN,
  type Evaluation,
  INT,
  literalText,
  ProgramError,
  type Program,
  UnknownValue,
} from './index.ts';

const environment = baseEnvironment().extend({
  variables: [
    { name: 'x', type: INT },
    { name: 'y', type: INT },
    { name: 'data', type: DYN },
  ],
});

function program(text: string, costLimit?: number): Program {
  const compiled = environment.compile(text);
  if (!compiled.ok) throw new Error(compiled.issues.toString());
  return compiled.expression.program({ costLimit });
}

function outcome(text: string, bindings: Bindings = {}): string {
  const result: Evaluation = program(text).evaluate(bindings);
  return result.ok ? literalText(result.value) : `error: ${result.error}`;
}

describe('a program', () => {
  test('may be evaluated repeatedly', () => {
    const sum = program('x + y');
    expect([1, 2, 3].map((x) => sum.evaluate({ x, y: 10 }))).toMatchObject([
      { value: 11 },
      { value: 12 },
      { value: 13 },
    ]);
  });

  test('reports a missing variable', () => {
    expect(outcome('x + 1')).toBe('error: no such attribute(s): x');
  });

  test('ignores a failed operand where the other one decides', () => {
    expect(outcome('1 / 0 == 1 || true')).toBe('true');
    expect(outcome('1 / 0 == 1 && false')).toBe('false');
    expect(outcome('1 / 0 == 1 || false')).toBe('error: division by zero');
    expect(outcome('[0, 1].exists(x, 1 / x == 1)')).toBe('true');
    expect(outcome('true ? 1 : 1 / 0')).toBe('1');
  });

  test('yields an unknown when the result depends on one', () => {
    const unknown = new UnknownValue(['data.later']);
    expect(program('data || true').evaluate({ data: unknown })).toMatchObject({ ok: true, value: true });
    expect(program('data || 1 / 0 == 1').evaluate({ data: unknown })).toMatchObject({ ok: true, value: unknown });
    expect(program('data + 1').evaluate({ data: unknown })).toMatchObject({ ok: true, value: unknown });
  });

  test('reads data without copying it', () => {
    const data = { list: [{ n: 1 }, { n: 2.5 }], big: 9007199254740993n, none: null };
    expect(outcome('data.list.map(e, e.n * 2)', { data })).toBe('error: no such overload');
    expect(outcome('data.list[1].n * 2.0', { data })).toBe('5.0');
    expect(outcome('data.big + 1', { data })).toBe('9007199254740994');
    expect(outcome('data.none == null', { data })).toBe('true');
  });

  test('finds only the data’s own properties', () => {
    expect(outcome('data.constructor', { data: {} })).toBe('error: no such key: constructor');
    expect(outcome("'__proto__' in data", { data: {} })).toBe('false');
    expect(outcome('has(data.toString)', { data: {} })).toBe('false');
    expect(outcome("data['length']", { data: [1] })).toContain('error: ');
  });

  test('cannot be compiled from conversions that always fail', () => {
    expect(() => program("int('a')")).toThrow(ProgramError);
  });

  test('counts integers exactly, to 64 bits', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const programs = { '+': program('x + y'), '-': program('x - y'), '*': program('x * y') } as const;
    const exact = {
      '+': (a: bigint, b: bigint) => a + b,
      '-': (a: bigint, b: bigint) => a - b,
      '*': (a: bigint, b: bigint) => a * b,
    };
    const raw = (value: bigint): number | bigint => (Number.isSafeInteger(Number(value)) ? Number(value) : value);
    fc.assert(
      fc.property(int64, int64, fc.constantFrom('+', '-', '*'), (x, y, operator) => {
        const wanted = exact[operator](x, y);
        const result = programs[operator].evaluate({ x: raw(x), y: raw(y) });
        if (BigInt.asIntN(64, wanted) !== wanted)
          expect(result).toMatchObject({ ok: false, error: 'integer overflow' });
        else expect(result).toMatchObject({ ok: true, value: raw(wanted) });
      }),
    );
  });
});

describe('the cost of an evaluation', () => {
  test('grows with the work done', () => {
    const all = program('data.all(e, e > 0)');
    const cost = (size: number): number => all.evaluate({ data: Array.from({ length: size }, () => 1) }).cost;
    expect(cost(20) - cost(10)).toBe(cost(30) - cost(20));
    expect(cost(20)).toBeGreaterThan(cost(10));
  });

  test('ends it when it exceeds the limit, even inside an operator that ignores errors', () => {
    const data = Array.from({ length: 1000 }, () => 1);
    const greedy = program('data.all(a, data.all(b, data.all(c, a + b + c > 0))) || true', 100_000);
    expect(greedy.evaluate({ data })).toEqual({
      ok: false,
      error: 'operation cancelled: actual cost limit exceeded',
      cost: expect.any(Number),
      isOverLimit: true,
    });
  });

  test('charges for regular expressions by the length of the text', () => {
    const matches = program("data.matches('(a+)+$')");
    const short = matches.evaluate({ data: `${'a'.repeat(100)}b` });
    const long = matches.evaluate({ data: `${'a'.repeat(100_000)}b` });
    expect(long.cost).toBeGreaterThan(short.cost * 500);
    expect(long).toMatchObject({ ok: true, value: false });
  });

  test.each(['data.distinct()', 'sets.contains(data, data)', 'sets.equivalent(data, data)'])(
    'is known before %s begins, which would take minutes',
    (text) => {
      const data = Array.from({ length: 300_000 }, (_, at) => at);
      expect(program(text, 1_000_000).evaluate({ data })).toMatchObject({ ok: false, isOverLimit: true });
    },
  );

  test('keeps strings from growing without bound', () => {
    const doubling = Array.from({ length: 40 }, (_, at) => at).reduce(
      (text) => `[${text}].map(t, t + t)[0]`,
      "'aaaaaaaaaa'",
    );
    expect(program(doubling, 1_000_000).evaluate({})).toMatchObject({ ok: false, isOverLimit: true });
  });
});
