import { fail, type Program, readAll, type ShellProcess } from '../process.ts';
import { basicExpression, type Expression, ExpressionError, extendedExpression } from '../regular-expression.ts';
import { bytesOf, eachInput, type Line, linesOf, LineWriter } from './input-lines.ts';
import { readOptions } from './read-options.ts';
import { pathOf } from '../process.ts';

/** A script that `sed` does not understand. */
class SedError extends Error {
  override readonly name = 'SedError';
}

type Address = { readonly line: number } | { readonly isLast: true } | { readonly expression: Expression };

interface SedCommand {
  readonly from: Address | undefined;
  readonly to: Address | undefined;
  readonly isNegated: boolean;
  readonly letter: string;
  readonly text: string;
  readonly expression: Expression | undefined;
  readonly flags: string;
  /** Whether lines up to `to` are selected. */
  isOpen: boolean;
}

/** Substitution, printing, deletion and insertion of lines by number or pattern. */
export const sed: Program = async (args, process) => {
  const options = readOptions(args, {
    flags: 'nErsuz',
    values: 'ef',
    long: { quiet: 'n', silent: 'n', 'regexp-extended': 'E', expression: 'e', file: 'f' },
    ...inPlace(args),
  });
  const scripts = [...options.values('e')];
  for (const file of options.values('f')) scripts.push((await readAll(bytesOf(file, process))).toString());
  let { operands } = options;
  if (scripts.length === 0) {
    const [first, ...rest] = operands;
    if (first === undefined) return fail(process, 'sed: no script specified');
    scripts.push(first);
    operands = rest;
  }
  try {
    const isExtended = options.has('E') || options.has('r');
    const commands = new SedParser(scripts.join('\n'), isExtended).parse();
    const isQuiet = options.has('n');
    if (!options.has('i')) return await edit(operands, process, { commands, isQuiet });
    return await editFiles(operands, process, { commands, isQuiet });
  } catch (error) {
    if (error instanceof SedError || error instanceof ExpressionError) return fail(process, `sed: ${error.message}`);
    throw error;
  }
};

/** `-i` may have a suffix, which must follow at once. */
function inPlace(args: readonly string[]): { readonly flags?: string } {
  return args.some((arg) => /^-[nErsuz]*i$/.test(arg)) ? { flags: 'nErsuzi' } : {};
}

interface Edit {
  readonly commands: readonly SedCommand[];
  readonly isQuiet: boolean;
}

async function editFiles(names: readonly string[], process: ShellProcess, work: Edit): Promise<number> {
  const { files, clock } = process.machine;
  let code = 0;
  for (const name of names) {
    const parts: Uint8Array[] = [];
    const stdout = async (bytes: Uint8Array): Promise<void> => void parts.push(bytes);
    const result = await edit([name], { ...process, stdout }, work);
    if (result !== 0) code = result;
    else files.write(pathOf(process, name), Buffer.concat(parts), { nowMs: clock.now() });
  }
  return code;
}

async function edit(names: readonly string[], process: ShellProcess, { commands, isQuiet }: Edit): Promise<number> {
  const writer = new LineWriter(process);
  let number = 0;
  let isOver = false;
  const one = async (line: Line, isLast: boolean): Promise<void> => {
    number++;
    let { text } = line;
    let isDeleted = false;
    const behind: string[] = [];
    for (const command of commands) {
      if (isSelected(command, { text, number, isLast }) === command.isNegated) continue;
      if (command.letter === 's') {
        const result = substitute(text, command);
        text = result.text;
        if (result.isChanged && command.flags.includes('p')) await writer.write(`${text}\n`);
      } else if (command.letter === 'y') {
        text = [...text]
          .map((each) => command.text.charAt(command.text.length / 2 + halfIndex(command.text, each)) || each)
          .join('');
      } else if (command.letter === 'p') {
        await writer.write(`${text}\n`);
      } else if (command.letter === '=') {
        await writer.write(`${number}\n`);
      } else if (command.letter === 'i') {
        await writer.write(`${command.text}\n`);
      } else if (command.letter === 'a') {
        behind.push(`${command.text}\n`);
      } else if (command.letter === 'c' || command.letter === 'd') {
        if (command.letter === 'c') await writer.write(`${command.text}\n`);
        isDeleted = true;
        break;
      } else if (command.letter === 'q') {
        isOver = true;
        break;
      }
    }
    if (!isDeleted && !isQuiet) await writer.write(line.hasEnd ? `${text}\n` : text);
    for (const each of behind) await writer.write(each);
  };
  let waiting: Line | undefined;
  const code = await eachInput(names, { program: 'sed', process }, async (input) => {
    for await (const line of linesOf(input, process)) {
      if (waiting !== undefined) await one(waiting, false);
      waiting = line;
      if (isOver) return;
    }
  });
  if (waiting !== undefined && !isOver) await one(waiting, true);
  await writer.flush();
  return code;
}

/** The place of a character in the first half of the text of `y`; beyond the end when it is not there. */
function halfIndex(text: string, character: string): number {
  const at = text.slice(0, text.length / 2).indexOf(character);
  return at === -1 ? text.length : at;
}

interface Place {
  readonly text: string;
  readonly number: number;
  readonly isLast: boolean;
}

function isSelected(command: SedCommand, place: Place): boolean {
  const { from, to } = command;
  if (from === undefined) return true;
  if (to === undefined) return matches(from, place);
  if (!command.isOpen) {
    if (!matches(from, place)) return false;
    command.isOpen = !('line' in to && to.line <= place.number);
    return true;
  }
  if (matches(to, place)) command.isOpen = false;
  return true;
}

function matches(address: Address, { text, number, isLast }: Place): boolean {
  if ('line' in address) return address.line === number;
  return 'isLast' in address ? isLast : address.expression.test(text);
}

const MAX_LINE_CHARACTERS = 256 * 1024;

function substitute(
  text: string,
  { expression, text: by, flags }: SedCommand,
): { readonly text: string; readonly isChanged: boolean } {
  const wanted = Number(/\d+/.exec(flags)?.[0] ?? 1);
  const isGlobal = flags.includes('g');
  let result = '';
  let [at, count, isChanged] = [0, 0, false];
  while (at <= text.length) {
    const found = expression?.find(text, at);
    if (found === undefined) break;
    result += text.slice(at, found.start);
    if (++count >= wanted) {
      result += replacement(by, found.groups);
      isChanged = true;
    } else {
      result += text.slice(found.start, found.end);
    }
    at = found.end;
    if (found.end === found.start) result += text.charAt(at++);
    if (result.length > MAX_LINE_CHARACTERS) throw new SedError('out of memory');
    if (isChanged && !isGlobal) break;
  }
  return { text: result + text.slice(at), isChanged };
}

function replacement(by: string, groups: readonly string[]): string {
  return by.replace(/\\(\d)|\\(n)|\\([\s\S])|&/g, (all, group?: string, newline?: string, other?: string) => {
    if (group !== undefined) return groups[Number(group)] ?? '';
    if (newline !== undefined) return '\n';
    return other ?? (all === '&' ? (groups[0] ?? '') : all);
  });
}

class SedParser {
  readonly #text: string;
  readonly #make: (pattern: string, options: { readonly ignoresCase?: boolean }) => Expression;
  #at = 0;

  constructor(text: string, isExtended: boolean) {
    this.#text = text;
    this.#make = isExtended ? extendedExpression : basicExpression;
  }

  parse(): readonly SedCommand[] {
    const commands: SedCommand[] = [];
    for (;;) {
      this.#skip(/[\s;]+/y);
      if (this.#at >= this.#text.length) return commands;
      commands.push(this.#command());
    }
  }

  #command(): SedCommand {
    const from = this.#address();
    this.#skip(/[ \t]+/y);
    const hasRange = from !== undefined && this.#text.charAt(this.#at) === ',';
    if (hasRange) this.#at++;
    this.#skip(/[ \t]+/y);
    const to = hasRange ? this.#address() : undefined;
    if (hasRange && to === undefined) throw new SedError("unexpected `,'");
    this.#skip(/[ \t]+/y);
    const isNegated = this.#text.charAt(this.#at) === '!';
    if (isNegated) this.#at++;
    this.#skip(/[ \t]+/y);
    const letter = this.#text.charAt(this.#at++);
    const common = { from, to, isNegated, letter, isOpen: false };
    if (letter === 's') return { ...common, ...this.#substitution() };
    if (letter === 'y') {
      const { first, second } = this.#parts();
      if (first.length !== second.length) throw new SedError("strings for `y' command are different lengths");
      return { ...common, text: first + second, expression: undefined, flags: '' };
    }
    if ('aic'.includes(letter) && letter !== '') {
      const [, text = ''] = this.#take(/[ \t]*(?:\\\n?)?[ \t]*([^\n]*)/y);
      return { ...common, text, expression: undefined, flags: '' };
    }
    if (letter === '' || !'pdq='.includes(letter)) throw new SedError(`unsupported command ${letter}`);
    return { ...common, text: '', expression: undefined, flags: '' };
  }

  #substitution(): Pick<SedCommand, 'text' | 'expression' | 'flags'> {
    const { first, second } = this.#parts();
    const [flags = ''] = this.#take(/[a-zA-Z0-9]*/y);
    if (!/^[gpiI\d]*$/.test(flags)) throw new SedError("unknown option to `s'");
    return { text: second, flags, expression: this.#make(first, { ignoresCase: /i/i.test(flags) }) };
  }

  /** The two texts of `s` and `y`, with any delimiter. */
  #parts(): { readonly first: string; readonly second: string } {
    const delimiter = this.#text.charAt(this.#at++);
    if (delimiter === '' || delimiter === '\n' || delimiter === '\\') throw new SedError("unterminated `s' command");
    return { first: this.#until(delimiter), second: this.#until(delimiter) };
  }

  #until(delimiter: string): string {
    let result = '';
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text.charAt(this.#at);
      if (character === delimiter) {
        this.#at++;
        return result;
      }
      if (character !== '\\') {
        result += character;
        continue;
      }
      const next = this.#text.charAt(++this.#at);
      result += next === delimiter ? next : `\\${next}`;
    }
    throw new SedError("unterminated `s' command");
  }

  #address(): Address | undefined {
    const character = this.#text.charAt(this.#at);
    if (character === '$') {
      this.#at++;
      return { isLast: true };
    }
    if (character === '/') {
      this.#at++;
      return { expression: this.#make(this.#until('/'), {}) };
    }
    const [digits = ''] = this.#take(/\d*/y);
    return digits === '' ? undefined : { line: Number(digits) };
  }

  #skip(pattern: RegExp): void {
    this.#take(pattern);
  }

  #take(pattern: RegExp): readonly string[] {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return [];
    this.#at = pattern.lastIndex;
    return found;
  }
}
