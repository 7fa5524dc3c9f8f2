import { expandPattern, type ExpansionScope, expandText } from './language/expand-word.ts';
import { ShellPattern } from './language/match-pattern.ts';
import type { Word } from './language/syntax.ts';
import { fail, pathOf, type Program, type ShellProcess } from './process.ts';
import { extendedExpression } from './regular-expression.ts';

/** A condition that cannot be evaluated. */
class ConditionError extends Error {
  override readonly name = 'ConditionError';
}

const UNARY = /^-[a-zA-Z]$/;
const BINARY = new Set([
  '=',
  '==',
  '!=',
  '<',
  '>',
  '-eq',
  '-ne',
  '-lt',
  '-le',
  '-gt',
  '-ge',
  '-nt',
  '-ot',
  '-ef',
  '=~',
]);
const INVALID = 2;
const MAX_DEPTH = 100;

/** `test` and `[`. */
export const testProgram: Program = async (args, process) => {
  try {
    return new Condition(args, process, { and: '-a', or: '-o', compare: sameText }).evaluate() ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return fail(process, `sh: ${error.message}`, INVALID);
  }
};

export const bracketProgram: Program = (args, process) =>
  args.at(-1) === ']' ? testProgram(args.slice(0, -1), process) : fail(process, 'sh: missing ]', INVALID);

/** `[[ … ]]`: words are not split, and the right side of `==` is a pattern. */
export async function evaluateCondition(
  words: readonly Word[],
  scope: ExpansionScope & { readonly process: ShellProcess },
): Promise<number> {
  const texts: string[] = [];
  for (const word of words) {
    const takesPattern = /^(?:==?|!=)$/.test(texts.at(-1) ?? '');
    texts.push(await (takesPattern ? expandPattern(word, scope) : expandText(word, scope)));
  }
  const process = { ...scope.process, directory: scope.directory };
  const compare = (text: string, pattern: string): boolean => new ShellPattern(pattern).matches(text);
  try {
    return new Condition(texts, process, { and: '&&', or: '||', compare }).evaluate() ? 0 : 1;
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return fail(process, `sh: ${error.message}`, INVALID);
  }
}

function sameText(left: string, right: string): boolean {
  return left === right;
}

interface ConditionLanguage {
  readonly and: string;
  readonly or: string;
  readonly compare: (text: string, pattern: string) => boolean;
}

class Condition {
  readonly #words: readonly string[];
  readonly #process: ShellProcess;
  readonly #language: ConditionLanguage;
  #at = 0;
  #depth = 0;

  constructor(words: readonly string[], process: ShellProcess, language: ConditionLanguage) {
    this.#words = words;
    this.#process = process;
    this.#language = language;
  }

  evaluate(): boolean {
    if (this.#words.length === 0) return false;
    if (this.#language.and === '-a') {
      const known = this.#short(this.#words);
      if (known !== undefined) return known;
    }
    const result = this.#or();
    if (this.#at < this.#words.length) throw new ConditionError(`${this.#words[this.#at]}: unknown operand`);
    return result;
  }

  /** POSIX decides by the number of words, so that words which look like operators can be compared. */
  #short(words: readonly string[]): boolean | undefined {
    const [first = '', second = '', third = ''] = words;
    if (words.length === 1) return first !== '';
    if (words.length === 2) return first === '!' ? second === '' : undefined;
    if (words.length === 3 && BINARY.has(second)) return this.#binary(first, second, third);
    if (words.length === 4 && first === '!') {
      const inner = this.#short(words.slice(1));
      return inner === undefined ? undefined : !inner;
    }
    return undefined;
  }

  #or(): boolean {
    if (++this.#depth > MAX_DEPTH) throw new ConditionError('too many arguments');
    let result = this.#and();
    while (this.#words[this.#at] === this.#language.or) {
      this.#at++;
      const right = this.#and();
      result ||= right;
    }
    this.#depth--;
    return result;
  }

  #and(): boolean {
    let result = this.#not();
    while (this.#words[this.#at] === this.#language.and) {
      this.#at++;
      const right = this.#not();
      result &&= right;
    }
    return result;
  }

  #not(): boolean {
    let isNegated = false;
    while (this.#words[this.#at] === '!' && this.#at < this.#words.length - 1) {
      isNegated = !isNegated;
      this.#at++;
    }
    return this.#primary() !== isNegated;
  }

  #primary(): boolean {
    const word = this.#words[this.#at];
    if (word === undefined) throw new ConditionError('argument expected');
    const next = this.#words[this.#at + 1] ?? '';
    if (BINARY.has(next) && this.#at + 2 < this.#words.length) {
      this.#at += 3;
      return this.#binary(word, next, this.#words[this.#at - 1] ?? '');
    }
    this.#at++;
    if (word === '(') {
      const inner = this.#or();
      if (this.#words[this.#at++] !== ')') throw new ConditionError('closing paren expected');
      return inner;
    }
    const isUnary =
      UNARY.test(word) && this.#at < this.#words.length && next !== this.#language.and && next !== this.#language.or;
    if (!isUnary) return word !== '';
    this.#at++;
    return this.#unary(word, next);
  }

  #unary(operator: string, operand: string): boolean {
    const { files } = this.#process.machine;
    const entry = 'nzt'.includes(operator.charAt(1)) ? undefined : files.get(pathOf(this.#process, operand));
    switch (operator) {
      case '-n':
        return operand !== '';
      case '-z':
        return operand === '';
      case '-d':
        return entry?.type === 'directory';
      case '-f':
        return entry?.type === 'file';
      case '-e':
      case '-a':
      case '-r':
      case '-w':
        return entry !== undefined || DEVICES.has(operand);
      case '-x':
        return entry !== undefined && (entry.type === 'directory' || (entry.mode & 0o111) !== 0);
      case '-s':
        return entry?.type === 'directory' || (entry?.type === 'file' && entry.bytes.length > 0);
      case '-c':
        return DEVICES.has(operand);
      case '-t':
        return this.#process.terminal !== undefined;
      case '-b':
      case '-g':
      case '-h':
      case '-k':
      case '-L':
      case '-p':
      case '-S':
      case '-u':
        return false; // there are no such files
      default:
        throw new ConditionError(`${operator}: unknown operand`);
    }
  }

  #binary(left: string, operator: string, right: string): boolean {
    switch (operator) {
      case '=':
      case '==':
        return this.#language.compare(left, right);
      case '!=':
        return !this.#language.compare(left, right);
      case '<':
        return left < right;
      case '>':
        return left > right;
      case '=~':
        return extendedExpression(right, {}).test(left);
      case '-nt':
      case '-ot':
      case '-ef':
        return this.#compareFiles(left, operator, right);
      default:
        return compareNumbers(operator, wholeNumber(left), wholeNumber(right));
    }
  }

  #compareFiles(left: string, operator: string, right: string): boolean {
    const { files } = this.#process.machine;
    const [first, second] = [pathOf(this.#process, left), pathOf(this.#process, right)];
    if (operator === '-ef') return first === second && files.get(first) !== undefined;
    const [one, other] = [files.get(first)?.modifiedMs, files.get(second)?.modifiedMs];
    return operator === '-nt' ? (one ?? -1) > (other ?? -1) : (one ?? -1) < (other ?? -1);
  }
}

const DEVICES = new Set(['/dev/null', '/dev/zero', '/dev/full', '/dev/stdin', '/dev/stdout', '/dev/stderr']);

function wholeNumber(text: string): bigint {
  const found = /^\s*([-+]?\d{1,30})\s*$/.exec(text)?.[1];
  if (found === undefined) throw new ConditionError(`${text}: bad number`);
  return BigInt(found.replace('+', ''));
}

function compareNumbers(operator: string, left: bigint, right: bigint): boolean {
  switch (operator) {
    case '-eq':
      return left === right;
    case '-ne':
      return left !== right;
    case '-lt':
      return left < right;
    case '-le':
      return left <= right;
    case '-gt':
      return left > right;
    default:
      return left >= right;
  }
}
