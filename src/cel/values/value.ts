import { BOOL, Boxed, BYTES, DOUBLE, INT, LIST, MAP, NULL, STRING, type Type } from '../type-terms/index.ts';

/** JSON data as it is stored: integers beyond 2^53 are bigints, all other numbers numbers. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

/**
 * A value while evaluating.
 *
 * - null, booleans and strings are themselves;
 * - an int is a number where that is exact (up to 2^53), else a bigint: never both, so `===` compares;
 * - bytes are a Uint8Array;
 * - lists are arrays, or a ListValue; maps with string keys plain objects, or a MapBase. What is inside an array or a
 *   plain object may be raw JSON: read it through `fromJson`, which knows that 2.5 is a double;
 * - everything else, doubles first, is boxed.
 */
export type Value = null | boolean | number | bigint | string | Uint8Array | readonly unknown[] | JsonObject | Boxed;

/** A double: boxed, because a number is an int. */
export class Double extends Boxed {
  readonly value: number;

  constructor(value: number) {
    super();
    this.value = value;
  }

  get goName(): string {
    return 'types.Double';
  }

  override get type(): Type {
    return DOUBLE;
  }
}

/** The value of a piece of JSON. */
export function fromJson(raw: unknown): Value {
  if (typeof raw === 'number') return Number.isSafeInteger(raw) ? raw : new Double(raw);
  return raw === undefined ? null : (raw as Value);
}

/** The run-time type, without parameters. */
export function typeOf(value: Value): Type {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return INT;
    case 'string':
      return STRING;
    case 'boolean':
      return BOOL;
    default:
      if (value === null) return NULL;
      if (value instanceof Boxed) return value.type;
      if (Array.isArray(value)) return LIST;
      return value instanceof Uint8Array ? BYTES : MAP;
  }
}

/** Whether a value is a plain JSON object, which is a map with string keys. */
export function isJsonObject(value: Value): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Boxed) &&
    !(value instanceof Uint8Array)
  );
}
