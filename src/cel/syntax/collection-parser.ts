import type { Expr, MapEntry, StructField } from './expr.ts';
import type { ParseContext } from './parse-context.ts';
import { Token, type TokenKind } from './token.ts';
import { MISFIT } from './token-reader.ts';

/** Reads lists, maps and structs. */
export class CollectionParser {
  readonly #context: ParseContext;
  readonly #expr: () => Expr;

  constructor(context: ParseContext, expr: () => Expr) {
    this.#context = context;
    this.#expr = expr;
  }

  struct(prefix: string): Expr {
    let typeName = prefix + this.#context.reader.takeText();
    while (this.#context.reader.peek() === Token.dot) {
      this.#context.reader.take();
      typeName += `.${this.#context.reader.takeText()}`;
    }
    const offset = this.#context.reader.take();
    const fields: StructField[] = [];
    this.#items(Token.closeBrace, () => {
      const start = this.#context.reader.offset;
      const isOptional = this.#optionalMark(start);
      const { size } = this.#context.issues;
      if (this.#context.reader.peek() === Token.escapedIdentifier)
        this.#context.issues.report(start, "unsupported syntax: '`'");
      else if (this.#context.reader.peek() !== Token.identifier) throw MISFIT;
      const name = this.#context.reader.takeText();
      const colon = this.#context.reader.expect(Token.colon);
      fields.push({ offset: colon, name, value: this.#expr(), isOptional });
      this.#forget(isOptional, size);
    });
    return this.#context.depth.of(
      { kind: 'struct', offset, typeName, fields },
      fields.map(({ value }) => value),
    );
  }

  list(): Expr {
    const offset = this.#context.reader.take();
    const elements: Expr[] = [];
    const optionals = new Set<number>();
    this.#items(Token.closeBracket, () => {
      if (this.#optionalMark(this.#context.reader.offset)) optionals.add(elements.length);
      elements.push(this.#expr());
    });
    return this.#context.depth.of({ kind: 'list', offset, elements, optionals }, elements);
  }

  map(): Expr {
    const offset = this.#context.reader.take();
    const entries: MapEntry[] = [];
    this.#items(Token.closeBrace, () => {
      const isOptional = this.#optionalMark(this.#context.reader.offset);
      const { size } = this.#context.issues;
      const key = this.#expr();
      const colon = this.#context.reader.expect(Token.colon);
      entries.push({ offset: colon, key, value: this.#expr(), isOptional });
      this.#forget(isOptional, size);
    });
    return this.#context.depth.of(
      { kind: 'map', offset, entries },
      entries.flatMap(({ key, value }) => [key, value]),
    );
  }

  #optionalMark(offset: number): boolean {
    if (this.#context.reader.peek() !== Token.question) return false;
    this.#context.reader.take();
    if (!this.#context.syntax.hasOptionals) this.#context.issues.report(offset, "unsupported syntax '?'");
    return true;
  }

  /** An entry or field that must not be optional is not parsed further. */
  #forget(isOptional: boolean, size: number): void {
    if (isOptional && !this.#context.syntax.hasOptionals) this.#context.issues.truncate(size);
  }

  /** Items separated by commas, with an optional trailing comma (also when there are no items). */
  #items(close: TokenKind, item: () => void): void {
    if (this.#context.reader.peek() !== close && this.#context.reader.peek() !== Token.comma) {
      item();
      while (this.#context.reader.peek() === Token.comma && this.#context.reader.peek(1) !== close) {
        this.#context.reader.take();
        item();
      }
    }
    if (this.#context.reader.peek() === Token.comma) this.#context.reader.take();
    this.#context.reader.expect(close);
  }
}
