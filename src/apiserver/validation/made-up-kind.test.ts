import { describe, expect, test } from 'vitest';
import {
  applyConfig,
  type Applied,
  withConversions,
  builtInTypes,
  canonicalize,
  decodeJson,
  encodeJson,
  fieldErrorText,
  structuralKind,
  type StructuralSchema,
} from '../../api/index.ts';
import type { ApiObject, OwnedKind } from '../../api/index.ts';
import { compileRule, isProblem, ruleEnvironment, typeCheckingEnvironment, VariableTypes } from '../../cel/index.ts';
import { checkValues } from './validate-object.ts';

const schema: StructuralSchema = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10 },
        color: { type: 'string', default: 'red', enum: ['red', 'blue'] },
        port: { 'x-kubernetes-int-or-string': true },
        doors: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string', maxLength: 5 }, isOpen: { type: 'boolean', default: false } },
          },
        },
        extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
      'x-kubernetes-validations': [
        { rule: '!has(self.doors) || self.size >= size(self.doors)', message: 'too many doors' },
      ],
    },
  },
};

/** One schema, compiled once; everything below is derived from it. */
describe('a kind that was defined at run time', () => {
  const kind = { group: 'example.dev', version: 'v1', kind: 'House' };
  const type = structuralKind(schema, kind, { types: builtInTypes() });
  const spec = type.field('spec')?.shape;
  if (spec === undefined) throw new Error('the type has no spec');

  function house(own: object): ApiObject {
    const sent = { apiVersion: 'example.dev/v1', kind: 'House', metadata: { name: 'h' }, spec: own };
    return canonicalize(sent, type, { defaults: true }) as unknown as ApiObject;
  }

  test('is decoded, pruned and defaulted', () => {
    const body = '{"spec":{"size":2,"odd":1,"extra":{"b":1,"a":2},"doors":[{"name":"in"}]},"metadata":{"name":"h"}}';
    const { value, warnings } = decodeJson(body, type, { defaults: true, fieldValidation: 'Warn' });
    expect(encodeJson(value)).toBe(
      '{"metadata":{"name":"h"},"spec":{"color":"red","doors":[{"isOpen":false,"name":"in"}],"extra":{"a":2,"b":1},"size":2}}',
    );
    expect(warnings).toEqual(['unknown field "spec.odd"']);
  });

  test('is validated', () => {
    expect(checkValues(house({ size: 3, port: 'http' }), type)).toEqual([]);
    expect(
      checkValues(house({ size: 15, color: 'green', doors: [{ name: 'entrance' }] }), type).map(fieldErrorText),
    ).toEqual([
      'spec.color: Unsupported value: "green": supported values: "red", "blue"',
      'spec.doors[0].name: Too long: may not be more than 5 bytes',
      'spec.size: Invalid value: 15: spec.size in body should be less than or equal to 10',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
    expect(checkValues(house({ size: 1, doors: [{ name: 'a' }, { name: 'b' }] }), type).map(fieldErrorText)).toEqual([
      'spec: Invalid value: too many doors',
    ]);
  });

  test('has types for expressions: its own rules, and policies', () => {
    const rules = ruleEnvironment(spec);
    const rule = spec.constraints?.rules?.[0];
    if (rules === undefined || rule === undefined) throw new Error('the spec has no rules');
    const compiled = compileRule(rule, rules);
    if (compiled === undefined || isProblem(compiled)) throw new Error(compiled?.detail);
    expect(compiled.program.evaluate({ self: { size: 1, doors: [{ name: 'a' }, { name: 'b' }] } })).toMatchObject({
      value: false,
    });
    const environment = typeCheckingEnvironment({ object: type, hasParams: false, variables: new VariableTypes() });
    expect(environment.compile('object.spec.size > 1').ok).toBe(true);
    expect(environment.compile('object.spec.sise > 1').ok).toBe(false);
  });

  test('is merged by the keys of its lists when several managers apply', () => {
    const owned: OwnedKind = { kind, type, subresource: '' };
    const blank = canonicalize({ apiVersion: 'example.dev/v1', kind: 'House' }, type) as unknown as ApiObject;
    const apply = (live: ApiObject, manager: string, own: object): ApiObject => {
      const config = { apiVersion: 'example.dev/v1', kind: 'House', metadata: { name: 'h' }, spec: own };
      const writer = { manager, time: '2026-01-01T00:00:00Z' };
      const work = applyConfig(live, config, { kind: owned, writer, force: false, blank });
      const { object, managedFields } = withConversions(work, { convert: () => undefined }) as Applied;
      const merged = canonicalize(object, type) as unknown as ApiObject;
      return { ...merged, metadata: { ...merged.metadata, uid: 'u', managedFields } };
    };
    const first = apply(blank, 'a', { size: 2, doors: [{ name: 'in' }] });
    const second = apply(first, 'b', { doors: [{ name: 'out', isOpen: true }] });
    expect(second['spec']).toEqual({ size: 2, doors: [{ name: 'in' }, { name: 'out', isOpen: true }] });
  });
});
