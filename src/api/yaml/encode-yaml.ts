import { formatGoFloat } from './go-float.ts';
import { resolveScalar } from './go-scalar.ts';
import { compareKeys, keysInSteps } from './key-order.ts';
import { hasBreaks, styleOf } from './scalar-style.ts';
import { writeScalar } from './scalar-text.ts';

/**
 * Prints a JSON value as Kubernetes prints YAML: keys sorted, lists not indented under their key, strings quoted if they
 * would be read as something else, multi-line strings as a block, lines broken after 80 columns.
 */
export function encodeYaml(value: unknown): string {
  const text = isCollection(value) ? collectionText(value, 0) : scalarText(value, { column: 0, indent: 2 });
  return `${text}\n`;
}

/**
 * The same in pieces, for large values: a piece is an entry or item of the outer levels, or empty if sorting the keys of a
 * large map has taken a few milliseconds.
 */
export function* yamlPieces(value: unknown): Generator<string> {
  if (isCollection(value)) yield* collectionPieces(value, 0, PIECED_LEVELS);
  else yield scalarText(value, { column: 0, indent: 2 });
  yield '\n';
}

/** Deeper values are not split: objects are large because of a list or map near their root. */
const PIECED_LEVELS = 6;

function* collectionPieces(value: Collection, indent: number, levels: number): Generator<string> {
  if (isEmpty(value) || levels === 0) {
    yield collectionText(value, indent);
    return;
  }
  const separator = lineStart(indent);
  let isFirst = true;
  for (const start of Array.isArray(value) ? itemStarts(value, indent) : entryStarts(value, indent)) {
    if (start === PAUSE) {
      yield '';
      continue;
    }
    const [text, item, inner] = start;
    yield isFirst ? text : `${separator}${text}`;
    isFirst = false;
    if (isCollection(item)) yield* collectionPieces(item, inner, levels - 1);
  }
}

/** The start of a part of a collection, the collection that follows if there is one, and its indentation. */
type Start = readonly [text: string, rest: unknown, indent: number];

function* itemStarts(items: readonly unknown[], indent: number): Generator<Start> {
  for (const item of items)
    yield isCollection(item) ? ['- ', item, indent + 2] : [`-${afterDash(item, indent)}`, undefined, 0];
}

const PAUSE = Symbol('pause');

function* entryStarts(value: Collection, indent: number): Generator<Start | typeof PAUSE> {
  const members = value as Readonly<Record<string, unknown>>;
  for (const key of keysInSteps(Object.keys(members))) {
    if (key === undefined) {
      yield PAUSE;
      continue;
    }
    const item = members[key];
    if (item === undefined) continue;
    if (!isCollection(item) || isEmpty(item) || isComplexKey(key)) {
      yield [entryText(key, item, indent), undefined, 0];
      continue;
    }
    const inner = Array.isArray(item) ? indent : indent + 2;
    yield [`${keyText(key, indent)}${lineStart(inner)}`, item, inner];
  }
}

type Collection = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Go does not use the simple form for longer keys; in bytes. */
const MAX_SIMPLE_KEY = 128;

/** The lines of a list or map; the first one continues the current line. */
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
  if (isComplexKey(key)) {
    return `?${afterDash(key, indent)}${lineStart(indent)}:${afterDash(value, indent)}`;
  }
  const start = keyText(key, indent);
  if (!isCollection(value)) {
    return `${start} ${scalarText(value, { column: indent + Array.from(start).length + 1, indent: indent + 2 })}`;
  }
  if (isEmpty(value)) return `${start} ${collectionText(value, indent)}`;
  const inner = Array.isArray(value) ? indent : indent + 2;
  return `${start}${lineStart(inner)}${collectionText(value, inner)}`;
}

function isComplexKey(key: string): boolean {
  return hasBreaks(key) || Buffer.byteLength(key) > MAX_SIMPLE_KEY;
}

function keyText(key: string, indent: number): string {
  return `${writeScalar(key, styleOf(key, true), { column: indent, indent: indent + 2, isKey: true })}:`;
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

/** Integers of up to 64 bits as in JSON; all others as floats. */
function numberText(value: number): string {
  const text = String(value);
  const isInteger = /^-?\d{1,20}$/.test(text) && resolveScalar(text).kind === 'int';
  return isInteger ? text : formatGoFloat(value);
}

function isCollection(value: unknown): value is Collection {
  return typeof value === 'object' && value !== null;
}

function isEmpty(value: Collection): boolean {
  if (Array.isArray(value)) return value.length === 0;
  const members = value as Readonly<Record<string, unknown>>;
  for (const key in members) if (members[key] !== undefined) return false;
  return true;
}

function lineStart(indent: number): string {
  return `\n${' '.repeat(indent)}`;
}
