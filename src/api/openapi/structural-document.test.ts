import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../built-in.ts';
import { structuralKind, structuralListKind } from '../schema/structural-kind.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import type { Descriptions } from './descriptions.ts';
import type { JsonSchema } from './json-schema.ts';
import { structSchema, typesOfFields } from './struct-schema.ts';
import { digest } from './testdata/digest.ts';

interface Recorded {
  readonly schemas: Readonly<Record<string, { readonly v3: JsonSchema; readonly v2: JsonSchema }>>;
}

const recorded = JSON.parse(
  readFileSync(new URL('testdata/custom-resources.json', import.meta.url), 'utf8'),
) as Recorded;
const types = builtInTypes();
const silent: Descriptions = { ofType: () => undefined, ofField: () => undefined };
const sources = { types, descriptions: silent };
const group = 'openapi-check.example.com';

/** The definition's own schema: the document without what the server adds. */
function source({
  'x-kubernetes-group-version-kind': _,
  'x-kubernetes-selectable-fields': __,
  ...v3
}: JsonSchema): StructuralSchema {
  const { apiVersion, kind, metadata, ...properties } = v3.properties ?? {};
  return { ...v3, properties } as StructuralSchema;
}

function comparable({
  'x-kubernetes-group-version-kind': _,
  'x-kubernetes-selectable-fields': __,
  ...schema
}: JsonSchema): string {
  return digest(schema);
}

describe('a structural type', () => {
  const kinds = [
    ['v1', 'Widget'],
    ['v1', 'Gear'],
    ['v1beta1', 'Widget'],
  ] as const;

  test.each(kinds)('is documented as kube-apiserver does: %s %s', (version, kind) => {
    const name = `com.example.openapi-check.${version}.${kind}`;
    const { v2, v3 } = recorded.schemas[name] as Recorded['schemas'][string];
    const struct = structuralKind(source(v3), { group, version, kind }, { types });
    expect(struct.name).toBe(name);
    expect(comparable(structSchema(struct, 'v3', sources))).toBe(comparable(v3));
    expect(comparable(structSchema(struct, 'v2', sources))).toBe(comparable(v2));

    const list = structuralListKind(struct, { group, version, kind: `${kind}List` }, { types });
    const lists = recorded.schemas[`${name}List`] as Recorded['schemas'][string];
    expect(comparable(structSchema(list, 'v3', sources))).toBe(comparable(lists.v3));
    expect(comparable(structSchema(list, 'v2', sources))).toBe(comparable(lists.v2));
  });

  test('publishes everything in its schema', () => {
    const schema: StructuralSchema = {
      type: 'object',
      description: 'A widget',
      required: ['spec'],
      properties: {
        spec: {
          type: 'object',
          title: 'The wish',
          required: ['size', 'maybe'],
          properties: {
            size: { type: 'integer', format: 'int64', minimum: 1, maximum: 5, exclusiveMaximum: true, multipleOf: 2 },
            maybe: { type: 'string', nullable: true, default: null, example: 'x' },
            free: { 'x-kubernetes-preserve-unknown-fields': true },
            any: { type: 'object', additionalProperties: true },
            names: {
              type: 'array',
              items: { type: 'string', pattern: '^a' },
              'x-kubernetes-list-type': 'set',
              maxItems: 3,
            },
            map: {
              type: 'object',
              additionalProperties: { type: 'string', enum: ['a'] },
              'x-kubernetes-map-type': 'atomic',
            },
          },
          oneOf: [{ required: ['size'], properties: { size: { minimum: 2 } } }, { not: { required: ['free'] } }],
          'x-kubernetes-validations': [{ rule: 'self.size > 0', message: 'must be positive' }],
        },
      },
    };
    const struct = structuralKind(schema, { group, version: 'v1', kind: 'Widget' }, { types });
    const { apiVersion, kind, metadata, ...properties } = structSchema(struct, 'v3', sources).properties ?? {};
    expect({ ...structSchema(struct, 'v3', sources), properties }).toEqual(schema);
    const spec = structSchema(struct, 'v2', sources).properties?.['spec'];
    expect(spec).not.toHaveProperty('oneOf');
    expect(spec?.required).toEqual(['size']);
    expect(spec?.properties?.['maybe']).toEqual({ example: 'x' });
    expect([...typesOfFields(struct)]).toEqual(['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta']);
  });

  test('publishes the metadata of embedded objects', () => {
    const template: StructuralSchema = { type: 'object', 'x-kubernetes-embedded-resource': true };
    const struct = structuralKind(
      { type: 'object', properties: { template } },
      { group, version: 'v1', kind: 'W' },
      { types },
    );
    expect(structSchema(struct, 'v3', sources).properties?.['template']).toMatchObject({
      required: ['kind', 'apiVersion'],
      properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: {} },
    });
  });
});
