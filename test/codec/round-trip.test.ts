import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  builtInTypes,
  canonicalize,
  decodeJson,
  decodeProtobuf,
  decodeYaml,
  encodeJson,
  encodeProtobuf,
  encodeYaml,
  type Struct,
  travelsInProtobuf,
} from '../../src/api/index.ts';
import { clone, deepEqual, deepFreeze } from '../../src/base/index.ts';
import { arbitraryObject } from './arbitrary-object.ts';

const types = builtInTypes();
const kinds = [...types.names()].map((name) => types.struct(name)).filter((struct) => struct.kind !== undefined);

/** A few random objects of every kind there is. */
function forEveryKind(check: (object: Record<string, unknown>, struct: Struct) => void, wanted = kinds): void {
  for (const struct of wanted) {
    fc.assert(
      fc.property(arbitraryObject(struct), (object) => check(object, struct)),
      { numRuns: Number(process.env['KEELSON_RUNS'] ?? 8) },
    );
  }
}

describe('random objects of every kind', () => {
  test('are canonical after canonicalizing once', () => {
    forEveryKind((object, struct) => {
      const once = canonicalize(object, struct);

      expect(encodeJson(canonicalize(once, struct))).toBe(encodeJson(once));
    });
  });

  test('are complete after filling in defaults once', () => {
    forEveryKind((object, struct) => {
      const once = canonicalize(object, struct, { defaults: true });

      expect(encodeJson(canonicalize(once, struct, { defaults: true }))).toBe(encodeJson(once));
    });
  });

  test('are not changed, and share nothing with the result that is not frozen', () => {
    forEveryKind((object, struct) => {
      const before = encodeJson(object);
      const result = canonicalize(object, struct);
      const fromFrozen = canonicalize(deepFreeze(clone(object)), struct);

      expect(encodeJson(object)).toBe(before);
      expect(encodeJson(fromFrozen)).toBe(encodeJson(result));
      expect(sharedParts(object, result)).toEqual([]);
    });
  });

  test('come back from JSON as they were', () => {
    forEveryKind((object, struct) => {
      const canonical = encodeJson(canonicalize(object, struct));

      expect(encodeJson(decodeJson(canonical, struct, { fieldValidation: 'Strict' }).value)).toBe(canonical);
      expect(encodeJson(decodeJson(encodeJson(object), struct).value)).toBe(canonical);
    });
  });

  test('come back from protobuf as they were', () => {
    forEveryKind((object, struct) => {
      const { kind: _kind, apiVersion: _apiVersion, ...canonical } = canonicalize(object, struct);
      const bytes = encodeProtobuf(canonical, struct);

      expect(encodeJson(decodeProtobuf(bytes, struct))).toBe(encodeJson(canonical));
    }, kinds.filter(travelsInProtobuf));
  });

  test('come back from YAML as they were', () => {
    forEveryKind((object, struct) => {
      const canonical = canonicalize(object, struct);
      const { value } = decodeYaml(encodeYaml(canonical), struct, { fieldValidation: 'Strict' });

      // raw JSON comes back with its keys sorted
      expect(deepEqual(value, canonical) ? '' : encodeJson({ value, canonical })).toBe('');
    });
  });
});

/** Objects and lists that both values hold. */
function sharedParts(left: unknown, right: unknown): unknown[] {
  const parts = new Set(partsOf(left));
  return partsOf(right).filter((part) => parts.has(part));
}

function partsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}
