import { parseGoInteger } from './go-integer.ts';
import { quoteGo } from './go-text.ts';
import { ValueError } from './value-error.ts';

const SHORT = /^[0-9]{1,15}$/;
const WELL_FORMED = /^[1-9][0-9]*$/;

/**
 * Parses a resourceVersion from a client: `''` and `'0'` are 0, "any version".
 *
 * Versions above 2^53 become the nearest number. No store reaches them, so they are only compared and found too large.
 */
export function parseResourceVersion(text: string): number | ValueError {
  if (text === '') return 0;
  if (SHORT.test(text)) return Number(text);
  const version = parseGoInteger(text, 'ParseUint');
  if (!(version instanceof ValueError)) return Number(version);
  return new ValueError(`resourceVersion: Invalid value: ${quoteGo(text)}: ${version.message}`);
}

/**
 * Parses the resourceVersion inside an object that a client writes.
 * Like `parseResourceVersion`, except that the error does not name the field.
 */
export function parseObjectResourceVersion(text: string): number | ValueError {
  if (text === '') return 0;
  if (SHORT.test(text)) return Number(text);
  const version = parseGoInteger(text, 'ParseUint');
  return version instanceof ValueError ? version : Number(version);
}

/** Prints a store's revision as a resourceVersion; revision 0 has none. */
export function formatResourceVersion(revision: number): string {
  return revision === 0 ? '' : String(revision);
}

/** Compares the resourceVersions of two objects of one resource by age: -1, 0 or 1. Any number of digits is allowed. */
export function compareResourceVersions(left: string, right: string): -1 | 0 | 1 | ValueError {
  if (!WELL_FORMED.test(left)) return new ValueError(`resource version is not well formed: ${left}`);
  if (!WELL_FORMED.test(right)) return new ValueError(`resource version is not well formed: ${right}`);
  if (left.length !== right.length) return left.length < right.length ? -1 : 1;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
