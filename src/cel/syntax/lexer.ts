import { keywords, symbols, Token, type TokenKind } from './token.ts';

/** The tokens of a text as parallel lists, without spaces and comments; the last token is the end. */
export interface Tokens {
  readonly kinds: readonly TokenKind[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** A stretch of text that is not a token, up to where the lexer resumed. */
export interface LexicalFailure {
  readonly start: number;
  readonly end: number;
}

const SPACE = /[\t \r\n\f]+|\/\/[^\n]*/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /0x[0-9a-fA-F]+[uU]?|(?:[0-9]+\.[0-9]+|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+(?:[eE][+-]?[0-9]+|[uU])?/y;
const ESCAPE = String.raw`\\(?:[abfnrtv"'\\?\x60]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})`;
/** After the opening quotes: the rest of a literal of each form, by its quotes. */
const STRING_ENDS: ReadonlyMap<string, RegExp> = new Map([
  ['"', new RegExp(String.raw`(?:${ESCAPE}|[^\\"\n\r])*"`, 'y')],
  ["'", new RegExp(String.raw`(?:${ESCAPE}|[^\\'\n\r])*'`, 'y')],
  ['"""', new RegExp(String.raw`(?:${ESCAPE}|[^\\])*?"""`, 'y')],
  ["'''", new RegExp(String.raw`(?:${ESCAPE}|[^\\])*?'''`, 'y')],
]);
const RAW_STRING_ENDS: ReadonlyMap<string, RegExp> = new Map([
  ['"', /[^"\n\r]*"/y],
  ["'", /[^'\n\r]*'/y],
  ['"""', /[^]*?"""/y],
  ["'''", /[^]*?'''/y],
]);
const ESCAPED_IDENTIFIER = /`[A-Za-z0-9_.\-/ ]+`/y;
/** How far an unterminated literal or escaped identifier extends. */
const UNENDED = [
  new RegExp(String.raw`"(?:${ESCAPE}|[^\\"\n\r])*`, 'y'),
  new RegExp(String.raw`'(?:${ESCAPE}|[^\\'\n\r])*`, 'y'),
  /`[A-Za-z0-9_.\-/ ]*/y,
  /==?|&&?|\|\|?/y,
];
const PARTIAL_ESCAPE = /\\(?:[0-3][0-7]?|[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7})?/y;

/** Splits a text into tokens. Invalid stretches go to `onFailure` and are left out. */
export function tokenize(text: string, onFailure: (failure: LexicalFailure) => void): Tokens {
  const kinds: TokenKind[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const reader = new TokenReader(text);
  let at = 0;
  while (at < text.length) {
    const space = matchEnd(SPACE, text, at);
    if (space > at) {
      at = space;
      continue;
    }
    const kind = reader.read(at);
    if (kind === undefined) {
      const end = failureEnd(text, at);
      onFailure({ start: at, end });
      at = end;
      continue;
    }
    kinds.push(kind);
    starts.push(at);
    ends.push(reader.end);
    at = reader.end;
  }
  kinds.push(Token.end);
  starts.push(text.length);
  ends.push(text.length);
  return { kinds, starts, ends };
}

/** Reads one token at a time from a text; `end` is a second result, so that no object is allocated per token. */
class TokenReader {
  readonly #text: string;
  /** End of the token read last. */
  end = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The kind of the token at this place; undefined when there is none. Sets `end`. */
  read(at: number): TokenKind | undefined {
    const text = this.#text;
    const code = text.charCodeAt(at);
    if ((code >= 0x30 && code <= 0x39) || code === 0x2e) {
      this.end = matchEnd(NUMBER, text, at);
      if (this.end > at) return this.#numberKind(at);
    }
    const string = this.#stringKind(at);
    if (string !== undefined) return string;
    this.end = matchEnd(WORD, text, at);
    if (this.end > at) return keywords.get(text.slice(at, this.end)) ?? Token.identifier;
    const long = symbols.get(text.slice(at, at + 2));
    if (long !== undefined) {
      this.end = at + 2;
      if (text.length > at + 1) return long;
    }
    const short = symbols.get(text.charAt(at));
    if (short !== undefined) {
      this.end = at + 1;
      return short;
    }
    this.end = matchEnd(ESCAPED_IDENTIFIER, text, at);
    return this.end > at ? Token.escapedIdentifier : undefined;
  }

  #numberKind(at: number): TokenKind {
    const text = this.#text;
    const last = text.charAt(this.end - 1);
    if (last === 'u' || last === 'U') return Token.uint;
    if (text.startsWith('0x', at)) return Token.int;
    return /[.eE]/.test(text.slice(at, this.end)) ? Token.float : Token.int;
  }

  #stringKind(start: number): TokenKind | undefined {
    const text = this.#text;
    let at = start;
    const isBytes = isOneOf(text, at, 'bB');
    if (isBytes) at += 1;
    const isRaw = isOneOf(text, at, 'rR');
    if (isRaw) at += 1;
    const quote = text.charAt(at);
    if (quote !== '"' && quote !== "'") return undefined;
    const ends = isRaw ? RAW_STRING_ENDS : STRING_ENDS;
    for (const quotes of [quote.repeat(3), quote]) {
      if (!text.startsWith(quotes, at)) continue;
      const end = matchEnd(ends.get(quotes) as RegExp, text, at + quotes.length);
      if (end > at + quotes.length) {
        this.end = end;
        return isBytes ? Token.bytes : Token.string;
      }
    }
    return undefined;
  }
}

function isOneOf(text: string, at: number, letters: string): boolean {
  return at < text.length && letters.includes(text.charAt(at));
}

/** Where the lexer resumes after an invalid token: after the offending character. */
function failureEnd(text: string, at: number): number {
  let end = at;
  for (const pattern of UNENDED) end = Math.max(end, matchEnd(pattern, text, at));
  if (text.charAt(end) === '\\' && end > at && isOneOf(text, at, `"'`)) end = matchEnd(PARTIAL_ESCAPE, text, end);
  return end < text.length ? end + ((text.codePointAt(end) as number) > 0xffff ? 2 : 1) : end;
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
