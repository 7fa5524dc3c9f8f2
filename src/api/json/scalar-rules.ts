import { DurationError, formatGoDuration, parseGoDuration } from '../../base/index.ts';
import type { ScalarName } from '../schema/schema.ts';
import {
  canonicalBase64,
  canonicalMicroTime,
  canonicalQuantity,
  canonicalTime,
  encodeBase64,
  ValueError,
} from '../values/index.ts';
import { lengthen, NumberToken, shortest } from './number-token.ts';
import { keepRaw, keepSorted } from './raw-json.ts';
import { MISMATCH, type Walk } from './walk.ts';

/** Converts a JSON value, not null, to its canonical form; throws MISMATCH if it is of another type. */
export type Convert = (value: unknown, walk: Walk) => unknown;

export interface ScalarRule {
  readonly convert: Convert;
  /** What is printed for an unset value. */
  readonly zero: unknown;
  /** Whether `omitempty` omits the zero value. Go never omits structs, and the special scalars are structs. */
  readonly isOmitted: boolean;
}

type PlainScalar = Exclude<ScalarName, `JSONSchemaPropsOr${string}`>;

/** How each scalar is read; the three schema scalars are in `schema-rules.ts`. */
export const scalarRules: Readonly<Record<PlainScalar, ScalarRule>> = {
  string: { convert: convertString, zero: '', isOmitted: true },
  int32: { convert: convertInt32, zero: 0, isOmitted: true },
  int64: { convert: convertInt64, zero: 0, isOmitted: true },
  bool: { convert: convertBool, zero: false, isOmitted: true },
  double: { convert: convertDouble, zero: 0, isOmitted: true },
  bytes: { convert: convertBytes, zero: null, isOmitted: true },
  Quantity: { convert: convertQuantity, zero: '0', isOmitted: false },
  Time: { convert: (value) => convertText(value, canonicalTime), zero: null, isOmitted: false },
  MicroTime: { convert: (value) => convertText(value, canonicalMicroTime), zero: null, isOmitted: false },
  Duration: { convert: (value) => convertText(value, canonicalDuration), zero: '0s', isOmitted: false },
  IntOrString: { convert: convertIntOrString, zero: 0, isOmitted: false },
  JSON: { convert: keepSorted, zero: null, isOmitted: false },
  RawExtension: { convert: keepRaw, zero: null, isOmitted: false },
  FieldsV1: { convert: keepRaw, zero: null, isOmitted: false },
};

function convertString(value: unknown): string {
  if (typeof value !== 'string') throw MISMATCH;
  return value;
}

function convertInt32(value: unknown): number {
  if (typeof value !== 'number' || (value | 0) !== value) throw MISMATCH;
  return value + 0; // turns -0 into 0
}

function convertInt64(value: unknown): number | bigint {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return value + 0;
    const long = lengthen(value);
    if (typeof long === 'bigint') return long;
  } else if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) === value) return shortest(value);
  } else if (value instanceof NumberToken) {
    const number = value.toInt64();
    if (number !== undefined) return number;
  }
  throw MISMATCH;
}

function convertBool(value: unknown): boolean {
  if (typeof value !== 'boolean') throw MISMATCH;
  return value;
}

function convertDouble(value: unknown): number {
  const number = value instanceof NumberToken ? value.toDouble() : typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw MISMATCH;
  return number;
}

/** Base64 or, as in Go, a list of the bytes. */
function convertBytes(value: unknown): string {
  if (typeof value === 'string') return checked(canonicalBase64(value));
  if (!Array.isArray(value)) throw MISMATCH;
  const bytes = value.map((item: unknown) => (item === null ? 0 : convertInt32(item)));
  if (bytes.some((byte) => byte < 0 || byte > 255)) throw MISMATCH;
  return encodeBase64(Uint8Array.from(bytes));
}

function convertQuantity(value: unknown): string {
  if (typeof value === 'string') return checked(canonicalQuantity(value));
  if (typeof value === 'number' || typeof value === 'bigint') return checked(canonicalQuantity(String(value)));
  if (value instanceof NumberToken) return checked(canonicalQuantity(value.text));
  throw MISMATCH;
}

function convertText(value: unknown, canonical: (text: string) => string | null | ValueError): string | null {
  if (typeof value !== 'string') throw MISMATCH;
  return checked(canonical(value));
}

/** The canonical form of a Duration field. */
export function canonicalDuration(text: string): string | ValueError {
  try {
    return formatGoDuration(parseGoDuration(text));
  } catch (error) {
    if (error instanceof DurationError) return new ValueError(error.message);
    throw error;
  }
}

function convertIntOrString(value: unknown): string | number {
  return typeof value === 'string' ? value : convertInt32(value);
}

function checked<T>(value: T | ValueError): T {
  if (value instanceof ValueError) throw MISMATCH;
  return value;
}
