import { decodeUtf8 } from './go-utf8.ts';
import { unexpectedByte, unexpectedEnd } from './go-syntax-error.ts';
import { type JsonNode, NULL_NODE } from './json-node.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** At the end of the input Go's scanner feeds itself a space, and may refuse that. */
const END = 0x20;

const WORDS: ReadonlyMap<number, { readonly word: string; readonly node: JsonNode }> = new Map([
  [0x74, { word: 'true', node: { kind: 'bool', value: true } }],
  [0x66, { word: 'false', node: { kind: 'bool', value: false } }],
  [0x6e, { word: 'null', node: NULL_NODE }],
]);

export interface Literal {
  readonly node: JsonNode;
  /** The position after it. */
  readonly end: number;
}

/** Reads a string, number, `true`, `false` or `null` at `at`; throws in the words of Go's scanner if there is none. */
export function scanLiteral(bytes: Buffer, at: number): Literal {
  const first = bytes[at] ?? END;
  if (first === QUOTE) return scanString(bytes, at);
  if (first === 0x2d || isDigit(first)) return scanNumber(bytes, at);
  const known = WORDS.get(first);
  if (known === undefined) throw unexpectedByte(first, 'looking for beginning of value');
  for (let index = 1; index < known.word.length; index++) {
    const byte = bytes[at + index] ?? END;
    if (byte !== known.word.charCodeAt(index)) {
      throw unexpectedByte(byte, `in literal ${known.word} (expecting '${known.word[index]}')`);
    }
  }
  return { node: known.node, end: at + known.word.length };
}

function scanNumber(bytes: Buffer, start: number): Literal {
  const byteAt = (at: number): number => bytes[at] ?? END;
  const skipDigits = (from: number, context: string): number => {
    if (!isDigit(byteAt(from))) throw unexpectedByte(byteAt(from), context);
    let at = from + 1;
    while (isDigit(byteAt(at))) at += 1;
    return at;
  };
  let at = byteAt(start) === 0x2d ? start + 1 : start;
  at = byteAt(at) === 0x30 ? at + 1 : skipDigits(at, 'in numeric literal');
  if (byteAt(at) === 0x2e) at = skipDigits(at + 1, 'after decimal point in numeric literal');
  if (byteAt(at) === 0x65 || byteAt(at) === 0x45) {
    const isSigned = byteAt(at + 1) === 0x2b || byteAt(at + 1) === 0x2d;
    at = skipDigits(isSigned ? at + 2 : at + 1, 'in exponent of numeric literal');
  }
  return { node: { kind: 'number', text: bytes.toString('latin1', start, at) }, end: at };
}

function scanString(bytes: Buffer, start: number): Literal {
  let text = '';
  let plain = start + 1; // start of the stretch without escapes that ends at `at`
  let isAscii = true;
  let at = plain;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined) throw unexpectedEnd();
    if (byte < 0x20) throw unexpectedByte(byte, 'in string literal');
    if (byte > 0x7f) isAscii = false;
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) {
      const escape = scanEscape(bytes, at);
      text += stretch(bytes, plain, { end: at, isAscii }) + escape.text;
      at = escape.end;
      plain = at;
    } else {
      at += 1;
    }
  }
  return { node: { kind: 'string', value: text + stretch(bytes, plain, { end: at, isAscii }) }, end: at + 1 };
}

function stretch(
  bytes: Buffer,
  start: number,
  { end, isAscii }: { readonly end: number; readonly isAscii: boolean },
): string {
  return isAscii ? bytes.toString('latin1', start, end) : decodeUtf8(bytes.subarray(start, end));
}

const ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x22, '"'],
  [0x5c, '\\'],
  [0x2f, '/'],
  [0x62, '\b'],
  [0x66, '\f'],
  [0x6e, '\n'],
  [0x72, '\r'],
  [0x74, '\t'],
]);

/** Half a surrogate pair becomes U+FFFD. */
function scanEscape(bytes: Uint8Array, at: number): { readonly text: string; readonly end: number } {
  const code = bytes[at + 1] ?? END;
  const simple = ESCAPES.get(code);
  if (simple !== undefined) return { text: simple, end: at + 2 };
  if (code !== 0x75) throw unexpectedByte(code, 'in string escape code');
  const unit = scanHex(bytes, at + 2);
  if (unit < 0xd800 || unit > 0xdfff) return { text: String.fromCharCode(unit), end: at + 6 };
  if (unit < 0xdc00 && bytes[at + 6] === BACKSLASH && bytes[at + 7] === 0x75) {
    const low = scanHex(bytes, at + 8);
    if (low >= 0xdc00 && low <= 0xdfff) return { text: String.fromCharCode(unit, low), end: at + 12 };
  }
  return { text: '\ufffd', end: at + 6 };
}

function scanHex(bytes: Uint8Array, start: number): number {
  let value = 0;
  for (let at = start; at < start + 4; at++) {
    const byte = bytes[at] ?? END;
    const digit = Number.parseInt(String.fromCharCode(byte), 16);
    if (Number.isNaN(digit)) throw unexpectedByte(byte, String.raw`in \u hexadecimal character escape`);
    value = value * 16 + digit;
  }
  return value;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
