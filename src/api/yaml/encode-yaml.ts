import { formatGoFloat } from './go-float.ts';
import { resolveScalar } from './go-scalar.ts';
import { hasBreaks, styleOf } from './scalar-style.ts';
import { writeScalar } from './scalar-text.ts';

/**
 * Prints a JSON value as Kubernetes prints YAML: keys sorted, lists not indented under their key, strings quoted where
 * they would be read as something else, several lines as a block, lines broken after 80 columns.
 */
export function encodeYaml(value: unknown): string {
  const text = isCollection(value) ? collectionText(value, 0) : scalarText(value, { column: 0, indent: 2 });
  return `${text}\n`;
}

type Collection = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Go gives up the simple form of keys that are longer, in bytes. */
const LONGEST_SIMPLE_KEY = 128;

/** The lines of a list or map, whose first line goes where we are. */
function collectionText(value: Collection, indent: number): string {
  if (isEmpty(value)) return Array.isArray(value) ? '[]' : '{}';
  const lines = Array.isArray(value)
    ? value.map((item: unknown) => `-${afterDash(item, indent)}`)
    : entriesOf(value as Readonly<Record<string, unknown>>).map(([key, item]) => entryText(key, item, indent));
  return lines.join(lineStart(indent));
}

function entriesOf(value: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([left], [right]) => compareKeys(left, right));
}

function entryText(key: string, value: unknown, indent: number): string {
  if (hasBreaks(key) || Buffer.byteLength(key) > LONGEST_SIMPLE_KEY) {
    return `?${afterDash(key, indent)}${lineStart(indent)}:${afterDash(value, indent)}`;
  }
  const start = `${writeScalar(key, styleOf(key, true), { column: indent, indent: indent + 2, isKey: true })}:`;
  if (!isCollection(value)) {
    return `${start} ${scalarText(value, { column: indent + Array.from(start).length + 1, indent: indent + 2 })}`;
  }
  if (isEmpty(value)) return `${start} ${collectionText(value, indent)}`;
  const inner = Array.isArray(value) ? indent : indent + 2;
  return `${start}${lineStart(inner)}${collectionText(value, inner)}`;
}

/** What follows a dash, or the question mark or colon of a long key: collections start on the same line. */
function afterDash(value: unknown, indent: number): string {
  if (isCollection(value)) return ` ${collectionText(value, indent + 2)}`;
  return ` ${scalarText(value, { column: indent + 2, indent: indent + 2 })}`;
}

function scalarText(value: unknown, place: { readonly column: number; readonly indent: number }): string {
  if (typeof value === 'string') return writeScalar(value, styleOf(value, false), { ...place, isKey: false });
  if (typeof value === 'number') return numberText(value);
  return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : 'null';
}

/** Integers of up to 64 bits as they are in JSON; all else as a float. */
function numberText(value: number): string {
  const text = String(value);
  const isInteger = /^-?\d{1,20}$/.test(text) && resolveScalar(text).kind === 'int';
  return isInteger ? text : formatGoFloat(value);
}

function isCollection(value: unknown): value is Collection {
  return typeof value === 'object' && value !== null;
}

function isEmpty(value: Collection): boolean {
  return Array.isArray(value) ? value.length === 0 : Object.values(value).every((item) => item === undefined);
}

function lineStart(indent: number): string {
  return `\n${' '.repeat(indent)}`;
}

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

/**
 * Compares keys as Go's YAML encoder sorts them: by character, letters after all else, runs of digits by their number.
 *
 * Example: `a-b` before `ab`, `a2` before `a10`.
 */
function compareKeys(left: string, right: string): number {
  if (left === right) return 0;
  const quick = compareLetters(left, right);
  if (quick !== 0) return quick;
  const a = Array.from(left);
  const b = Array.from(right);
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  const mine = a[at];
  const other = b[at];
  if (mine === undefined || other === undefined) return a.length - b.length;
  const isLetter = LETTER.test(mine);
  if (isLetter !== LETTER.test(other)) return isLetter ? 1 : -1;
  return (isLetter ? 0 : compareNumbers(a, b, at)) || codePoint(mine) - codePoint(other);
}

/** Decides if two ASCII keys differ first in a letter each; 0 if that is not so. */
function compareLetters(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at++) {
    const mine = left.charCodeAt(at);
    const other = right.charCodeAt(at);
    if (mine > 0x7f || other > 0x7f) return 0;
    if (mine !== other) return isLetterCode(mine) && isLetterCode(other) ? mine - other : 0;
  }
  return left.length - right.length;
}

function isLetterCode(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

/** Where two keys begin to differ there may be numbers; if they differ in zeros, what stands before belongs to them. */
function compareNumbers(a: readonly string[], b: readonly string[], at: number): number {
  const lead = a[at] === '0' || b[at] === '0' ? leadBefore(a, at) : 0n;
  const mine = numberAt(a, at, lead);
  const other = numberAt(b, at, lead);
  if (mine.value !== other.value) return mine.value < other.value ? -1 : 1;
  return mine.end - other.end;
}

function leadBefore(characters: readonly string[], at: number): bigint {
  for (let index = at - 1; index >= 0 && DIGIT.test(characters[index] ?? ''); index--) {
    if (characters[index] !== '0') return 1n;
  }
  return 0n;
}

function numberAt(
  characters: readonly string[],
  at: number,
  lead: bigint,
): { readonly value: bigint; readonly end: number } {
  let value = lead;
  let end = at;
  for (; end < characters.length && DIGIT.test(characters[end] ?? ''); end++) {
    value = BigInt.asIntN(64, value * 10n + BigInt(codePoint(characters[end] ?? '0') - 0x30));
  }
  return { value, end };
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
