import { parseGoInteger } from './go-integer.ts';
import { quoteGo } from './go-text.ts';
import { ValueError } from './value-error.ts';

/** A port or a count: a 32-bit integer, or a string such as a name or `25%`. */
export type IntOrString = number | string;

const INT32_MAX = 2 ** 31 - 1;
const INT32_MIN = -(2 ** 31);

/** Whether a decoded JSON value can be an IntOrString. */
export function isIntOrString(value: unknown): value is IntOrString {
  if (typeof value === 'string') return true;
  return typeof value === 'number' && Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX;
}

/** Parses text from a command line or a field: a 32-bit integer if it is one, otherwise the text itself. */
export function parseIntOrString(text: string): IntOrString {
  const value = parseGoInteger(text, 'ParseInt', 32);
  return value instanceof ValueError ? text : Number(value);
}

/** The integer, or the one in the string: 0 if there is none, the nearest if it is out of range. */
export function intValueOf(value: IntOrString): number {
  if (typeof value === 'number') return value;
  const parsed = parseGoInteger(value, 'Atoi');
  if (!(parsed instanceof ValueError)) return Number(parsed);
  if (!parsed.message.endsWith('value out of range')) return 0;
  return value.startsWith('-') ? -(2 ** 63) : 2 ** 63;
}

/** The number before the percent sign of `25%`; undefined for other values. */
export function percentOf(value: IntOrString): number | undefined {
  if (typeof value !== 'string' || !/^[0-9]+%$/.test(value)) return undefined;
  const parsed = parseGoInteger(value.slice(0, -1), 'Atoi');
  return parsed instanceof ValueError ? undefined : Number(parsed);
}

/**
 * Converts a count or a percentage of `total` to a count; other strings are an error.
 *
 * Example: `'25%'` of 10 is 3 rounded up and 2 rounded down.
 */
export function scaleIntOrPercent(
  value: IntOrString | undefined,
  total: number,
  options: { readonly round: 'up' | 'down' },
): number | ValueError {
  if (value === undefined) return new ValueError('nil value for IntOrString');
  if (typeof value === 'number') return value;
  if (!value.endsWith('%')) {
    return new ValueError('invalid value for IntOrString: invalid type: string is not a percentage');
  }
  const percent = parseGoInteger(value.slice(0, -1), 'Atoi');
  if (percent instanceof ValueError) {
    return new ValueError(`invalid value for IntOrString: invalid value ${quoteGo(value)}: ${percent.message}`);
  }
  const share = (Number(percent) * total) / 100;
  return (options.round === 'up' ? Math.ceil(share) : Math.floor(share)) + 0; // + 0 turns -0 into 0
}
