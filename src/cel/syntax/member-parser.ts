import { CollectionParser } from './collection-parser.ts';
import type { Expr } from './expr.ts';
import { readLiteral } from './literals.ts';
import { MacroError } from './macro.ts';
import { Operator, reservedWords } from './operators.ts';
import type { ParseContext } from './parse-context.ts';
import { Token } from './token.ts';
import { MISFIT } from './token-reader.ts';

/** Parses operands: literals, names and calls, with the selections that follow them. */
export class MemberParser {
  readonly #context: ParseContext;
  readonly #expr: () => Expr;
  readonly #collections: CollectionParser;

  constructor(context: ParseContext, expr: () => Expr) {
    this.#context = context;
    this.#expr = expr;
    this.#collections = new CollectionParser(context, expr);
  }

  member(): Expr {
    let operand = this.#primary();
    for (;;) {
      if (this.#context.reader.peek() === Token.dot) operand = this.#context.depth.deeper(this.#dotted(operand));
      else if (this.#context.reader.peek() === Token.openBracket)
        operand = this.#context.depth.deeper(this.#indexed(operand));
      else return operand;
    }
  }

  #dotted(operand: Expr): Expr {
    const dot = this.#context.reader.take();
    const isOptional = this.#context.reader.peek() === Token.question;
    if (isOptional) this.#context.reader.take();
    if (this.#context.reader.peek() !== Token.identifier && this.#context.reader.peek() !== Token.escapedIdentifier)
      throw MISFIT;
    const isEscaped = this.#context.reader.peek() === Token.escapedIdentifier;
    const start = this.#context.reader.offset;
    const field = this.#context.reader.takeText();
    if (isEscaped) this.#context.issues.report(start, "unsupported syntax: '`'");
    if (isOptional) {
      if (!this.#context.syntax.hasOptionals) this.#context.issues.report(dot, "unsupported syntax '.?'");
      const name: Expr = { kind: 'literal', offset: start, literal: { kind: 'string', value: field } };
      return this.#context.depth.of(
        { kind: 'call', offset: dot, name: Operator.optionalSelect, target: undefined, args: [operand, name] },
        [operand],
      );
    }
    if (!isEscaped && this.#context.reader.peek() === Token.openParen) {
      const offset = this.#context.reader.take();
      return this.#expand(offset, field, { target: operand, args: this.#arguments() });
    }
    return this.#context.depth.of({ kind: 'select', offset: dot, operand, field, isTest: false }, [operand]);
  }

  #indexed(operand: Expr): Expr {
    const offset = this.#context.reader.take();
    const isOptional = this.#context.reader.peek() === Token.question;
    if (isOptional) this.#context.reader.take();
    const index = this.#expr();
    this.#context.reader.expect(Token.closeBracket);
    if (isOptional && !this.#context.syntax.hasOptionals)
      this.#context.issues.report(offset, "unsupported syntax '[?'");
    return this.#context.call(offset, isOptional ? Operator.optionalIndex : Operator.index, [operand, index]);
  }

  #primary(): Expr {
    switch (this.#context.reader.peek()) {
      case Token.dot:
      case Token.identifier:
        return this.#named();
      case Token.openParen: {
        this.#context.reader.take();
        const inner = this.#expr();
        this.#context.reader.expect(Token.closeParen);
        return inner;
      }
      case Token.openBracket:
        return this.#collections.list();
      case Token.openBrace:
        return this.#collections.map();
      default:
        return this.#literal();
    }
  }

  #named(): Expr {
    const start = this.#context.reader.offset;
    const dot = this.#context.reader.peek() === Token.dot ? '.' : '';
    if (dot !== '') this.#context.reader.take();
    const offset = this.#context.reader.offset;
    if (this.#isStruct()) return this.#collections.struct(dot);
    if (this.#context.reader.peek() !== Token.identifier) throw MISFIT;
    const name = this.#context.reader.takeText();
    if (reservedWords.has(name)) return this.#reserved(start, name);
    if (this.#context.reader.peek() !== Token.openParen) return { kind: 'ident', offset, name: dot + name };
    const paren = this.#context.reader.take();
    return this.#expand(paren, dot + name, { target: undefined, args: this.#arguments() });
  }

  /** If it is a call, its arguments are not parsed further. */
  #reserved(offset: number, name: string): Expr {
    const { size } = this.#context.issues;
    if (this.#context.reader.peek() === Token.openParen) {
      this.#context.reader.take();
      this.#arguments();
    }
    this.#context.issues.truncate(size);
    return this.#context.wrong(offset, `reserved identifier: ${name}`);
  }

  /** Whether `a.b.c{` comes next. */
  #isStruct(): boolean {
    const reader = this.#context.reader;
    let at = 0;
    while (reader.peek(at) === Token.identifier && reader.peek(at + 1) === Token.dot) at += 2;
    return reader.peek(at) === Token.identifier && reader.peek(at + 1) === Token.openBrace;
  }

  #arguments(): Expr[] {
    const args: Expr[] = [];
    if (this.#context.reader.peek() !== Token.closeParen) {
      args.push(this.#expr());
      while (this.#context.reader.peek() === Token.comma) {
        this.#context.reader.take();
        args.push(this.#expr());
      }
    }
    this.#context.reader.expect(Token.closeParen);
    return args;
  }

  #literal(): Expr {
    const offset = this.#context.reader.offset;
    const sign = this.#context.reader.peek() === Token.minus ? '-' : '';
    if (sign !== '') this.#context.reader.take();
    const kind = this.#context.reader.peek();
    if (sign !== '' && kind !== Token.int && kind !== Token.float) throw MISFIT;
    const literal = readLiteral(kind, this.#context.reader.takeText(), sign);
    if (literal === undefined) throw MISFIT;
    if (typeof literal !== 'string') return { kind: 'literal', offset, literal };
    return this.#context.wrong(offset, literal);
  }

  /** A call, or the expansion of its macro. */
  #expand(
    offset: number,
    name: string,
    call: { readonly target: Expr | undefined; readonly args: readonly Expr[] },
  ): Expr {
    const { target, args } = call;
    const parts = target === undefined ? args : [target, ...args];
    const macro = this.#context.syntax.macros.find(name, target !== undefined, args.length);
    if (macro !== undefined) {
      try {
        const expanded = macro.expand({ offset, target, args });
        if (expanded !== undefined) return this.#context.depth.of(expanded, parts);
      } catch (error) {
        if (!(error instanceof MacroError)) throw error;
        return this.#context.wrong(error.offset, error.message);
      }
    }
    return this.#context.depth.of({ kind: 'call', offset, name, target, args }, parts);
  }
}
