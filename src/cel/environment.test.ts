import { describe, expect, test } from 'vitest';
import {
  baseEnvironment,
  binary,
  BOOL,
  declareFunction,
  DYN,
  type Environment,
  INT,
  listOf,
  member,
  overload,
  STRING,
  typeParameter,
  variadic,
} from './index.ts';

function typeIn(environment: Environment, text: string): string {
  const compiled = environment.compile(text);
  return compiled.ok ? compiled.expression.typeName : (compiled.issues.list[0]?.message ?? '');
}

describe('an environment', () => {
  const environment = baseEnvironment().extend({
    variables: [
      { name: 'count', type: INT },
      { name: 'names', type: listOf(STRING) },
      { name: 'data', type: DYN },
      { name: 'a.b', type: BOOL },
    ],
  });

  test.each([
    ['count + 1', 'int'],
    ['names.map(n, n.size())', 'list(int)'],
    ['[]', 'list(dyn)'],
    ['[] + names', 'list(string)'],
    ["{'a': names}", 'map(string, list(string))'],
    ['data.anything[0]', 'dyn'],
    ['a.b', 'bool'],
    ['names[?0]', 'optional_type(string)'],
    ['names.first().orValue("x")', 'string'],
    ['type(count)', 'type(int)'],
    ['count > 0 ? [1] : []', 'list(int)'],
  ])('finds out that %s is %s', (text, type) => {
    expect(typeIn(environment, text)).toBe(type);
  });

  test.each([
    ['count + names', "found no matching overload for '_+_' applied to '(int, list(string))'"],
    ['missing', "undeclared reference to 'missing' (in container '')"],
    ['count.field', "type 'int' does not support field selection"],
    ['names.nothing()', "undeclared reference to 'nothing' (in container '')"],
    ['count && true', "expected type 'bool' but found 'int'"],
    ['count.map(x, x)', "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)"],
    ["[1, 'a']", "expected type 'int' but found 'string'"],
    ["'('.matches('(')", 'invalid matches argument'],
    ["duration('1 day')", 'invalid duration argument'],
    ["'%d'.format(['a'])", 'error during formatting: decimal clause can only be used on integers, was given string'],
  ])('refuses %s: %s', (text, message) => {
    expect(typeIn(environment, text)).toBe(message);
  });

  test('is unchanged when another one extends it', () => {
    const wider = environment.extend({ variables: [{ name: 'more', type: INT }] });
    expect(typeIn(wider, 'more + count')).toBe('int');
    expect(typeIn(environment, 'more')).toContain('undeclared');
  });

  test('has what Kubernetes had in a version', () => {
    expect(typeIn(baseEnvironment(27), 'optional.of(1)')).toContain('undeclared');
    expect(typeIn(baseEnvironment(28), 'optional.of(1)')).toBe('optional_type(int)');
    expect(typeIn(baseEnvironment(27), '1 < 1.5')).toContain('no matching overload');
    expect(typeIn(baseEnvironment(29), "ip('::1')")).toContain('undeclared');
    expect(typeIn(baseEnvironment(33), '[2, 1].sort()')).toContain('undeclared');
    expect(typeIn(baseEnvironment(34), '[2, 1].sort()')).toBe('list(int)');
  });
});

describe('custom functions', () => {
  const T = typeParameter('T');
  const environment = baseEnvironment().extend({
    libraries: [
      {
        functions: [
          declareFunction('pair', [
            overload(
              'pair_any',
              [T, T],
              listOf(T),
              binary((a, b) => [a, b]),
            ),
          ]),
          declareFunction('repeat', [
            member(
              'string_repeat_int',
              [STRING, INT],
              STRING,
              variadic((text, times) => `${text}`.repeat(Number(times))),
            ),
          ]),
        ],
      },
    ],
  });

  test('are checked by their signatures', () => {
    expect(typeIn(environment, "pair('a', 'b')")).toBe('list(string)');
    expect(typeIn(environment, "pair('a', 1)")).toContain('no matching overload');
    expect(typeIn(environment, "repeat('a', 2)")).toContain('no matching overload');
  });

  test('are called', () => {
    const compiled = environment.compile("pair('a'.repeat(3), 'b')");
    if (!compiled.ok) throw new Error(compiled.issues.toString());
    expect(compiled.expression.program().evaluate({})).toMatchObject({ ok: true, value: ['aaa', 'b'] });
  });
});
