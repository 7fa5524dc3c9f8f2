import type { Tokens } from './lexer.ts';
import { Token, type TokenKind } from './token.ts';

/** Thrown where the tokens do not fit the grammar; `diagnose` then finds out why. */
export const MISFIT = Symbol('misfit');

/** Goes over the tokens of an expression. */
export class TokenReader {
  readonly #text: string;
  readonly #tokens: Tokens;
  #at = 0;

  constructor(text: string, tokens: Tokens) {
    this.#text = text;
    this.#tokens = tokens;
  }

  /** The kind of the next token, or of one further on. */
  peek(ahead = 0): TokenKind {
    return this.#tokens.kinds[this.#at + ahead] as TokenKind;
  }

  /** Where the next token begins. */
  get offset(): number {
    return this.#tokens.starts[this.#at] as number;
  }

  /** Advances; returns where the token began. */
  take(): number {
    const { offset } = this;
    this.#at += 1;
    return offset;
  }

  takeText(): string {
    const text = this.#text.slice(this.offset, this.#tokens.ends[this.#at]);
    this.#at += 1;
    return text;
  }

  /** Like `take`, if the token is the expected one; never advances past the end. */
  expect(kind: TokenKind): number {
    if (this.peek() !== kind) throw MISFIT;
    return kind === Token.end ? this.offset : this.take();
  }
}
