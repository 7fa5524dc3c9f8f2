import type { LiteralValue } from './expr.ts';
import { Token, type TokenKind } from './token.ts';

/** An invalid literal; the message is shown to the author. */
export class LiteralError extends Error {
  override readonly name = 'LiteralError';
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
};

/** The value of a string literal, which includes its quotes. */
export function readString(literal: string): string {
  const { body, isRaw } = unquote(literal);
  if (isRaw || !body.includes('\\')) return body;
  return body.replaceAll(ESCAPES, (escape) => {
    const code = escapedCode(escape);
    if (typeof code === 'string') return code;
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new LiteralError('invalid unicode code point');
    return String.fromCodePoint(code);
  });
}

/** The value of a bytes literal without its `b`: escapes are bytes, other characters are encoded as UTF-8. */
export function readBytes(literal: string): Uint8Array {
  const { body, isRaw } = unquote(literal);
  if (isRaw || !body.includes('\\')) return new TextEncoder().encode(body);
  const parts: Buffer[] = [];
  let at = 0;
  for (const match of body.matchAll(ESCAPES)) {
    parts.push(Buffer.from(body.slice(at, match.index)));
    at = match.index + match[0].length;
    const code = escapedCode(match[0]);
    if (/^\\[uU]/.test(match[0])) throw new LiteralError('unable to unescape string');
    parts.push(typeof code === 'string' ? Buffer.from(code) : Buffer.from([code]));
  }
  parts.push(Buffer.from(body.slice(at)));
  return new Uint8Array(Buffer.concat(parts));
}

const ESCAPES = /\\(?:[0-3][0-7]{2}|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[^])/g;

function escapedCode(escape: string): string | number {
  const simple = SIMPLE_ESCAPES[escape.slice(1)];
  if (simple !== undefined) return simple;
  return /[0-3]/.test(escape.charAt(1)) ? Number.parseInt(escape.slice(1), 8) : Number.parseInt(escape.slice(2), 16);
}

function unquote(literal: string): { readonly body: string; readonly isRaw: boolean } {
  const text = literal.replaceAll(/\r\n?/g, '\n');
  const isRaw = /^[rR]/.test(text);
  const quoted = isRaw ? text.slice(1) : text;
  const width = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1;
  return { body: quoted.slice(width, -width), isRaw };
}

/** The literal, or a description of the problem; undefined when the token is not a literal. */
export function readLiteral(kind: TokenKind, text: string, sign: string): LiteralValue | string | undefined {
  try {
    switch (kind) {
      case Token.int: {
        const value = sign === '' ? BigInt(text) : -BigInt(text);
        return BigInt.asIntN(64, value) === value ? { kind: 'int', value: shortInt(value) } : 'invalid int literal';
      }
      case Token.uint: {
        const value = BigInt(text.slice(0, -1));
        return BigInt.asUintN(64, value) === value ? { kind: 'uint', value } : 'invalid uint literal';
      }
      case Token.float: {
        const value = Number(sign + text);
        return Number.isFinite(value) ? { kind: 'double', value } : 'invalid double literal';
      }
      case Token.string:
        return { kind: 'string', value: readString(text) };
      case Token.bytes:
        return { kind: 'bytes', value: readBytes(text.slice(1)) };
      case Token.true:
      case Token.false:
        return { kind: 'bool', value: kind === Token.true };
      case Token.null:
        return { kind: 'null' };
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof LiteralError) return error.message;
    throw error;
  }
}

/** A number where that is exact, otherwise a bigint. */
function shortInt(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
