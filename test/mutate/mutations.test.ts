import { expect, test } from 'vitest';
import { mutationsOf } from './mutations.ts';

function mutantsOf(source: string): string[] {
  return mutationsOf(source).map(
    ({ operator, start, end, replacement }) =>
      `${operator}: ${source.slice(0, start)}${replacement}${source.slice(end)}`,
  );
}

test('conditions are negated, guards removed, returns swapped, comparisons off by one', () => {
  expect(mutantsOf('function f(a: number) { if (a < 1) return a; }')).toEqual([
    'negate condition: function f(a: number) { if (!(a < 1)) return a; }',
    'remove guard: function f(a: number) { ; }',
    'swap operator: function f(a: number) { if (((a) <= (1))) return a; }',
    'swap constant: function f(a: number) { if (a < 2) return a; }',
    'swap return: function f(a: number) { if (a < 1) return undefined as never; }',
  ]);
});

test('statements, awaits and properties of arguments are dropped', () => {
  expect(mutantsOf('async function g() { await f({ a, b: true }); }')).toEqual([
    'drop statement: async function g() { ; }',
    'remove await: async function g() { (f({ a, b: true })); }',
    'drop property: async function g() { await f({ ...{}, b: true }); }',
    'drop property: async function g() { await f({ a, ...{} }); }',
  ]);
});

test('types, imports, logs and what is thrown are left alone', () => {
  const source =
    "import { a } from './a.ts'; type B = 1 | true; this.#log.info('x', { a: 1 }); throw new Error(`x${1 + 1}`);";
  expect(mutantsOf(source)).toEqual([]);
});
