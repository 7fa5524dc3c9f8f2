// JSON values as Go's OpenAPI validation sees them.
import { deepEqual } from '../../base/index.ts';
import { isPlainObject } from '../json/plain-object.ts';

/** Equal, possibly after Go has converted one to the type of the other: 1.5 is 1, and 97 is `a`. */
export function isChoice(value: unknown, choice: unknown): boolean {
  if (value === null) return false; // not even if it is among the choices
  if (deepEqual(choice, value)) return true;
  if (typeof value !== 'number') return false;
  if (typeof choice === 'number') return Number.isInteger(choice) && Math.trunc(value) === choice;
  return typeof choice === 'string' && Number.isInteger(value) && choice.codePointAt(0) === value && choice.length < 3;
}

/** The type of a value in messages. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isSafeInteger(value) ? 'integer' : 'number';
    case 'object':
      return 'object';
    default:
      return typeof value;
  }
}

/** Whether the value is an integral multiple of the factor. */
export function isMultiple(value: number | bigint, factor: number): boolean {
  if (Number.isInteger(factor) && (typeof value === 'bigint' || Number.isSafeInteger(value)))
    return BigInt(value) % BigInt(factor) === 0n;
  return isNearlyWhole(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor);
}

/** The relative difference up to which a number counts as integral. */
const EPSILON = 1e-9;

/** Whether Go's libraries consider a floating point number integral. */
export function isNearlyWhole(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return whole > 0 && (value - whole) / (value + whole) < EPSILON;
}

/** Equal for equal values, whatever the order of their members. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'bigint') return `${item}n`;
    return isPlainObject(item) ? Object.entries(item).sort(([left], [right]) => (left < right ? -1 : 1)) : item;
  });
}

/** The formats that are known for each type of number. */
export const NUMBER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** What Go calls the types of numbers. */
export const GO_FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };

/** Upstream's path of the whole object. */
export const NOWHERE = '<nil>';
