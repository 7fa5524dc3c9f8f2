import { codePointCount } from '../../base/index.ts';
import { CelError, type Value } from '../values/index.ts';

/** Longer parts are searched with a linear-time algorithm. */
const SHORT = 64;
const SURROGATE = /[\ud800-\udfff]/;

/**
 * A string by code points: the string itself where each code point is one code unit, otherwise an array of code points.
 */
function points(text: string): string | readonly string[] {
  return SURROGATE.test(text) ? [...text] : text;
}

function outOfRange(position: number | bigint): CelError {
  return new CelError(`index out of range: ${position}`);
}

function textOf(slice: string | readonly string[]): string {
  return typeof slice === 'string' ? slice : slice.join('');
}

/** The character at a position; the empty string right after the last one. */
export function charAt(text: string, position: number | bigint): Value {
  const all = points(text);
  if (position < 0 || position > all.length) return outOfRange(position);
  return all[Number(position)] ?? '';
}

/** Where `part` is found first, from `start` on; -1 when it is not. */
export function indexOf(text: string, part: string, start: number | bigint): Value {
  if (part === '') return start;
  if (start < 0) return outOfRange(start);
  const all = points(text);
  if (start >= all.length) return -1;
  if (typeof all === 'string') return all.indexOf(part, Number(start));
  const from = lengthOf(all.slice(0, Number(start)));
  const at = text.indexOf(part, from);
  return at < 0 ? -1 : Number(start) + codePointCount(text.slice(from, at));
}

/** Where `part` is found last, beginning at `start` or before; -1 when it is not. */
export function lastIndexOf(text: string, part: string, start: number | bigint | undefined): Value {
  const all = points(text);
  if (part === '') return start ?? all.length;
  if (start === undefined && Buffer.byteLength(text) < Buffer.byteLength(part)) return -1;
  const from = start ?? all.length - 1;
  if (from < 0) return outOfRange(from);
  if (from >= all.length) return -1;
  const last = typeof all === 'string' ? Number(from) : lengthOf(all.slice(0, Number(from)));
  const at = findBackwards(text, part, last);
  return at <= 0 || typeof all === 'string' ? at : codePointCount(text.slice(0, at));
}

function lengthOf(characters: readonly string[]): number {
  return characters.reduce((sum, { length }) => sum + length, 0);
}

/** The built-in backward search is slow; searching the reversed string forwards takes linear time. */
function findBackwards(text: string, part: string, last: number): number {
  if (part.length < SHORT) return text.lastIndexOf(part, last);
  const rest = text.length - part.length;
  if (rest < 0) return -1;
  const at = reversed(text).indexOf(reversed(part), Math.max(0, rest - last));
  return at < 0 ? -1 : rest - at;
}

/** Reversed by code units, in which strings are searched. */
function reversed(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().reverse().toString('utf16le');
}

export function substring(text: string, start: number | bigint, end: number | bigint | undefined): Value {
  const all = points(text);
  const stop = end ?? all.length;
  if (end !== undefined && start > stop) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0 || start > all.length) return outOfRange(start);
  if (stop < 0 || stop > all.length) return outOfRange(stop);
  return textOf(all.slice(Number(start), Number(stop)));
}

/** Replaces the first `limit` occurrences, all when it is negative. An empty `old` is found before every character. */
export function replaceText(
  text: string,
  old: string,
  { fresh, limit }: { readonly fresh: string; readonly limit: number },
): string {
  if (limit === 0 || old === fresh) return text;
  if (old === '') return insertBetween(text, fresh, limit);
  const parts = text.split(old);
  if (limit < 0 || parts.length - 1 <= limit) return parts.join(fresh);
  return [...parts.slice(0, limit), parts.slice(limit).join(old)].join(fresh);
}

function insertBetween(text: string, fresh: string, limit: number): string {
  const all = [...text];
  const count = limit < 0 ? all.length + 1 : Math.min(limit, all.length + 1);
  const head = all.slice(0, count).map((character) => fresh + character);
  return head.join('') + (count > all.length ? fresh : '') + all.slice(count).join('');
}

/** Splits at each separator, into at most `limit` parts when it is not negative. */
export function splitText(text: string, separator: string, limit: number): string[] {
  if (limit === 0) return [];
  const parts = separator === '' ? [...text] : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}
