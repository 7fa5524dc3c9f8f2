import { expect, test } from 'vitest';
import { SeededRandom } from '../../../base/index.ts';
import type { Structural } from '../../../kit/index.ts';
import { valuesOf } from './field-values.ts';

const made = (schema: Structural, current?: unknown, isRequired = true): readonly unknown[] =>
  valuesOf(schema, { current, isRequired, random: new SeededRandom('made-up') });

test.each<readonly [string, Structural, unknown, readonly unknown[]]>([
  ['a number within its bounds', { type: 'integer', minimum: 1, maximum: 9 }, 3, [4, 1, 9]],
  ['a number without bounds', { type: 'integer' }, 3, [4, 0, -1]],
  ['a number at its upper bound', { type: 'integer', minimum: 0, maximum: 2 }, 2, [0]],
  ['steps', { type: 'integer', minimum: 0, multipleOf: 4 }, 4, [8, 0]],
  ['an enumeration', { type: 'string', enum: ['a', 'b'] }, 'a', ['b']],
  ['a switch', { type: 'boolean' }, true, [false]],
  ['a quantity', { type: 'string', pattern: '^[0-9]+Gi$', maxLength: 3 }, '1Gi', ['2Gi']],
  ['a list', { type: 'array', items: { type: 'string', minLength: 1 } }, ['a'], [['a', 'web'], ['web'], []]],
  ['a list that is never empty', { type: 'array', minItems: 1, items: { type: 'boolean' } }, [], [[true]]],
  [
    'labels',
    { type: 'object', additionalProperties: { type: 'boolean' } },
    { a: false },
    [{ a: false, extra: true }, {}],
  ],
  ['what has no schema', { 'x-kubernetes-preserve-unknown-fields': true }, undefined, []],
])('%s', (_, schema, current, values) => {
  expect(made(schema, current)).toEqual(values);
});

test('a text may be empty, unless its schema forbids that', () => {
  expect(made({ type: 'string' }, 'a')).toContain('');
  expect(made({ type: 'string', minLength: 1 }, 'a')).not.toContain('');
  expect(made({ type: 'string', pattern: '^[a-z]+-[0-9]$' }, 'web-2')).toEqual([
    expect.stringMatching(/^[a-z]+-[0-9]$/),
  ]);
});

test('a structure has all of its members, or those that it requires; an optional field is also removed', () => {
  const schema: Structural = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', minLength: 1 }, port: { type: 'integer', minimum: 1 }, any: {} },
  };
  expect(made(schema)).toEqual([{ name: 'web', port: 2 }, { name: 'web' }]);
  expect(made({ type: 'boolean' }, true, false)).toEqual([false, undefined]);
  expect(made({ type: 'boolean' }, undefined, false)).toEqual([true, false]);
});
