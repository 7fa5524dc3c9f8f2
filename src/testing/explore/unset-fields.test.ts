import { describe, expect, test } from 'vitest';
import { type FieldDefinition, unsetFields } from './unset-fields.ts';

const text = { type: 'string' };
const definition: FieldDefinition = {
  spec: {
    names: { kind: 'Cache' },
    versions: [
      {
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', default: 1 },
                  tls: { type: 'object', properties: { mode: text, name: text } },
                  rules: { type: 'array', items: { type: 'object', properties: { host: text, port: text } } },
                  labels: { type: 'object', additionalProperties: text },
                },
              },
              status: { type: 'object', properties: { ready: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
};

const stateOf = (spec: object) => ({
  objects: [{ id: 'Cache default/web', kind: 'Cache', uid: '', isTerminating: false, value: { kind: 'Cache', spec } }],
});

describe('fields that no scenario sets', () => {
  test('are those that no object has, or only with the default; members of unset ones are left out', () => {
    const fields = unsetFields(
      [definition],
      [stateOf({ size: 1, rules: [{ host: 'a' }] }), stateOf({ size: 1, rules: [] })],
    );
    expect(fields).toEqual(['Cache spec.size', 'Cache spec.tls', 'Cache spec.rules[].port', 'Cache spec.labels']);
  });

  test('are none when steps together set all', () => {
    const all = [
      stateOf({ size: 2, tls: { mode: 'a' }, labels: { a: 'b' } }),
      stateOf({ size: 1, tls: { name: 'b' }, rules: [{ host: 'a' }, { port: 'b' }] }),
    ];
    expect(unsetFields([definition], all)).toEqual([]);
  });

  test('are none of kinds that the scenario has no object of', () => {
    expect(unsetFields([definition], [{ objects: [] }])).toEqual([]);
  });
});
