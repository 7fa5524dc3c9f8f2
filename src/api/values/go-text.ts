const SPECIAL = /[^ !#-[\]-~]/gu;
/** Go's printable characters: letters, marks, numbers, punctuation, symbols and the ASCII space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Maximum length of a quoted value in a message, which adds how much is missing; upstream quotes values whole. */
const MAX_QUOTED = 64 * 1024;

export function cutForMessage(text: string, limit = MAX_QUOTED): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}... (${text.length - limit} more)`;
}

/** Quotes text as Go's `%q` does; all values quoted in messages to clients go through it. */
export function quoteGo(text: string): string {
  return quoteWhole(cutForMessage(text));
}

/** The same for text of any length, for results rather than messages. */
export function quoteWhole(text: string): string {
  return `"${text.replace(SPECIAL, (character) => ESCAPES[character] ?? escapeRune(character))}"`;
}

function escapeRune(character: string): string {
  const rune = character.codePointAt(0) ?? 0;
  if (rune < 0x20 || rune === 0x7f) return `\\x${hex(rune, 2)}`;
  if (rune >= 0xd800 && rune <= 0xdfff) return '\ufffd'; // a lone surrogate would have arrived as the replacement character
  if (PRINTABLE.test(character)) return character;
  return rune < 0x10000 ? `\\u${hex(rune, 4)}` : `\\U${hex(rune, 8)}`;
}

/** Writes a value as Go's JSON encoder does, which also escapes `<`, `>` and `&`. */
export function jsonGo(value: unknown): string {
  return escapedForHtml(cutForMessage(JSON.stringify(value)));
}

/** JSON with the characters escaped that Go's encoder escapes, because they mean something in HTML. */
export function escapedForHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${hex(character.charCodeAt(0), 4)}`);
}

/** Go's white space, which differs from JavaScript's. */
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Removes white space from both ends, as Go's TrimSpace does. */
export function trimGo(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && SPACE.test(text.charAt(from))) from++;
  while (from < to && SPACE.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}
