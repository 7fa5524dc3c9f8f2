import { describe, expect, test } from 'vitest';
import {
  checkDefinition,
  checkDefinitionUpdate,
  checkingDefinition,
  checkingDefinitionUpdate,
} from './check-definition.ts';
import type { Definition, Schema } from './definition.ts';

function definitionOf(schema: Schema): Definition {
  return {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
    status: { storedVersions: ['v1'] },
  };
}

const fieldOf = (x: Schema): Definition => definitionOf({ type: 'object', properties: { x } });
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const nested = (depth: number, wrap: (inner: Schema) => Schema, leaf: Schema): Schema => {
  let schema = leaf;
  for (let level = 0; level < depth; level += 1) schema = wrap(schema);
  return schema;
};
const fields = (count: number, make: (index: number) => Schema): Record<string, Schema> =>
  Object.fromEntries(times(count, (index) => [`f${index}`, make(index)]));

/** The first finding about a definition, on create and on update. */
function said(definition: Definition): readonly string[] {
  return [checkDefinition(definition), checkDefinitionUpdate(definition, definition)].map(([error]) =>
    error === undefined ? 'nothing' : `${error.field}: ${error.detail}`,
  );
}

const TEXT: Schema = { type: 'string' };
const RULE = { 'x-kubernetes-validations': [{ rule: 'true' }] };

describe('a definition that is', () => {
  test.each([
    ['nested deeply', definitionOf(nested(400, (a) => ({ type: 'object', properties: { a } }), TEXT))],
    [
      'alternatives in alternatives',
      fieldOf({ ...TEXT, ...nested(800, (inner) => ({ allOf: [inner] }), { minLength: 1 }) }),
    ],
    [
      'a tree of alternatives',
      fieldOf({ ...TEXT, ...nested(12, (inner) => ({ anyOf: [inner, inner] }), { minLength: 1 }) }),
    ],
    ['a huge enumeration', fieldOf({ ...TEXT, enum: times(200_000, (index) => `v${index}`) })],
    ['a pattern that takes others long', fieldOf({ ...TEXT, pattern: '^(a+)+$', default: 'a'.repeat(10_000) })],
  ])('%s is taken', (_, definition) => {
    expect(said(definition)).toEqual(['nothing', 'nothing']);
  });

  test.each([
    [
      'patterns',
      definitionOf({ type: 'object', properties: fields(2000, (index) => ({ ...TEXT, pattern: `${index}{1000}` })) }),
    ],
    ['patterns', fieldOf({ ...TEXT, pattern: 'a'.repeat(1_000_000) })],
    [
      'rules',
      fieldOf({ ...TEXT, 'x-kubernetes-validations': times(100_000, (index) => ({ rule: `self!='${index}'` })) }),
    ],
    [
      'rules',
      definitionOf(
        nested(400, (a) => ({ type: 'object', properties: { a }, ...RULE }), {
          type: 'object',
          properties: fields(2000, () => TEXT),
        }),
      ),
    ],
    [
      'defaults',
      fieldOf({
        type: 'array',
        items: { type: 'integer', allOf: times(20_000, (index) => ({ minimum: -index })) },
        default: times(20_000, () => 1),
      }),
    ],
    [
      'defaults',
      fieldOf({ type: 'array', items: { ...TEXT, enum: times(20_000, String) }, default: times(20_000, String) }),
    ],
  ])('too much work in its %s is refused', (what, definition) => {
    const refusal = `spec.versions: checking its ${what} would take too long`;
    expect(said(definition)).toEqual([refusal, refusal]);
    expect(checkDefinition(definition)).toHaveLength(1);
  });

  test('wrong everywhere gets a thousand findings', () => {
    expect(checkDefinition(definitionOf({ type: 'object', properties: fields(20_000, () => ({})) }))).toHaveLength(
      1000,
    );
  });

  test('an exponential cost is refused by its estimate', () => {
    const list = nested(3, (items) => ({ type: 'array', items }), TEXT);
    const rule = 'self.all(a, a.all(b, b.all(c, c.matches(c))))';
    const [first] = said(fieldOf({ ...list, 'x-kubernetes-validations': [{ rule }] }));
    expect(first).toContain('estimated rule cost exceeds budget by factor of more than 100x');
  });

  test('of many versions is checked once', () => {
    const definition = definitionOf({ type: 'object' });
    const versions = times(5000, (index) => ({
      name: `v${index}`,
      served: true,
      storage: index === 1,
      schema: { openAPIV3Schema: { type: 'object', description: String(index) } },
    }));
    expect(said({ ...definition, spec: { ...definition.spec, versions } })).toEqual(['nothing', 'nothing']);
  });
});

describe('the check of a definition lets other work run', () => {
  const pauses = (definition: Definition): readonly number[] =>
    [checkingDefinition(definition), checkingDefinitionUpdate(definition, definition)].map(
      (steps) => [...steps].length,
    );

  test.each([
    [
      '2,500 rules at one place',
      { ...TEXT, 'x-kubernetes-validations': times(2_500, (index) => ({ rule: `self != "${index}"` })) },
    ],
    [
      '2,500 places with a rule',
      {
        type: 'object',
        properties: fields(2_500, (index) => ({
          ...TEXT,
          maxLength: 9,
          'x-kubernetes-validations': [{ rule: `self != "${index}"` }],
        })),
      },
    ],
    ['5,000 defaults', { type: 'object', properties: fields(5_000, () => ({ ...TEXT, default: 'x' })) }],
    ['20,000 fields', { type: 'object', properties: fields(20_000, () => TEXT) }],
  ] as const)('with %s', (_name, schema) => {
    expect(said(fieldOf(schema as Schema))).toEqual(['nothing', 'nothing']);
    for (const count of pauses(fieldOf(schema as Schema))) expect(count).toBeGreaterThan(15);
  });

  test('but not for a small one', () => {
    expect(pauses(fieldOf({ ...TEXT, ...RULE, default: 'x' }))).toEqual([0, 0]);
  });
});
