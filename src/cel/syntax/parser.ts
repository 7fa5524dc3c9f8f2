import { diagnose } from './diagnose.ts';
import type { Expr, LiteralValue, MapEntry, StructField } from './expr.ts';
import { Issues } from './issues.ts';
import { tokenize, type Tokens } from './lexer.ts';
import { LiteralError, readBytes, readString } from './literals.ts';
import { MacroError, type MacroTable } from './macro.ts';
import { Operator, products, relations, reservedWords, sums } from './operators.ts';
import { codePointCount, type Source } from './source.ts';
import { Token, type TokenKind } from './token.ts';

/** How an environment changes the grammar. */
export interface Syntax {
  readonly macros: MacroTable;
  /** Whether `a.?b`, `a[?b]` and optional elements, entries and fields may be written. */
  readonly hasOptionals: boolean;
}

export type Parsed = { readonly ok: true; readonly expr: Expr } | { readonly ok: false; readonly issues: Issues };

const MAX_CODE_POINTS = 100_000;
const MAX_DEPTH = 250;

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
    const expr = isCut ? new Parser(source.text, tokens, { syntax, issues }).parse() : undefined;
    if (expr !== undefined && issues.isEmpty) return { ok: true, expr };
    if (expr !== undefined) return { ok: false, issues };
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    issues.report(undefined, error.message);
    return { ok: false, issues };
  }
  return { ok: false, issues: diagnose(source) };
}

class TooDeep extends Error {}

/** Thrown where the tokens do not fit the grammar; what is wrong is then found out by `diagnose`. */
const MISFIT = Symbol('misfit');

/**
 * Reads well-formed expressions, by recursive descent.
 *
 * Nodes are deeper than their text where operators chain: `depths` holds how deep each node is, as the limit counts.
 */
class Parser {
  readonly #text: string;
  readonly #tokens: Tokens;
  readonly #syntax: Syntax;
  readonly #issues: Issues;
  readonly #depths = new Map<Expr, number>();
  readonly #open = { expr: 0, relation: 0, calc: 0 };
  #at = 0;

  constructor(text: string, tokens: Tokens, context: { readonly syntax: Syntax; readonly issues: Issues }) {
    this.#text = text;
    this.#tokens = tokens;
    this.#syntax = context.syntax;
    this.#issues = context.issues;
  }

  /** The expression; nothing when the tokens do not fit the grammar. */
  parse(): Expr | undefined {
    try {
      const expr = this.#expr();
      this.#expect(Token.end);
      if (this.#depthOf(expr) > MAX_DEPTH) throw new TooDeep('max recursion depth exceeded');
      return expr;
    } catch (error) {
      if (error === MISFIT) return undefined;
      throw error;
    }
  }

  #expr(): Expr {
    this.#enter('expr');
    const condition = this.#chain(Token.or, Operator.or, () => this.#conjunction());
    let expr = condition;
    if (this.#peek() === Token.question) {
      const offset = this.#take();
      const yes = this.#chain(Token.or, Operator.or, () => this.#conjunction());
      this.#expect(Token.colon);
      expr = this.#deeper(this.#call(offset, Operator.conditional, [condition, yes, this.#expr()]));
    }
    this.#open.expr -= 1;
    return expr;
  }

  #conjunction(): Expr {
    return this.#chain(Token.and, Operator.and, () => this.#relation(1));
  }

  /** `a && b && c && d`, as a balanced tree: the operator is commutative, and long chains would be deep. */
  #chain(token: TokenKind, name: string, next: () => Expr): Expr {
    const first = next();
    if (this.#peek() !== token) return first;
    const terms = [first];
    const offsets: number[] = [];
    while (this.#peek() === token) {
      offsets.push(this.#take());
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
    this.#enter('relation');
    let left = this.#calc(1);
    for (let name = relations.get(this.#peek()); rank <= 1 && name !== undefined; name = relations.get(this.#peek())) {
      const offset = this.#take();
      left = this.#deeper(this.#call(offset, name, [left, this.#relation(2)]));
    }
    this.#open.relation -= 1;
    return left;
  }

  /** Sums have rank 1, products 2. */
  #calc(rank: number): Expr {
    this.#enter('calc');
    let left = this.#unary();
    for (;;) {
      const product = rank <= 2 ? products.get(this.#peek()) : undefined;
      const name = product ?? (rank <= 1 ? sums.get(this.#peek()) : undefined);
      if (name === undefined) break;
      const offset = this.#take();
      left = this.#deeper(this.#call(offset, name, [left, this.#calc(product === undefined ? 2 : 3)]));
    }
    this.#open.calc -= 1;
    return left;
  }

  #unary(): Expr {
    const kind = this.#peek();
    if (kind !== Token.not && (kind !== Token.minus || this.#isSignedNumber())) return this.#member();
    const offset = this.#offset;
    let count = 0;
    while (this.#peek() === kind) {
      this.#take();
      count += 1;
    }
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return this.#call(offset, kind === Token.not ? Operator.not : Operator.negate, [operand]);
  }

  #isSignedNumber(): boolean {
    const next = this.#tokens.kinds[this.#at + 1];
    return next === Token.int || next === Token.float;
  }

  #member(): Expr {
    let operand = this.#primary();
    for (;;) {
      if (this.#peek() === Token.dot) operand = this.#deeper(this.#dotted(operand));
      else if (this.#peek() === Token.openBracket) operand = this.#deeper(this.#indexed(operand));
      else return operand;
    }
  }

  #dotted(operand: Expr): Expr {
    const dot = this.#take();
    const isOptional = this.#peek() === Token.question;
    if (isOptional) this.#take();
    if (this.#peek() !== Token.identifier && this.#peek() !== Token.escapedIdentifier) throw MISFIT;
    const isEscaped = this.#peek() === Token.escapedIdentifier;
    const start = this.#offset;
    const field = this.#takeText();
    if (isEscaped) this.#issues.report(start, "unsupported syntax: '`'");
    if (isOptional) {
      if (!this.#syntax.hasOptionals) this.#issues.report(dot, "unsupported syntax '.?'");
      const name: Expr = { kind: 'literal', offset: start, literal: { kind: 'string', value: field } };
      return this.#node(
        { kind: 'call', offset: dot, name: Operator.optionalSelect, target: undefined, args: [operand, name] },
        [operand],
      );
    }
    if (!isEscaped && this.#peek() === Token.openParen) {
      const offset = this.#take();
      return this.#expand(offset, field, { target: operand, args: this.#arguments() });
    }
    return this.#node({ kind: 'select', offset: dot, operand, field, isTest: false }, [operand]);
  }

  #indexed(operand: Expr): Expr {
    const offset = this.#take();
    const isOptional = this.#peek() === Token.question;
    if (isOptional) this.#take();
    const index = this.#expr();
    this.#expect(Token.closeBracket);
    if (isOptional && !this.#syntax.hasOptionals) this.#issues.report(offset, "unsupported syntax '[?'");
    return this.#call(offset, isOptional ? Operator.optionalIndex : Operator.index, [operand, index]);
  }

  #primary(): Expr {
    switch (this.#peek()) {
      case Token.dot:
      case Token.identifier:
        return this.#named();
      case Token.openParen: {
        this.#take();
        const inner = this.#expr();
        this.#expect(Token.closeParen);
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
    const start = this.#offset;
    const dot = this.#peek() === Token.dot ? '.' : '';
    if (dot !== '') this.#take();
    const offset = this.#offset;
    if (this.#isStruct()) return this.#struct(dot);
    if (this.#peek() !== Token.identifier) throw MISFIT;
    const name = this.#takeText();
    const isReserved = reservedWords.has(name);
    if (this.#peek() === Token.openParen) {
      const paren = this.#take();
      const args = this.#arguments();
      if (isReserved) this.#issues.report(start, `reserved identifier: ${name}`);
      return this.#expand(paren, dot + name, { target: undefined, args });
    }
    if (isReserved) this.#issues.report(start, `reserved identifier: ${name}`);
    return { kind: 'ident', offset, name: dot + name };
  }

  /** Whether `a.b.c{` comes next. */
  #isStruct(): boolean {
    const { kinds } = this.#tokens;
    let at = this.#at;
    while (kinds[at] === Token.identifier && kinds[at + 1] === Token.dot) at += 2;
    return kinds[at] === Token.identifier && kinds[at + 1] === Token.openBrace;
  }

  #struct(prefix: string): Expr {
    let typeName = prefix + this.#takeText();
    while (this.#peek() === Token.dot) {
      this.#take();
      typeName += `.${this.#takeText()}`;
    }
    const offset = this.#take();
    const fields: StructField[] = [];
    this.#items(Token.closeBrace, () => {
      const start = this.#offset;
      const isOptional = this.#optionalMark(start);
      if (this.#peek() === Token.escapedIdentifier) this.#issues.report(start, "unsupported syntax: '`'");
      else if (this.#peek() !== Token.identifier) throw MISFIT;
      const name = this.#takeText();
      const colon = this.#expect(Token.colon);
      fields.push({ offset: colon, name, value: this.#expr(), isOptional });
    });
    return this.#node(
      { kind: 'struct', offset, typeName, fields },
      fields.map(({ value }) => value),
    );
  }

  #list(): Expr {
    const offset = this.#take();
    const elements: Expr[] = [];
    const optionals = new Set<number>();
    this.#items(Token.closeBracket, () => {
      if (this.#optionalMark(this.#offset)) optionals.add(elements.length);
      elements.push(this.#expr());
    });
    return this.#node({ kind: 'list', offset, elements, optionals }, elements);
  }

  #map(): Expr {
    const offset = this.#take();
    const entries: MapEntry[] = [];
    this.#items(Token.closeBrace, () => {
      const isOptional = this.#optionalMark(this.#offset);
      const key = this.#expr();
      const colon = this.#expect(Token.colon);
      entries.push({ offset: colon, key, value: this.#expr(), isOptional });
    });
    return this.#node(
      { kind: 'map', offset, entries },
      entries.flatMap(({ key, value }) => [key, value]),
    );
  }

  #optionalMark(offset: number): boolean {
    if (this.#peek() !== Token.question) return false;
    this.#take();
    if (!this.#syntax.hasOptionals) this.#issues.report(offset, "unsupported syntax '?'");
    return true;
  }

  /** Items with commas between them, and maybe one behind the last (also when there are no items). */
  #items(close: TokenKind, item: () => void): void {
    if (this.#peek() !== close && this.#peek() !== Token.comma) {
      item();
      while (this.#peek() === Token.comma && this.#tokens.kinds[this.#at + 1] !== close) {
        this.#take();
        item();
      }
    }
    if (this.#peek() === Token.comma) this.#take();
    this.#expect(close);
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#peek() !== Token.closeParen) {
      args.push(this.#expr());
      while (this.#peek() === Token.comma) {
        this.#take();
        args.push(this.#expr());
      }
    }
    this.#expect(Token.closeParen);
    return args;
  }

  #literal(): Expr {
    const offset = this.#offset;
    const sign = this.#peek() === Token.minus ? '-' : '';
    if (sign !== '') this.#take();
    const kind = this.#peek();
    if (sign !== '' && kind !== Token.int && kind !== Token.float) throw MISFIT;
    const literal = this.#readLiteral(kind, sign);
    if (typeof literal !== 'string') return { kind: 'literal', offset, literal };
    this.#issues.report(offset, literal);
    return { kind: 'literal', offset, literal: { kind: 'null' } };
  }

  /** The literal, or what is wrong with it. */
  #readLiteral(kind: TokenKind, sign: string): LiteralValue | string {
    const text = this.#takeText();
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
          throw MISFIT;
      }
    } catch (error) {
      if (error instanceof LiteralError) return error.message;
      throw error;
    }
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
        if (expanded !== undefined) return this.#node(expanded, parts);
      } catch (error) {
        if (!(error instanceof MacroError)) throw error;
        this.#issues.report(error.offset, error.message);
        return { kind: 'literal', offset, literal: { kind: 'null' } };
      }
    }
    return this.#node({ kind: 'call', offset, name, target, args }, parts);
  }

  #call(offset: number, name: string, args: readonly Expr[]): Expr {
    return this.#node({ kind: 'call', offset, name, target: undefined, args }, args);
  }

  /** Notes how deep a node is: as deep as its parts. */
  #node(expr: Expr, parts: readonly Expr[]): Expr {
    let depth = 0;
    for (const part of parts) depth = Math.max(depth, this.#depthOf(part));
    if (depth > 0) this.#depths.set(expr, depth);
    return expr;
  }

  #deeper(expr: Expr): Expr {
    this.#depths.set(expr, this.#depthOf(expr) + 1);
    return expr;
  }

  #depthOf(expr: Expr): number {
    return this.#depths.get(expr) ?? 0;
  }

  #enter(rule: 'expr' | 'relation' | 'calc'): void {
    this.#open[rule] += 1;
    if (this.#open[rule] > MAX_DEPTH) throw new TooDeep(`expression recursion limit exceeded: ${MAX_DEPTH}`);
  }

  #peek(): TokenKind {
    return this.#tokens.kinds[this.#at] as TokenKind;
  }

  get #offset(): number {
    return this.#tokens.starts[this.#at] as number;
  }

  /** Moves on; answers with where the token began. */
  #take(): number {
    const offset = this.#offset;
    this.#at += 1;
    return offset;
  }

  #takeText(): string {
    const text = this.#text.slice(this.#offset, this.#tokens.ends[this.#at]);
    this.#at += 1;
    return text;
  }

  #expect(kind: TokenKind): number {
    if (this.#peek() !== kind) throw MISFIT;
    return kind === Token.end ? this.#offset : this.#take();
  }
}

/** A number where that is exact, else the bigint. */
function shortInt(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
