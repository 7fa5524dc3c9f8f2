import { messageOf } from '../../base/index.ts';
import { ByteInbox } from '../../wire/connections/index.ts';
import {
  LITERAL_DOLLAR,
  parseScript,
  type Pipeline,
  ScriptError,
  type SimpleCommand,
  type Word,
} from './parse-script.ts';
import { fail, pathOf, print, type ShellProcess } from './process.ts';
import { programs } from './programs.ts';
import { SharedInput } from './shared-input.ts';

/** The nesting limit of shells. */
const MAX_DEPTH = 16;
const NOT_FOUND = 127;

/** Runs scripts one after another, which share variables and the working directory. */
export class Shell {
  readonly #process: ShellProcess;
  readonly #variables: Map<string, string>;
  #directory: string;
  #code = 0;
  #hasExited = false;

  constructor(process: ShellProcess) {
    this.#process = process;
    this.#variables = new Map(process.environment);
    this.#directory = process.directory;
  }

  /** Whether `exit` was called. */
  get hasExited(): boolean {
    return this.#hasExited;
  }

  get directory(): string {
    return this.#directory;
  }

  /** The exit code of the last command. */
  get code(): number {
    return this.#code;
  }

  async run(script: string, signal = this.#process.signal): Promise<number> {
    let pipelines: readonly Pipeline[];
    try {
      pipelines = parseScript(script);
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      return (this.#code = await fail(this.#process, `sh: ${error.message}`, 2));
    }
    for (const { after, commands } of pipelines) {
      if (this.#hasExited || signal.aborted) break;
      if (after !== 'anything' && (after === 'success') !== (this.#code === 0)) continue;
      this.#code = await this.#pipeline(commands, signal);
    }
    return this.#code;
  }

  async #pipeline(commands: readonly SimpleCommand[], signal: AbortSignal): Promise<number> {
    const base: ShellProcess = {
      ...this.#process,
      environment: this.#variables,
      directory: this.#directory,
      signal,
    };
    let { stdin } = base;
    const running: Promise<number>[] = [];
    for (const [index, command] of commands.entries()) {
      const isLast = index === commands.length - 1;
      const pipe = new ByteInbox();
      const process = isLast
        ? { ...base, stdin }
        : { ...base, stdin, stdout: (bytes: Uint8Array) => pipe.deliver(bytes) };
      running.push(this.#command(command, process, commands.length === 1).finally(() => pipe.finish()));
      stdin = pipe;
    }
    const codes = await Promise.all(running);
    return codes.at(-1) ?? 0;
  }

  async #command(command: SimpleCommand, process: ShellProcess, isAlone: boolean): Promise<number> {
    const words = command.words.flatMap((word) => this.#expand(word));
    try {
      const redirected = await this.#redirect(command, process);
      const code = await this.#invoke(words, redirected.process, isAlone);
      redirected.finish();
      return code;
    } catch (error) {
      return fail(process, `sh: ${messageOf(error)}`);
    }
  }

  /** Output to files is collected and written when the command has ended. */
  async #redirect(
    { redirections }: SimpleCommand,
    given: ShellProcess,
  ): Promise<{ readonly process: ShellProcess; finish(): void }> {
    const { files, clock } = given.machine;
    let process = given;
    const collected: { readonly path: string; readonly parts: Uint8Array[] }[] = [];
    for (const { operator, target } of redirections) {
      const name = this.#expand(target).join(' ');
      const path = pathOf(given, name);
      if (operator === '2>&1') {
        process = { ...process, stderr: process.stdout };
      } else if (operator === '>&2') {
        process = { ...process, stdout: process.stderr };
      } else if (operator === '<') {
        const bytes = files.read(path);
        process = { ...process, stdin: once(bytes) };
      } else {
        const parts: Uint8Array[] = operator.endsWith('>>') && files.get(path) !== undefined ? [files.read(path)] : [];
        let size = 0;
        const write = async (bytes: Uint8Array): Promise<void> => {
          size += bytes.length;
          if (name !== '/dev/null' && size <= MAX_FILE_BYTES) parts.push(bytes);
        };
        process = operator.startsWith('2') ? { ...process, stderr: write } : { ...process, stdout: write };
        if (name !== '/dev/null') collected.push({ path, parts });
      }
    }
    const finish = (): void => {
      for (const { path, parts } of collected) files.write(path, Buffer.concat(parts), { nowMs: clock.now() });
    };
    return { process, finish };
  }

  async #invoke(words: readonly string[], process: ShellProcess, isAlone: boolean): Promise<number> {
    const assignments = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
    const [name = '', ...args] = assignments === -1 ? [] : words.slice(assignments);
    const set = assignments === -1 ? words : words.slice(0, assignments);
    const environment = name === '' ? this.#variables : new Map(process.environment);
    for (const each of set) environment.set(each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1));
    if (name === '') return 0;
    const own = isAlone ? this.#builtIn(name, args, process) : undefined;
    return own ?? runProgram([name, ...args], { ...process, environment }, true);
  }

  /** Commands that change the shell itself. */
  #builtIn(name: string, args: readonly string[], process: ShellProcess): Promise<number> | undefined {
    switch (name) {
      case 'exit':
        this.#hasExited = true;
        return Promise.resolve(args[0] === undefined ? this.#code : Number(args[0]) & 0xff);
      case 'cd':
        return this.#changeDirectory(args[0] ?? this.#variables.get('HOME') ?? '/', process);
      case 'export':
        for (const each of args.filter((arg) => arg.includes('=')))
          this.#variables.set(each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1));
        return Promise.resolve(0);
      case 'unset':
        for (const each of args) this.#variables.delete(each);
        return Promise.resolve(0);
      case 'set':
        return Promise.resolve(0);
      default:
        return undefined;
    }
  }

  async #changeDirectory(name: string, process: ShellProcess): Promise<number> {
    const path = pathOf(process, name);
    if (process.machine.files.get(path)?.type !== 'directory') {
      return fail(process, `sh: cd: can't cd to ${name}: No such file or directory`, 2);
    }
    this.#directory = path;
    return 0;
  }

  /** An unquoted word is split where variables contain spaces, and vanishes where they are empty. */
  #expand(word: Word): readonly string[] {
    const words: string[] = [];
    let current: string | undefined;
    for (const { text, isQuoted, hasVariables } of word) {
      const value = hasVariables ? this.#variablesIn(text) : text;
      if (isQuoted) {
        current = (current ?? '') + value;
        continue;
      }
      const pieces = value.split(/\s+/);
      for (const [index, piece] of pieces.entries()) {
        if (index > 0 && current !== undefined) {
          words.push(current);
          current = undefined;
        }
        if (piece !== '') current = (current ?? '') + piece;
      }
    }
    return current === undefined ? words : [...words, current];
  }

  #variablesIn(text: string): string {
    const pattern = /\$(?:(\w+|\?|\$)|\{(\w+)(?::?-([^}]*))?\})/g;
    return text
      .replace(pattern, (_, plain?: string, braced?: string, otherwise?: string) => {
        if (plain === '?') return String(this.#code);
        if (plain === '$') return '1';
        return this.#variables.get(plain ?? braced ?? '') ?? otherwise ?? '';
      })
      .replaceAll(LITERAL_DOLLAR, '$');
  }
}

const MAX_FILE_BYTES = 1024 * 1024;

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Runs a program by its name or path. An unknown one does nothing and succeeds, except in a shell. */
export async function runProgram(
  [name = '', ...args]: readonly string[],
  process: ShellProcess,
  isInShell = false,
): Promise<number> {
  const known = name.slice(name.lastIndexOf('/') + 1);
  if (known === 'sh' || known === 'bash' || known === 'ash') return runShell(args, process);
  const program = Object.hasOwn(programs, known) ? programs[known] : undefined;
  if (program !== undefined) return program(args, process);
  return isInShell ? fail(process, `sh: ${name}: not found`, NOT_FOUND) : 0;
}

async function runShell(args: readonly string[], process: ShellProcess): Promise<number> {
  if (process.depth >= MAX_DEPTH) return fail(process, 'sh: too many shells within each other', 2);
  const shell = new Shell({ ...process, depth: process.depth + 1 });
  const option = args.find((arg) => /^-\w*c$/.test(arg));
  if (option !== undefined) return shell.run(args[args.indexOf(option) + 1] ?? '');
  const file = args.find((arg) => !arg.startsWith('-'));
  if (file !== undefined) {
    const path = pathOf(process, file);
    const script = process.machine.files.get(path);
    if (script?.type !== 'file') return fail(process, `sh: can't open '${file}': No such file or directory`, 2);
    return shell.run(Buffer.from(script.bytes).toString());
  }
  return (await converse(process)).code;
}

/** Runs an interactive shell line by line; prints a prompt when there is a terminal. */
export async function converse(process: ShellProcess): Promise<{ readonly code: number; readonly hasExited: boolean }> {
  const { terminal } = process;
  const input = new SharedInput(process.stdin);
  const shell = new Shell({ ...process, stdin: input, depth: process.depth + 1 });
  const prompt = async (): Promise<void> => {
    if (terminal !== undefined) await print(process, `${shell.directory} # `);
  };
  await prompt();
  for await (const line of input.lines()) {
    const signal = terminal?.foreground(process.signal) ?? process.signal;
    input.endWith(signal);
    await shell.run(line, signal);
    terminal?.background();
    if (shell.hasExited || process.signal.aborted) break;
    await prompt();
  }
  return { code: shell.code, hasExited: shell.hasExited };
}
