import { fail, type Program, readAll } from '../process.ts';
import {
  basicExpression,
  type Expression,
  ExpressionError,
  extendedExpression,
  literalExpression,
} from '../regular-expression.ts';
import { bytesOf, eachInput, linesOf, LineWriter } from './input-lines.ts';
import { countOf, type GivenOptions, readOptions } from './read-options.ts';

const FLAGS = 'EFGivcnqshHolLwxrR';
const LONG = {
  'extended-regexp': 'E',
  'fixed-strings': 'F',
  'ignore-case': 'i',
  'invert-match': 'v',
  count: 'c',
  'line-number': 'n',
  quiet: 'q',
  silent: 'q',
  'only-matching': 'o',
  'files-with-matches': 'l',
  'word-regexp': 'w',
  'line-regexp': 'x',
  recursive: 'r',
  regexp: 'e',
  'max-count': 'm',
  color: 'K',
};
const FAILED = 2;

/** `grep`, `egrep` and `fgrep`. */
export function grepProgram(dialect: '' | 'E' | 'F'): Program {
  return async (args, process) => {
    const options = readOptions(args, { flags: `${FLAGS}K`, values: 'emABCf', long: LONG });
    let { operands } = options;
    const patterns = options.values('e').flatMap((each) => each.split('\n'));
    for (const file of options.values('f')) {
      patterns.push(...(await readAll(bytesOf(file, process))).toString().replace(/\n$/, '').split('\n'));
    }
    if (!options.has('e') && !options.has('f')) {
      const [first] = operands;
      if (first === undefined) return fail(process, 'Usage: grep [-HhnlLoqvsrRiwFE] [-m N] PATTERN [FILE]...', FAILED);
      patterns.push(...first.split('\n'));
      operands = operands.slice(1);
    }
    let expressions: readonly Expression[];
    try {
      expressions = compile(patterns, options, dialect);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return fail(process, `grep: ${error.message}`, FAILED);
    }
    return new Search(expressions, options).run(filesOf(operands, options, process), process);
  };
}

function compile(patterns: readonly string[], options: GivenOptions, dialect: string): readonly Expression[] {
  const settings = { ignoresCase: options.has('i'), isWholeLine: options.has('x'), isWholeWord: options.has('w') };
  const make =
    dialect === 'F' || options.has('F')
      ? literalExpression
      : dialect === 'E' || options.has('E')
        ? extendedExpression
        : basicExpression;
  return patterns.map((pattern) => make(pattern, settings));
}

type Process = Parameters<Program>[1];

function filesOf(operands: readonly string[], options: GivenOptions, process: Process): readonly string[] {
  if (!options.has('r') && !options.has('R')) return operands;
  const { files } = process.machine;
  return (operands.length === 0 ? ['.'] : operands).flatMap((name) => {
    const path = name.startsWith('/') ? name : `${process.directory}/${name}`.replace(/\/\.?$/, '');
    if (files.get(path)?.type !== 'directory') return [name];
    return files
      .below(path)
      .filter((each) => files.get(each)?.type === 'file')
      .map((each) => `${name.replace(/\/$/, '')}${each.slice(path.length)}`);
  });
}

interface FileSearch {
  /** Before each line. */
  readonly prefix: string;
  readonly name: string;
  readonly writer: LineWriter;
  readonly process: Process;
}

class Search {
  readonly #expressions: readonly Expression[];
  readonly #options: GivenOptions;
  #isFound = false;

  constructor(expressions: readonly Expression[], options: GivenOptions) {
    this.#expressions = expressions;
    this.#options = options;
  }

  async run(names: readonly string[], process: Process): Promise<number> {
    const options = this.#options;
    const showsNames =
      options.has('H') || (!options.has('h') && (names.length > 1 || options.has('r') || options.has('R')));
    const quiet = options.has('s') ? { ...process, stderr: async () => undefined } : process;
    const writer = new LineWriter(process);
    const code = await eachInput(names, { program: 'grep', process: quiet, failure: FAILED }, (input, name) =>
      this.#file(input, {
        prefix: showsNames ? `${name}:` : '',
        name: name === '-' ? '(standard input)' : name,
        writer,
        process,
      }),
    );
    await writer.flush();
    if (this.#isFound && (code === 0 || options.has('q'))) return 0;
    return code === 0 ? 1 : code;
  }

  async #file(input: AsyncIterable<Uint8Array>, { prefix, name, writer, process }: FileSearch): Promise<void> {
    const options = this.#options;
    if (options.has('q') && this.#isFound) return;
    const most = countOf(options.value('m') ?? '999999999');
    const before = countOf(options.value('B') ?? options.value('C') ?? '0');
    const after = countOf(options.value('A') ?? options.value('C') ?? '0');
    const showsLines = !'clLq'.split('').some((letter) => options.has(letter));
    const waiting: string[] = [];
    let [number, count, following] = [0, 0, 0];
    for await (const { text } of linesOf(input, process)) {
      number++;
      const place = (sign: string): string => (options.has('n') ? `${number}${sign}` : '');
      if (this.#expressions.some((expression) => expression.test(text)) === options.has('v')) {
        if (following-- > 0 && showsLines) await writer.write(`${prefix.replace(/:$/, '-')}${place('-')}${text}\n`);
        else if (waiting.push(`${prefix.replace(/:$/, '-')}${place('-')}${text}\n`) > before) waiting.shift();
        continue;
      }
      count++;
      following = after;
      this.#isFound = true;
      if (options.has('q') || options.has('l')) break;
      if (showsLines) {
        for (const line of waiting.splice(0)) await writer.write(line);
        const shown = options.has('o') ? this.#parts(text) : [text];
        for (const part of shown) await writer.write(`${prefix}${place(':')}${part}\n`);
      }
      if (count >= most) break;
    }
    if (options.has('c')) await writer.write(`${prefix}${count}\n`);
    if (options.has('l') && count > 0) await writer.write(`${name}\n`);
    if (options.has('L') && count === 0) await writer.write(`${name}\n`);
  }

  /** What `-o` shows of a line. */
  #parts(text: string): readonly string[] {
    const parts: string[] = [];
    for (let at = 0; at <= text.length;) {
      const found = this.#expressions
        .map((expression) => expression.find(text, at))
        .reduce(
          (best, each) => (each !== undefined && (best === undefined || each.start < best.start) ? each : best),
          undefined,
        );
      if (found === undefined) break;
      if (found.end > found.start) parts.push(text.slice(found.start, found.end));
      at = Math.max(found.end, found.start + 1);
    }
    return parts;
  }
}
