// Values of JSON as the validation of OpenAPI in Go sees them.
import { deepEqual } from '../../base/index.ts';
import { isPlainObject } from '../json/plain-object.ts';

/** Equal, or so after Go has converted the one to the type of the other: 1.5 is 1, and 97 is `a`. */
export function isChoice(value: unknown, choice: unknown): boolean {
  if (deepEqual(choice, value)) return true;
  if (typeof value !== 'number') return false;
  if (typeof choice === 'number') return Number.isInteger(choice) && Math.trunc(value) === choice;
  return typeof choice === 'string' && Number.isInteger(value) && choice.codePointAt(0) === value && choice.length < 3;
}

/** How messages name the type of a value. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number';
    case 'object':
      return 'object';
    default:
      return typeof value;
  }
}

/** Whether the value is a whole number of times the factor. */
export function isMultiple(value: number | bigint, factor: number): boolean {
  if (Number.isInteger(factor) && typeof value === 'bigint') return value % BigInt(factor) === 0n;
  return Number.isInteger(Number(value) / factor);
}

/** Equal values have equal texts, whatever the order of their members. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'bigint') return `${item}n`;
    return isPlainObject(item) ? Object.entries(item).sort(([left], [right]) => (left < right ? -1 : 1)) : item;
  });
}
