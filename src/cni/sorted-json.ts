import { compareUtf8 } from '../base/index.ts';

/** Characters that Go's encoder escapes beside those of JSON. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/**
 * JSON with the keys of objects in order of their bytes, and escaped as Go's encoder does it: what libcni writes, byte for byte.
 * Members that are undefined are left out.
 *
 * Example: `{ b: '<', a: 1 }` is `{"a":1,"b":"\u003c"}`.
 */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => sortedJson(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return scalarJson(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([left], [right]) => compareUtf8(left, right));
  return `{${members.map(([key, member]) => `${scalarJson(key)}:${sortedJson(member)}`).join(',')}}`;
}

/** JSON of an object with its keys as they are; what is inside of them is sorted. */
export function orderedJson(members: Readonly<Record<string, unknown>>): string {
  const written = Object.entries(members).filter(([, member]) => member !== undefined);
  return `{${written.map(([key, member]) => `${scalarJson(key)}:${sortedJson(member)}`).join(',')}}`;
}

function scalarJson(value: unknown): string {
  return JSON.stringify(value ?? null).replaceAll(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
