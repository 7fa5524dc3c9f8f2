/**
 * Prints a value as Go prints JSON: without spaces, with `<`, `>`, `&`, U+2028 and U+2029 escaped, bigints as numbers.
 *
 * Every value that comes from decoding can be printed; JSON.stringify alone throws when there is a bigint in it.
 */
export function encodeJson(value: unknown): string {
  const text = stringify(value);
  return ESCAPED.test(text) ? text.replace(ALL_ESCAPED, escape) : text;
}

/** The same, indented by two spaces a level, as `?pretty=true` asks for. */
export function encodePrettyJson(value: unknown): string {
  return stringify(value, 2).replace(ALL_ESCAPED, escape);
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

/** Prints bigints as strings with a mark that no other string has, and then takes quotes and marks away. */
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
