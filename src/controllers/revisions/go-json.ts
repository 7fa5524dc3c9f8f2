import { compareUtf8 } from '../../base/index.ts';

const ESCAPED = /[<>&\u2028\u2029]/g;

/**
 * JSON as Go writes a map: members in the order of their names, and what could end a script in HTML escaped. Members that are
 * null are left out.
 *
 * Example: `{ b: '<', a: null }` becomes `{"b":"\u003c"}`.
 */
export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join()}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
    const sorted = members.toSorted(([left], [right]) => compareUtf8(left, right));
    return `{${sorted.map(([name, member]) => `${text(name)}:${goJson(member)}`).join()}}`;
  }
  return typeof value === 'string' ? text(value) : JSON.stringify(value);
}

function text(value: string): string {
  return JSON.stringify(value).replaceAll(
    ESCAPED,
    (letter) => `\\u${(letter.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
