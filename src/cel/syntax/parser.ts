import { diagnose } from './diagnose.ts';
import { Depth, TooDeep } from './depth.ts';
import type { Expr, MapEntry, StructField } from './expr.ts';
import { Issues } from './issues.ts';
import { tokenize } from './lexer.ts';
import { readLiteral } from './literal-value.ts';
import { MacroError, type MacroTable } from './macro.ts';
import { Operator, products, relations, reservedWords, sums } from './operators.ts';
import { codePointCount, type Source } from './source.ts';
import { Token, type TokenKind } from './token.ts';
import { MISFIT, TokenReader } from './token-reader.ts';

/** How an environment changes the grammar. */
export interface Syntax {
  readonly macros: MacroTable;
  /** Whether `a.?b`, `a[?b]` and optional elements, entries and fields may be written. */
  readonly hasOptionals: boolean;
}

export type Parsed = { readonly ok: true; readonly expr: Expr } | { readonly ok: false; readonly issues: Issues };

const MAX_CODE_POINTS = 100_000;

/** Parses an expression and expands its macros. */
export function parse(source: Source, syntax: Syntax): Parsed {
  const issues = new Issues(source);
  const size = source.text.length > MAX_CODE_POINTS ? codePointCount(source.text) : 0;
  if (size > MAX_CODE_POINTS) {
    issues.report(undefined, `expression code point size exceeds limit: size: ${size}, limit ${MAX_CODE_POINTS}`);
    return { ok: false, issues };
  }
  let isCut = true;
  const tokens = tokenize(source.text, () => (isCut = false));
  try {
    const expr = isCut ? new Parser(new TokenReader(source.text, tokens), syntax, issues).parse() : undefined;
    if (expr !== undefined && issues.isEmpty) return { ok: true, expr };
    if (expr !== undefined) return { ok: false, issues };
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    issues.report(undefined, error.message);
    return { ok: false, issues };
  }
  return { ok: false, issues: diagnose(source) };
}

/** Reads well-formed expressions, by recursive descent. */
class Parser {
  readonly #reader: TokenReader;
  readonly #syntax: Syntax;
  readonly #issues: Issues;
  readonly #depth = new Depth();

  constructor(reader: TokenReader, syntax: Syntax, issues: Issues) {
    this.#reader = reader;
    this.#syntax = syntax;
    this.#issues = issues;
  }

  /** The expression; nothing when the tokens do not fit the grammar. */
  parse(): Expr | undefined {
    try {
      const expr = this.#expr();
      this.#reader.expect(Token.end);
      this.#depth.check(expr);
      return expr;
    } catch (error) {
      if (error === MISFIT) return undefined;
      throw error;
    }
  }

  #expr(): Expr {
    this.#depth.enter('expr');
    const condition = this.#chain(Token.or, Operator.or, () => this.#conjunction());
    let expr = condition;
    if (this.#reader.peek() === Token.question) {
      const offset = this.#reader.take();
      const yes = this.#chain(Token.or, Operator.or, () => this.#conjunction());
      this.#reader.expect(Token.colon);
      expr = this.#depth.deeper(this.#call(offset, Operator.conditional, [condition, yes, this.#expr()]));
    }
    this.#depth.leave('expr');
    return expr;
  }

  #conjunction(): Expr {
    return this.#chain(Token.and, Operator.and, () => this.#relation(1));
  }

  /** `a && b && c && d`, as a balanced tree: the operator is commutative, and long chains would be deep. */
  #chain(token: TokenKind, name: string, next: () => Expr): Expr {
    const first = next();
    if (this.#reader.peek() !== token) return first;
    const terms = [first];
    const offsets: number[] = [];
    while (this.#reader.peek() === token) {
      offsets.push(this.#reader.take());
      terms.push(next());
    }
    const balance = (low: number, high: number): Expr => {
      const middle = (low + high + 1) >> 1;
      const left = middle === low ? (terms[middle] as Expr) : balance(low, middle - 1);
      const right = middle === high ? (terms[middle + 1] as Expr) : balance(middle + 1, high);
      return this.#call(offsets[middle] as number, name, [left, right]);
    };
    return balance(0, offsets.length - 1);
  }

  #relation(rank: number): Expr {
    this.#depth.enter('relation');
    let left = this.#calc(1);
    for (
      let name = relations.get(this.#reader.peek());
      rank <= 1 && name !== undefined;
      name = relations.get(this.#reader.peek())
    ) {
      const offset = this.#reader.take();
      left = this.#depth.deeper(this.#call(offset, name, [left, this.#relation(2)]));
    }
    this.#depth.leave('relation');
    return left;
  }

  /** Sums have rank 1, products 2. */
  #calc(rank: number): Expr {
    this.#depth.enter('calc');
    let left = this.#unary();
    for (;;) {
      const product = rank <= 2 ? products.get(this.#reader.peek()) : undefined;
      const name = product ?? (rank <= 1 ? sums.get(this.#reader.peek()) : undefined);
      if (name === undefined) break;
      const offset = this.#reader.take();
      left = this.#depth.deeper(this.#call(offset, name, [left, this.#calc(product === undefined ? 2 : 3)]));
    }
    this.#depth.leave('calc');
    return left;
  }

  #unary(): Expr {
    const kind = this.#reader.peek();
    if (kind !== Token.not && (kind !== Token.minus || this.#isSignedNumber())) return this.#member();
    const offset = this.#reader.offset;
    let count = 0;
    while (this.#reader.peek() === kind) {
      this.#reader.take();
      count += 1;
    }
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return this.#call(offset, kind === Token.not ? Operator.not : Operator.negate, [operand]);
  }

  #isSignedNumber(): boolean {
    const next = this.#reader.peek(1);
    return next === Token.int || next === Token.float;
  }

  #member(): Expr {
    let operand = this.#primary();
    for (;;) {
      if (this.#reader.peek() === Token.dot) operand = this.#depth.deeper(this.#dotted(operand));
      else if (this.#reader.peek() === Token.openBracket) operand = this.#depth.deeper(this.#indexed(operand));
      else return operand;
    }
  }

  #dotted(operand: Expr): Expr {
    const dot = this.#reader.take();
    const isOptional = this.#reader.peek() === Token.question;
    if (isOptional) this.#reader.take();
    if (this.#reader.peek() !== Token.identifier && this.#reader.peek() !== Token.escapedIdentifier) throw MISFIT;
    const isEscaped = this.#reader.peek() === Token.escapedIdentifier;
    const start = this.#reader.offset;
    const field = this.#reader.takeText();
    if (isEscaped) this.#issues.report(start, "unsupported syntax: '`'");
    if (isOptional) {
      if (!this.#syntax.hasOptionals) this.#issues.report(dot, "unsupported syntax '.?'");
      const name: Expr = { kind: 'literal', offset: start, literal: { kind: 'string', value: field } };
      return this.#depth.of(
        { kind: 'call', offset: dot, name: Operator.optionalSelect, target: undefined, args: [operand, name] },
        [operand],
      );
    }
    if (!isEscaped && this.#reader.peek() === Token.openParen) {
      const offset = this.#reader.take();
      return this.#expand(offset, field, { target: operand, args: this.#arguments() });
    }
    return this.#depth.of({ kind: 'select', offset: dot, operand, field, isTest: false }, [operand]);
  }

  #indexed(operand: Expr): Expr {
    const offset = this.#reader.take();
    const isOptional = this.#reader.peek() === Token.question;
    if (isOptional) this.#reader.take();
    const index = this.#expr();
    this.#reader.expect(Token.closeBracket);
    if (isOptional && !this.#syntax.hasOptionals) this.#issues.report(offset, "unsupported syntax '[?'");
    return this.#call(offset, isOptional ? Operator.optionalIndex : Operator.index, [operand, index]);
  }

  #primary(): Expr {
    switch (this.#reader.peek()) {
      case Token.dot:
      case Token.identifier:
        return this.#named();
      case Token.openParen: {
        this.#reader.take();
        const inner = this.#expr();
        this.#reader.expect(Token.closeParen);
        return inner;
      }
      case Token.openBracket:
        return this.#list();
      case Token.openBrace:
        return this.#map();
      default:
        return this.#literal();
    }
  }

  #named(): Expr {
    const start = this.#reader.offset;
    const dot = this.#reader.peek() === Token.dot ? '.' : '';
    if (dot !== '') this.#reader.take();
    const offset = this.#reader.offset;
    if (this.#isStruct()) return this.#struct(dot);
    if (this.#reader.peek() !== Token.identifier) throw MISFIT;
    const name = this.#reader.takeText();
    const isReserved = reservedWords.has(name);
    if (this.#reader.peek() === Token.openParen) {
      const paren = this.#reader.take();
      const args = this.#arguments();
      if (isReserved) this.#issues.report(start, `reserved identifier: ${name}`);
      return this.#expand(paren, dot + name, { target: undefined, args });
    }
    if (isReserved) this.#issues.report(start, `reserved identifier: ${name}`);
    return { kind: 'ident', offset, name: dot + name };
  }

  /** Whether `a.b.c{` comes next. */
  #isStruct(): boolean {
    const reader = this.#reader;
    let at = 0;
    while (reader.peek(at) === Token.identifier && reader.peek(at + 1) === Token.dot) at += 2;
    return reader.peek(at) === Token.identifier && reader.peek(at + 1) === Token.openBrace;
  }

  #struct(prefix: string): Expr {
    let typeName = prefix + this.#reader.takeText();
    while (this.#reader.peek() === Token.dot) {
      this.#reader.take();
      typeName += `.${this.#reader.takeText()}`;
    }
    const offset = this.#reader.take();
    const fields: StructField[] = [];
    this.#items(Token.closeBrace, () => {
      const start = this.#reader.offset;
      const isOptional = this.#optionalMark(start);
      const { size } = this.#issues;
      if (this.#reader.peek() === Token.escapedIdentifier) this.#issues.report(start, "unsupported syntax: '`'");
      else if (this.#reader.peek() !== Token.identifier) throw MISFIT;
      const name = this.#reader.takeText();
      const colon = this.#reader.expect(Token.colon);
      fields.push({ offset: colon, name, value: this.#expr(), isOptional });
      this.#forget(isOptional, size);
    });
    return this.#depth.of(
      { kind: 'struct', offset, typeName, fields },
      fields.map(({ value }) => value),
    );
  }

  #list(): Expr {
    const offset = this.#reader.take();
    const elements: Expr[] = [];
    const optionals = new Set<number>();
    this.#items(Token.closeBracket, () => {
      if (this.#optionalMark(this.#reader.offset)) optionals.add(elements.length);
      elements.push(this.#expr());
    });
    return this.#depth.of({ kind: 'list', offset, elements, optionals }, elements);
  }

  #map(): Expr {
    const offset = this.#reader.take();
    const entries: MapEntry[] = [];
    this.#items(Token.closeBrace, () => {
      const isOptional = this.#optionalMark(this.#reader.offset);
      const { size } = this.#issues;
      const key = this.#expr();
      const colon = this.#reader.expect(Token.colon);
      entries.push({ offset: colon, key, value: this.#expr(), isOptional });
      this.#forget(isOptional, size);
    });
    return this.#depth.of(
      { kind: 'map', offset, entries },
      entries.flatMap(({ key, value }) => [key, value]),
    );
  }

  #optionalMark(offset: number): boolean {
    if (this.#reader.peek() !== Token.question) return false;
    this.#reader.take();
    if (!this.#syntax.hasOptionals) this.#issues.report(offset, "unsupported syntax '?'");
    return true;
  }

  /** An entry or field that may not be optional is not looked into. */
  #forget(isOptional: boolean, size: number): void {
    if (isOptional && !this.#syntax.hasOptionals) this.#issues.truncate(size);
  }

  /** Items with commas between them, and maybe one behind the last (also when there are no items). */
  #items(close: TokenKind, item: () => void): void {
    if (this.#reader.peek() !== close && this.#reader.peek() !== Token.comma) {
      item();
      while (this.#reader.peek() === Token.comma && this.#reader.peek(1) !== close) {
        this.#reader.take();
        item();
      }
    }
    if (this.#reader.peek() === Token.comma) this.#reader.take();
    this.#reader.expect(close);
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#reader.peek() !== Token.closeParen) {
      args.push(this.#expr());
      while (this.#reader.peek() === Token.comma) {
        this.#reader.take();
        args.push(this.#expr());
      }
    }
    this.#reader.expect(Token.closeParen);
    return args;
  }

  #literal(): Expr {
    const offset = this.#reader.offset;
    const sign = this.#reader.peek() === Token.minus ? '-' : '';
    if (sign !== '') this.#reader.take();
    const kind = this.#reader.peek();
    if (sign !== '' && kind !== Token.int && kind !== Token.float) throw MISFIT;
    const literal = readLiteral(kind, this.#reader.takeText(), sign);
    if (literal === undefined) throw MISFIT;
    if (typeof literal !== 'string') return { kind: 'literal', offset, literal };
    this.#issues.report(offset, literal);
    return { kind: 'literal', offset, literal: { kind: 'null' } };
  }

  /** A call, or what its macro makes of it. */
  #expand(
    offset: number,
    name: string,
    call: { readonly target: Expr | undefined; readonly args: readonly Expr[] },
  ): Expr {
    const { target, args } = call;
    const parts = target === undefined ? args : [target, ...args];
    const macro = this.#syntax.macros.find(name, target !== undefined, args.length);
    if (macro !== undefined) {
      try {
        const expanded = macro.expand({ offset, target, args });
        if (expanded !== undefined) return this.#depth.of(expanded, parts);
      } catch (error) {
        if (!(error instanceof MacroError)) throw error;
        this.#issues.report(error.offset, error.message);
        return { kind: 'literal', offset, literal: { kind: 'null' } };
      }
    }
    return this.#depth.of({ kind: 'call', offset, name, target, args }, parts);
  }

  #call(offset: number, name: string, args: readonly Expr[]): Expr {
    return this.#depth.of({ kind: 'call', offset, name, target: undefined, args }, args);
  }
}
