import { ShellFailure } from '../shell-failure.ts';

/** The variables that an expression reads and sets. */
export interface ArithmeticScope {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

const TOKEN =
  /\s*(?:(0[xX][0-9a-fA-F]+|\d+)|([A-Za-z_]\w*)|(<<=|>>=|\*\*|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&^|]=|[-+*/%<>=!~&^|?:(),]))/y;
/** Operators by precedence, loosest first. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
];
const MAX_DEPTH = 64;
const MAX_TOKENS = 4096;

/** Evaluates `$((…))` with integers of 64 bits. */
export function evaluateArithmetic(text: string, scope: ArithmeticScope): bigint {
  return new Evaluation(text, scope, 0).run();
}

class Evaluation {
  readonly #tokens: string[] = [];
  readonly #scope: ArithmeticScope;
  readonly #depth: number;
  #at = 0;
  #nesting = 0;
  /** Positive in a branch that is parsed, but whose effects do not count. */
  #skipped = 0;

  constructor(text: string, scope: ArithmeticScope, depth: number) {
    this.#scope = scope;
    this.#depth = depth;
    TOKEN.lastIndex = 0;
    let end = 0;
    for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
      end = TOKEN.lastIndex;
      this.#tokens.push(found[1] ?? found[2] ?? found[3] ?? '');
      if (this.#tokens.length > MAX_TOKENS) throw new ShellFailure('arithmetic syntax error');
    }
    if (text.slice(end).trim() !== '' || depth > MAX_DEPTH) throw new ShellFailure('arithmetic syntax error');
  }

  run(): bigint {
    if (this.#tokens.length === 0) return 0n;
    const value = this.#comma();
    if (this.#at < this.#tokens.length) throw new ShellFailure('arithmetic syntax error');
    return value;
  }

  #comma(): bigint {
    let value = this.#assignment();
    while (this.#take(',')) value = this.#assignment();
    return value;
  }

  #assignment(): bigint {
    if (++this.#nesting > MAX_DEPTH) throw new ShellFailure('arithmetic syntax error');
    const name = this.#tokens[this.#at] ?? '';
    const operator = this.#tokens[this.#at + 1] ?? '';
    const isAssigned = /^[A-Za-z_]/.test(name) && /^(?:=|<<=|>>=|[-+*/%&^|]=)$/.test(operator);
    let value: bigint;
    if (isAssigned) {
      this.#at += 2;
      const right = this.#assignment();
      value = operator === '=' ? right : applied(operator.slice(0, -1), this.#variable(name), right);
      this.#set(name, value);
    } else {
      value = this.#conditional();
    }
    this.#nesting--;
    return value;
  }

  #conditional(): bigint {
    const condition = this.#binary(0);
    if (!this.#take('?')) return condition;
    const first = this.#only(condition !== 0n, () => this.#assignment());
    if (!this.#take(':')) throw new ShellFailure('arithmetic syntax error');
    const second = this.#only(condition === 0n, () => this.#assignment());
    return condition === 0n ? second : first;
  }

  #only(counts: boolean, parse: () => bigint): bigint {
    if (!counts) this.#skipped++;
    const value = parse();
    if (!counts) this.#skipped--;
    return value;
  }

  #binary(level: number): bigint {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const operator = this.#tokens[this.#at] ?? '';
      if (!operators.includes(operator)) return left;
      this.#at++;
      const isDecided = (operator === '&&' && left === 0n) || (operator === '||' && left !== 0n);
      const right = this.#only(!isDecided, () => this.#binary(level + 1));
      left = this.#skipped > 0 && right === 0n ? 0n : applied(operator, left, right);
    }
  }

  #unary(): bigint {
    if (++this.#nesting > MAX_DEPTH) throw new ShellFailure('arithmetic syntax error');
    const token = this.#tokens[this.#at++];
    const value = this.#operand(token);
    this.#nesting--;
    return value;
  }

  #operand(token: string | undefined): bigint {
    switch (token) {
      case '-':
        return BigInt.asIntN(64, -this.#unary());
      case '+':
        return this.#unary();
      case '!':
        return this.#unary() === 0n ? 1n : 0n;
      case '~':
        return ~this.#unary();
      case '(': {
        const value = this.#comma();
        if (!this.#take(')')) throw new ShellFailure('arithmetic syntax error');
        return value;
      }
      case '++':
      case '--': {
        const name = this.#tokens[this.#at++] ?? '';
        const value = this.#variable(name) + (token === '++' ? 1n : -1n);
        this.#set(name, value);
        return value;
      }
      default:
        return this.#value(token ?? '');
    }
  }

  #value(token: string): bigint {
    if (/^0[0-7]+$/.test(token)) return BigInt(`0o${token.slice(1)}`);
    if (/^\d/.test(token)) return BigInt.asIntN(64, BigInt(token));
    if (!/^[A-Za-z_]/.test(token)) throw new ShellFailure('arithmetic syntax error');
    const value = this.#variable(token);
    const next = this.#tokens[this.#at];
    if (next === '++' || next === '--') {
      this.#at++;
      this.#set(token, value + (next === '++' ? 1n : -1n));
    }
    return value;
  }

  #variable(name: string): bigint {
    const text = this.#scope.get(name) ?? '';
    return /^-?\d{1,18}$/.test(text) && !/^-?0\d/.test(text)
      ? BigInt(text)
      : new Evaluation(text, this.#scope, this.#depth + 1).run();
  }

  #set(name: string, value: bigint): void {
    if (this.#skipped === 0) this.#scope.set(name, String(BigInt.asIntN(64, value)));
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }
}

function applied(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '/':
    case '%':
      if (right === 0n) throw new ShellFailure('divide by zero');
      return operator === '/' ? BigInt.asIntN(64, left / right) : left % right;
    case '**':
      if (right < 0n || right > 64n) throw new ShellFailure('exponent less than 0');
      return BigInt.asIntN(64, left ** right);
    case '<<':
      return BigInt.asIntN(64, left << (right & 63n));
    case '>>':
      return left >> (right & 63n);
    case '+':
      return BigInt.asIntN(64, left + right);
    case '-':
      return BigInt.asIntN(64, left - right);
    case '*':
      return BigInt.asIntN(64, left * right);
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '==':
      return left === right ? 1n : 0n;
    case '!=':
      return left === right ? 0n : 1n;
    case '<':
      return left < right ? 1n : 0n;
    case '<=':
      return left <= right ? 1n : 0n;
    case '>':
      return left > right ? 1n : 0n;
    case '>=':
      return left >= right ? 1n : 0n;
    case '&&':
      return left !== 0n && right !== 0n ? 1n : 0n;
    default:
      return left !== 0n || right !== 0n ? 1n : 0n;
  }
}
