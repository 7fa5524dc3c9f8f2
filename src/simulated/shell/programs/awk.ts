import { fail, type Program } from '../process.ts';
import { type Expression, ExpressionError, extendedExpression } from '../regular-expression.ts';
import { eachInput, linesOf, LineWriter } from './input-lines.ts';
import { readOptions } from './read-options.ts';

/** What an expression sees of a line. */
interface Row {
  readonly line: string;
  readonly fields: readonly string[];
  readonly number: number;
  readonly variables: ReadonlyMap<string, string>;
}

type Value = (row: Row) => string;
type Test = (row: Row) => boolean;

interface Rule {
  readonly when: 'line' | 'BEGIN' | 'END';
  readonly test: Test;
  /** The texts that are printed with spaces between them; undefined for `next` and an empty action. */
  readonly printed: readonly Value[] | undefined;
  readonly isNext: boolean;
}

class AwkError extends Error {
  override readonly name = 'AwkError';
}

/** The simple programs of `awk`: lines that match a pattern or a comparison, and `print` of their fields. */
export const awk: Program = async (args, process) => {
  const options = readOptions(args, { values: 'Fv', stopsAtOperand: true });
  const [program, ...names] = options.operands;
  if (program === undefined) return fail(process, 'Usage: awk [-F sepstring] [-v variable=value] PROGRAM [FILE]...', 2);
  const variables = new Map(options.values('v').map((each) => [each.replace(/=.*/s, ''), each.replace(/^[^=]*=/, '')]));
  try {
    const rules = new AwkParser(program).parse();
    const split = splitter(options.value('F') ?? ' ');
    const writer = new LineWriter(process);
    const apply = async (row: Row, when: Rule['when']): Promise<void> => {
      for (const rule of rules) {
        if (rule.when !== when || !rule.test(row)) continue;
        if (rule.isNext) return;
        if (rule.printed !== undefined) await writer.write(`${rule.printed.map((value) => value(row)).join(' ')}\n`);
      }
    };
    let row: Row = { line: '', fields: [], number: 0, variables };
    await apply(row, 'BEGIN');
    if (rules.every(({ when }) => when === 'BEGIN')) {
      await writer.flush();
      return 0;
    }
    const code = await eachInput(names, { program: 'awk', process, failure: 2 }, async (input) => {
      for await (const { text } of linesOf(input, process)) {
        row = { line: text, fields: split(text), number: row.number + 1, variables };
        await apply(row, 'line');
      }
    });
    await apply(row, 'END');
    await writer.flush();
    return code;
  } catch (error) {
    if (error instanceof AwkError || error instanceof ExpressionError)
      return fail(process, `awk: cmd. line:1: ${error.message}`);
    throw error;
  }
};

function splitter(separator: string): (line: string) => readonly string[] {
  if (separator === ' ') return (line) => line.split(/[ \t\n]+/).filter((field) => field !== '');
  const text = separator === '\\t' || separator === 't' ? '\t' : separator;
  if (text.length === 1) return (line) => (line === '' ? [] : line.split(text));
  const expression = extendedExpression(text, {});
  return (line) => {
    const fields: string[] = [];
    let at = 0;
    for (
      let found = expression.find(line, 0);
      found !== undefined && found.end > found.start;
      found = expression.find(line, at)
    ) {
      fields.push(line.slice(at, found.start));
      at = found.end;
    }
    return line === '' ? [] : [...fields, line.slice(at)];
  };
}

const TOKEN =
  /[ \t]*(?:("(?:[^"\\]|\\.)*")|(\/(?:[^/\\]|\\.)*\/)|(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(==|!=|<=|>=|&&|\|\||!~|[{}$,;<>~!()\n]))/y;

class AwkParser {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    TOKEN.lastIndex = 0;
    let end = 0;
    for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
      end = TOKEN.lastIndex;
      this.#tokens.push(found[0].replace(/^[ \t]+/, ''));
    }
    if (text.slice(end).trim() !== '') throw new AwkError(`Unexpected token: ${text.slice(end, end + 16).trim()}`);
  }

  parse(): readonly Rule[] {
    const rules: Rule[] = [];
    for (;;) {
      while (this.#take('\n') || this.#take(';'));
      if (this.#at >= this.#tokens.length) return rules;
      rules.push(...this.#rule());
    }
  }

  #rule(): readonly Rule[] {
    const when = this.#take('BEGIN') ? 'BEGIN' : this.#take('END') ? 'END' : 'line';
    const test = when === 'line' && this.#next !== '{' ? this.#or() : (): boolean => true;
    if (!this.#take('{')) return [{ when, test, printed: [(row) => row.line], isNext: false }];
    const rules: Rule[] = [];
    for (;;) {
      while (this.#take('\n') || this.#take(';'));
      if (this.#take('}')) return rules;
      if (this.#take('next')) {
        rules.push({ when, test, printed: undefined, isNext: true });
      } else if (this.#take('print')) {
        rules.push({ when, test, printed: this.#list(), isNext: false });
      } else {
        throw this.#unexpected();
      }
    }
  }

  #list(): readonly Value[] {
    if (this.#isEnd()) return [(row) => row.line];
    const values = [this.#joined()];
    while (this.#take(',')) values.push(this.#joined());
    if (!this.#isEnd()) throw this.#unexpected();
    return values;
  }

  #isEnd(): boolean {
    return [undefined, '}', ';', '\n'].includes(this.#next);
  }

  /** Texts that follow each other are joined. */
  #joined(): Value {
    const values = [this.#value()];
    while (!this.#isEnd() && /^["$\w]/.test(this.#next ?? '')) values.push(this.#value());
    return (row) => values.map((value) => value(row)).join('');
  }

  #or(): Test {
    const tests = [this.#and()];
    while (this.#take('||')) tests.push(this.#and());
    return (row) => tests.some((test) => test(row));
  }

  #and(): Test {
    const tests = [this.#comparison()];
    while (this.#take('&&')) tests.push(this.#comparison());
    return (row) => tests.every((test) => test(row));
  }

  #comparison(): Test {
    if (this.#take('!')) {
      const test = this.#comparison();
      return (row) => !test(row);
    }
    if (this.#next?.startsWith('/') === true) {
      const expression = this.#expression();
      return (row) => expression.test(row.line);
    }
    const left = this.#value();
    const operator = this.#next ?? '';
    if (operator === '~' || operator === '!~') {
      this.#at++;
      const expression = this.#expression();
      return (row) => expression.test(left(row)) === (operator === '~');
    }
    if (!/^(?:==|!=|<=?|>=?)$/.test(operator)) return (row) => !['', '0'].includes(left(row));
    this.#at++;
    const right = this.#value();
    return (row) => compare(left(row), operator, right(row));
  }

  #expression(): Expression {
    const token = this.#next ?? '';
    if (!token.startsWith('/') && !token.startsWith('"')) throw this.#unexpected();
    this.#at++;
    return extendedExpression(token.slice(1, -1).replaceAll('\\/', '/'), {});
  }

  #value(): Value {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw this.#unexpected();
    if (token.startsWith('"')) {
      const text = token.slice(1, -1).replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
      return () => text;
    }
    if (token === '$') {
      const index = this.#value();
      return (row) => (index(row) === '0' ? row.line : (row.fields[Number(index(row)) - 1] ?? ''));
    }
    if (/^\d/.test(token)) return () => token;
    if (token === 'NR' || token === 'FNR') return (row) => String(row.number);
    if (token === 'NF') return (row) => String(row.fields.length);
    if (!/^[A-Za-z_]\w*$/.test(token) || this.#next === '(') {
      this.#at--;
      throw this.#unexpected();
    }
    return (row) => row.variables.get(token) ?? '';
  }

  get #next(): string | undefined {
    return this.#tokens[this.#at];
  }

  #take(token: string): boolean {
    if (this.#next !== token) return false;
    this.#at++;
    return true;
  }

  #unexpected(): AwkError {
    return new AwkError(`Unexpected token: ${this.#next ?? 'end of program'}`);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' };
const NUMBER = /^\s*-?\d+(?:\.\d+)?\s*$/;

function compare(left: string, operator: string, right: string): boolean {
  const isNumeric = NUMBER.test(left) && NUMBER.test(right);
  const order = isNumeric ? Number(left) - Number(right) : left === right ? 0 : left < right ? -1 : 1;
  switch (operator) {
    case '==':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    default:
      return order >= 0;
  }
}
