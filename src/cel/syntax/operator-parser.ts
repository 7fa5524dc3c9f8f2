import type { Expr } from './expr.ts';
import { MemberParser } from './member-parser.ts';
import { Operator, products, relations, sums } from './operators.ts';
import type { ParseContext } from './parse-context.ts';
import { Token, type TokenKind } from './token.ts';

/** Parses valid expressions by recursive descent: this part parses operators, from lowest to highest precedence. */
export class OperatorParser {
  readonly #context: ParseContext;
  readonly #members: MemberParser;

  constructor(context: ParseContext) {
    this.#context = context;
    this.#members = new MemberParser(context, () => this.expr());
  }

  expr(): Expr {
    this.#context.depth.enter('expr');
    const condition = this.#chain(Token.or, Operator.or, () => this.#conjunction());
    let expr = condition;
    if (this.#context.reader.peek() === Token.question) {
      const offset = this.#context.reader.take();
      const yes = this.#chain(Token.or, Operator.or, () => this.#conjunction());
      this.#context.reader.expect(Token.colon);
      expr = this.#context.depth.deeper(
        this.#context.call(offset, Operator.conditional, [condition, yes, this.expr()]),
      );
    }
    this.#context.depth.leave('expr');
    return expr;
  }

  #conjunction(): Expr {
    return this.#chain(Token.and, Operator.and, () => this.#relation(1));
  }

  /** `a && b && c && d`, as a balanced tree: the operator is commutative, and long chains would be deep. */
  #chain(token: TokenKind, name: string, next: () => Expr): Expr {
    const first = next();
    if (this.#context.reader.peek() !== token) return first;
    const terms = [first];
    const offsets: number[] = [];
    while (this.#context.reader.peek() === token) {
      offsets.push(this.#context.reader.take());
      terms.push(next());
    }
    const balance = (low: number, high: number): Expr => {
      const middle = (low + high + 1) >> 1;
      const left = middle === low ? (terms[middle] as Expr) : balance(low, middle - 1);
      const right = middle === high ? (terms[middle + 1] as Expr) : balance(middle + 1, high);
      return this.#context.call(offsets[middle] as number, name, [left, right]);
    };
    return balance(0, offsets.length - 1);
  }

  #relation(rank: number): Expr {
    this.#context.depth.enter('relation');
    let left = this.#calc(1);
    for (
      let name = relations.get(this.#context.reader.peek());
      rank <= 1 && name !== undefined;
      name = relations.get(this.#context.reader.peek())
    ) {
      const offset = this.#context.reader.take();
      left = this.#context.depth.deeper(this.#context.call(offset, name, [left, this.#relation(2)]));
    }
    this.#context.depth.leave('relation');
    return left;
  }

  /** Sums have rank 1, products 2. */
  #calc(rank: number): Expr {
    this.#context.depth.enter('calc');
    let left = this.#unary();
    for (;;) {
      const product = rank <= 2 ? products.get(this.#context.reader.peek()) : undefined;
      const name = product ?? (rank <= 1 ? sums.get(this.#context.reader.peek()) : undefined);
      if (name === undefined) break;
      const offset = this.#context.reader.take();
      left = this.#context.depth.deeper(
        this.#context.call(offset, name, [left, this.#calc(product === undefined ? 2 : 3)]),
      );
    }
    this.#context.depth.leave('calc');
    return left;
  }

  #unary(): Expr {
    const kind = this.#context.reader.peek();
    if (kind !== Token.not && (kind !== Token.minus || this.#isSignedNumber())) return this.#members.member();
    const offset = this.#context.reader.offset;
    let count = 0;
    while (this.#context.reader.peek() === kind) {
      this.#context.reader.take();
      count += 1;
    }
    const operand = this.#members.member();
    if (count % 2 === 0) return operand;
    return this.#context.call(offset, kind === Token.not ? Operator.not : Operator.negate, [operand]);
  }

  #isSignedNumber(): boolean {
    const next = this.#context.reader.peek(1);
    return next === Token.int || next === Token.float;
  }
}
