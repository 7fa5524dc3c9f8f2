import { unreachable } from '../../base/index.ts';
import { type ScalarStyle } from './scalar-style.ts';

/** The position of a scalar. */
export interface ScalarPlace {
  /** The column at which it starts. */
  readonly column: number;
  /** The indentation of its further lines. */
  readonly indent: number;
  /** Keys stay on their line. */
  readonly isKey: boolean;
}

/** A line longer than this is broken at the next space. */
const BEST_WIDTH = 80;

export function writeScalar(text: string, style: ScalarStyle, place: ScalarPlace): string {
  switch (style) {
    case 'plain':
      if (place.isKey || place.column + text.length <= BEST_WIDTH) return text;
      return fold(Array.from(text), place, { isEscaped: false });
    case 'single':
      return `'${fold(singleParts(text, place.indent), { ...place, column: place.column + 1 }, { isEscaped: false })}'`;
    case 'double':
      return `"${fold(Array.from(text, escapeDouble), { ...place, column: place.column + 1 }, { isEscaped: true })}"`;
    case 'literal':
      return writeLiteral(text, place.indent);
    default:
      return unreachable(style);
  }
}

/** Joins the characters, breaking lines at spaces; a broken line that continues with a space needs a backslash. */
function fold(parts: readonly string[], place: ScalarPlace, { isEscaped }: { readonly isEscaped: boolean }): string {
  const lineStart = `\n${' '.repeat(place.indent)}`;
  let result = '';
  let { column } = place;
  let wasSpace = false;
  for (const [index, part] of parts.entries()) {
    const isSpace = part === ' ';
    const isInside = index > 0 && index < parts.length - 1;
    const isBeforeSpace = parts[index + 1] === ' ';
    if (isSpace && !place.isKey && !wasSpace && column > BEST_WIDTH && isInside && (isEscaped || !isBeforeSpace)) {
      result += isBeforeSpace ? `${lineStart}\\` : lineStart;
      column = place.indent + (isBeforeSpace ? 1 : 0);
    } else {
      result += part;
      column += Array.from(part).length;
    }
    wasSpace = isSpace;
  }
  return result;
}

/** Quotes are doubled. Unicode line breaks are kept; the text after them is indented like any other line. */
function singleParts(text: string, indent: number): string[] {
  const quoted = Array.from(text, (character) => (character === "'" ? "''" : character));
  return quoted.map((part, index) => {
    const isLineStart = isUnicodeBreak(quoted[index - 1]) && !isUnicodeBreak(part);
    return isLineStart ? ' '.repeat(indent) + part : part;
  });
}

function isUnicodeBreak(character: string | undefined): boolean {
  return character === '\u2028' || character === '\u2029';
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '0'],
  ['\x07', 'a'],
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\v', 'v'],
  ['\f', 'f'],
  ['\r', 'r'],
  ['\x1b', 'e'],
  ['"', '"'],
  ['\\', '\\'],
  ['\x85', 'N'],
  ['\u2028', 'L'],
  ['\u2029', 'P'],
]);

/** Characters that need no escape, besides quotes and backslashes. */
const PRINTABLE = /^[\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/u;

function escapeDouble(character: string): string {
  const short = ESCAPES.get(character);
  if (short !== undefined) return `\\${short}`;
  if (PRINTABLE.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

/** Line by line. The indicator says whether the final line break is single (none), missing (`-`), or one of several (`+`). */
function writeLiteral(text: string, indent: number): string {
  const hint = /^[ \r\n\u0085\u2028\u2029]/.test(text) ? '2' : '';
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
  const lines = (chomp === '-' ? text : text.slice(0, -1)).split('\n');
  const indented = lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line));
  return `|${hint}${chomp}\n${indented.join('\n')}`;
}
