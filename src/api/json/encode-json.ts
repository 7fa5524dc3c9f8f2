import { compareUtf8 } from '../../base/index.ts';
import { setOwn } from './plain-object.ts';

/**
 * Prints a value as Go prints JSON: without spaces, with `<`, `>`, `&`, U+2028 and U+2029 escaped, bigints as numbers.
 *
 * Prints every decoded value, while JSON.stringify throws for bigints.
 */
export function encodeJson(value: unknown): string {
  return escapeJson(stringify(value));
}

/** JSON text with Go's escapes. */
export function escapeJson(text: string): string {
  return ESCAPED.test(text) ? text.replace(ALL_ESCAPED, escape) : text;
}

/** The same, indented by two spaces a level, for `?pretty=true`. */
export function encodePrettyJson(value: unknown): string {
  return stringify(value, 2).replace(ALL_ESCAPED, escape);
}

/** The same with the members of all objects sorted by name, as Go prints maps. */
export function encodeSortedJson(value: unknown): string {
  return encodeJson(withSortedMembers(value));
}

/** The value itself if it is sorted already. */
function withSortedMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(withSortedMembers);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const names = Object.keys(value);
  const members = value as Readonly<Record<string, unknown>>;
  const sorted = names.every((name, index) => index === 0 || compareUtf8(names[index - 1] ?? '', name) < 0)
    ? names
    : names.toSorted(compareUtf8);
  const result: Record<string, unknown> = {};
  let isSame = sorted === names;
  for (const name of sorted) {
    const member = withSortedMembers(members[name]);
    if (member !== members[name]) isSame = false;
    setOwn(result, name, member);
  }
  return isSame ? value : result;
}

const ESCAPED = /[<>&\u2028\u2029]/;
const ALL_ESCAPED = /[<>&\u2028\u2029]/g;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function stringify(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    if (!hasBigint(value)) throw error;
    return stringifyBigints(value, indent);
  }
}

/** Prints bigints as strings with a unique mark, and then removes quotes and marks. */
function stringifyBigints(value: unknown, indent?: number): string {
  const others = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? 0 : item));
  let mark = '#';
  while (others.includes(mark)) mark += '#';
  const text = JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? mark + item : item), indent);
  return text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

function hasBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some(hasBigint);
}
