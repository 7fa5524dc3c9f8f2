import { describe, expect, test } from 'vitest';
import { builtInTypes, canonicalize, fieldErrorText, structuralKind, type StructuralSchema } from '../../api/index.ts';
import { checkCustomObject } from './check-custom-object.ts';

const types = builtInTypes();
const kind = { group: 'example.dev', version: 'v1', kind: 'Thing' };

/** The errors and the warnings for a spec. */
function checked(schema: StructuralSchema, spec: unknown, old?: unknown) {
  const type = structuralKind({ type: 'object', properties: { spec: schema } }, kind, { types });
  const object = (value: unknown): object =>
    canonicalize({ ...kind, metadata: { name: 'a' }, spec: value }, type, { defaults: true });
  const warnings: string[] = [];
  const errors = checkCustomObject(object(spec), type, {
    ...(old === undefined ? {} : { old: object(old) }),
    warn: (text) => warnings.push(text),
  });
  return { errors: errors.map(fieldErrorText), warnings };
}

const text: StructuralSchema = { type: 'string' };
const whole: StructuralSchema = { type: 'integer' };
const small: StructuralSchema = { ...whole, 'x-kubernetes-validations': [{ rule: 'self < 3', message: 'is large' }] };

describe('an object of a custom kind', () => {
  test('is validated by its schema first, and by its rules only if its values can be relied on', () => {
    const schema: StructuralSchema = { type: 'object', properties: { n: small, s: { ...text, maxLength: 1 } } };
    expect(checked(schema, { n: 5 }).errors).toEqual(['spec.n: Invalid value: 5: is large']);
    expect(checked(schema, { n: 5, s: 'long' }).errors).toEqual([
      'spec.s: Too long: may not be more than 1 byte',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });

  test('may keep existing problems, but not add any', () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: {
        a: { ...text, enum: ['x'] },
        n: small,
        other: text,
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      },
    };
    const old = { a: 'bad', n: 5, set: ['b', 'b'] };
    expect(checked(schema, { ...old, other: 'new' }, old)).toEqual({
      errors: [],
      warnings: ['spec.n: Invalid value: 5: is large'],
    });
    expect(checked(schema, { ...old, a: 'worse' }, old).errors[0]).toBe(
      'spec.a: Unsupported value: "worse": supported values: "x"',
    );
    expect(checked(schema, { ...old, n: 6 }, old).errors).toEqual(['spec.n: Invalid value: 6: is large']);
  });

  test('is compared with its old state, item by item in lists with keys', () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: {
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            properties: { name: text, n: { ...whole, 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] } },
          },
        },
      },
    };
    const old = {
      ports: [
        { name: 'a', n: 1 },
        { name: 'b', n: 5 },
      ],
    };
    expect(
      checked(
        schema,
        {
          ports: [
            { name: 'b', n: 5 },
            { name: 'a', n: 2 },
            { name: 'c', n: 0 },
          ],
        },
        old,
      ).errors,
    ).toEqual([]);
    expect(checked(schema, { ports: [{ name: 'b', n: 4 }] }, old).errors).toEqual([
      'spec.ports[0].n: Invalid value: 4: failed rule: self >= oldSelf',
    ]);
  });

  test('contains whole objects where the schema says so', () => {
    const schema: StructuralSchema = {
      type: 'object',
      properties: { pod: { type: 'object', 'x-kubernetes-embedded-resource': true } },
    };
    expect(checked(schema, { pod: { kind: 'no kind' } }).errors).toEqual([
      'spec.pod.apiVersion: Required value',
      expect.stringContaining(
        'spec.pod.kind: Invalid value: "no kind": may have mixed case, but should otherwise match',
      ),
    ]);
  });
});

describe('a hostile object', () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `${index}`.padStart(8, 'x'));

  test('cannot make rules cost more than their budget', () => {
    const rules = Array.from({ length: 20 }, (_, index) => ({
      rule: `self.matches('^(x+)+${index}$') || size(self) > 0`,
    }));
    const schema: StructuralSchema = {
      type: 'object',
      properties: { list: { type: 'array', items: { ...text, 'x-kubernetes-validations': rules } } },
    };
    expect(checked(schema, { list: many }).errors).toEqual([
      expect.stringMatching(
        /^spec\.list\[\d+\]: Invalid value: "string": validation failed due to running out of cost budget, no further validation rules will be run$/,
      ),
    ]);
  });

  test('cannot make one rule run forever', () => {
    const rule = 'self.all(x, self.all(y, self.all(z, x == y || x != y || y == z)))';
    const schema: StructuralSchema = {
      type: 'object',
      properties: { list: { type: 'array', items: text, 'x-kubernetes-validations': [{ rule }] } },
    };
    expect(checked(schema, { list: many }).errors).toEqual([
      `spec.list: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    ]);
  });

  test('is compared with its old state in linear time, however its lists are keyed', () => {
    const item: StructuralSchema = { type: 'object', properties: { name: text, v: { ...text, enum: ['ok'] } } };
    const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
    const schema: StructuralSchema = {
      type: 'object',
      properties: {
        list: { type: 'array', items: item, ...keyed },
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        z: whole,
      },
    };
    const old = { list: many.map((name) => ({ name, v: 'bad' })), set: many };
    const errors = checked(schema, { list: old.list.toReversed(), set: many.toReversed(), z: 1 }, old).errors;
    expect(errors).toEqual([]);
  });

  test('gets a limited number of warnings', () => {
    const schema: StructuralSchema = { type: 'object', properties: { list: { type: 'array', items: small } } };
    const old = { list: many.map(() => 9) };
    const { errors, warnings } = checked(schema, old, old);
    expect([errors.length, warnings.length]).toEqual([0, 1000]);
  });
});
