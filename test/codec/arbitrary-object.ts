import { unreachable } from '../../src/base/index.ts';
import * as fc from 'fast-check';
import type { Field, ScalarName, Shape, Struct } from '../../src/api/index.ts';

/**
 * Objects of a type as careless clients write them: keys in any order, nulls and zero values where nothing is meant,
 * quantities and times in any form. Everything is derived from the type, as in the code under test.
 */
export function arbitraryObject(struct: Struct, depth = 0): fc.Arbitrary<Record<string, unknown>> {
  const fields = struct.fields.filter((field) => depth === 0 || (field.name !== 'kind' && field.name !== 'apiVersion'));
  const chance = Math.max(1, 6 - depth);
  return fc
    .uniqueArray(fc.nat({ max: Math.max(0, fields.length - 1) }), { maxLength: fields.length === 0 ? 0 : chance })
    .chain((indexes) => {
      const chosen = indexes.map((index) => fields[index]).filter((field) => field !== undefined);
      return fc.tuple(...chosen.map((field) => arbitraryField(field, struct, depth)));
    })
    .map((pairs) => Object.fromEntries(pairs));
}

function arbitraryField(field: Field, owner: Struct, depth: number): fc.Arbitrary<[string, unknown]> {
  const value = arbitraryValue(field.shape, owner, depth + 1);
  return fc
    .oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) })
    .map((item) => [field.name, item]);
}

function arbitraryValue(shape: Shape, owner: Struct, depth: number): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'scalar':
      return arbitraryScalar(shape.scalar, owner, depth);
    case 'struct':
      return depth > 6 ? fc.constant({}) : fc.constant(null).chain(() => arbitraryObject(shape.struct, depth));
    case 'list':
      return fc.array(arbitraryValue(shape.element, owner, depth + 1), { maxLength: depth > 4 ? 1 : 2 });
    case 'map':
      return fc.dictionary(text, arbitraryValue(shape.value, owner, depth + 1), { maxKeys: 3, noNullPrototype: true });
    default:
      return unreachable(shape);
  }
}

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('', '10', '9', '__proto__', 'constructor', 'é', '<&>', 'line\nbreak'),
);
const int32 = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 2 ** 31 - 1, -(2 ** 31)));
const raw = fc
  .jsonValue({ maxDepth: 2, noUnicodeString: false })
  .filter((value) => value !== null && !Object.is(value, -0));

/** Schemas may contain themselves, so they end early. */
function arbitraryScalar(scalar: ScalarName, owner: Struct, depth: number): fc.Arbitrary<unknown> {
  switch (scalar) {
    case 'string':
      return text;
    case 'int32':
      return int32;
    case 'int64':
      return fc.oneof(int32, fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
    case 'bool':
      return fc.boolean();
    case 'double':
      return fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0);
    case 'bytes':
      return fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    case 'Quantity':
      return fc.oneof(fc.constantFrom('0', '1500m', '0.5Gi', '1e3', ' 2 ', '1024Ki', '-1', '12345678901'), fc.nat());
    case 'Time':
      return fc.constantFrom('2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678+02:00', '1969-12-31T23:59:59Z');
    case 'MicroTime':
      return fc.constantFrom('2026-01-02T03:04:05.678901Z', '2026-01-02T03:04:05.000000-01:00');
    case 'Duration':
      return fc.constantFrom('1h', '90s', '0', '-1.5ms');
    case 'IntOrString':
      return fc.oneof(int32, text);
    case 'JSON':
    case 'RawExtension':
    case 'FieldsV1':
      return raw;
    case 'JSONSchemaPropsOrBool':
      return depth > 3 ? fc.boolean() : fc.oneof(fc.boolean(), schema(owner, depth));
    case 'JSONSchemaPropsOrArray':
      return depth > 3
        ? fc.constant({})
        : fc.oneof(schema(owner, depth), fc.array(schema(owner, depth), { minLength: 1, maxLength: 2 }));
    case 'JSONSchemaPropsOrStringArray':
      return depth > 3
        ? fc.constant(['a'])
        : fc.oneof(schema(owner, depth), fc.array(text, { minLength: 1, maxLength: 2 }));
    default:
      return unreachable(scalar);
  }
}

function schema(owner: Struct, depth: number): fc.Arbitrary<unknown> {
  return fc.constant(null).chain(() => arbitraryObject(owner, depth + 2));
}
