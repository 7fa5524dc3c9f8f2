import { messageOf } from '../../base/index.ts';
import { builtIns, type BuiltInHost } from './built-ins.ts';
import { type CompoundHost, runCompound } from './compound-commands.ts';
import { FileError } from './file-tree.ts';
import { Jobs } from './jobs.ts';
import { Jump } from './jump.ts';
import { parseScript } from './language/parse-script.ts';
import {
  type Assignment,
  type Command,
  type ListItem,
  type Pipeline,
  type Script,
  ScriptError,
  type SimpleCommand,
} from './language/syntax.ts';
import { MAIN } from './process-table.ts';
import { BrokenPipe, fail, type ShellProcess } from './process.ts';
import { INNER_PROGRAMS, runKnown } from './programs/index.ts';
import { redirect, RedirectionError } from './redirect.ts';
import { SharedInput } from './shared-input.ts';
import { MAX_WORD_CHARACTERS, ShellFailure } from './shell-failure.ts';
import { type ShellOptions, ShellScope } from './shell-scope.ts';
import { ShellState } from './shell-state.ts';
import { runInBackground, runPiped, type SubshellHost } from './subshells.ts';

export type { ShellOptions } from './shell-scope.ts';

/** The nesting limit of shells and functions. */
const MAX_DEPTH = 100;
const BROKEN_PIPE = 141;
const SYNTAX = 2;

/** Runs scripts one after another, which share variables and the working directory. */
export class Shell extends ShellScope implements BuiltInHost, CompoundHost, SubshellHost {
  readonly jobs: Jobs;
  #hasExited = false;
  #isProgram = false;
  /** True for a script of one command, which replaces the shell as if it was run with `exec`. */
  #isReplaced = false;
  /** Positive where a failure is part of a condition, which `set -e` does not mind. */
  #conditions = 0;
  #depth: number;
  #substitutionCode: number | undefined;
  #pendingSignals: number[] = [];
  #wakeOnSignal: (() => void) | undefined;

  constructor(process: ShellProcess, options: ShellOptions = {}) {
    super(process, options);
    this.jobs = new Jobs(process.machine);
    this.#depth = process.depth;
  }

  /** Whether `exit` was called. */
  get hasExited(): boolean {
    return this.#hasExited;
  }

  get code(): number {
    return this.state.code;
  }

  /** Runs a script to its end; then the shell has not ended yet. */
  async run(script: string, signal = this.process.signal): Promise<number> {
    this.process = { ...this.process, signal };
    try {
      await this.runText(script);
    } catch (error) {
      this.state.code = await this.#endedBy(error);
    }
    return this.state.code;
  }

  /** Runs a script as the whole program of the process: with its trap for the end. */
  async runAsProgram(script: string): Promise<number> {
    const { machine, pid } = this.process;
    using _receiver = pid === MAIN ? machine.processes.receive(MAIN, (signal) => this.receive(signal)) : undefined;
    this.#isProgram = true;
    await this.run(script);
    return this.end();
  }

  /** Runs the trap for the end of the shell. */
  async end(): Promise<number> {
    const last = this.state.traps.get(0);
    this.state.traps.delete(0);
    if (last === undefined || last === '' || this.process.signal.aborted) return this.state.code;
    const { code } = this.state;
    this.#hasExited = false;
    await this.run(last);
    if (!this.#hasExited) this.state.code = code;
    return this.state.code;
  }

  /** Parses and runs commands in this shell. */
  async runText(text: string): Promise<number> {
    const script = this.#parse(text);
    this.#isReplaced = this.#isProgram && isOneProgram(script);
    this.#isProgram = false;
    await this.runScript(script);
    return this.state.code;
  }

  /** False for commands that more lines must complete. */
  isComplete(text: string): boolean {
    try {
      parseScript(text, this.hasBraces);
      return true;
    } catch (error) {
      return !(error instanceof ScriptError && error.isIncomplete);
    }
  }

  #parse(text: string): Script {
    try {
      return parseScript(text, this.hasBraces);
    } catch (error) {
      if (error instanceof ScriptError) throw new ShellFailure(error.message, SYNTAX);
      throw error;
    }
  }

  /** Takes a signal; false when the shell has no trap for it. */
  receive(signal: number): boolean {
    const script = this.state.traps.get(signal);
    if (script === undefined) return false;
    if (script !== '' && this.#pendingSignals.length < MAX_DEPTH) this.#pendingSignals.push(signal);
    this.#wakeOnSignal?.();
    return true;
  }

  /** Resolves with the number of a signal that arrives during the work, or undefined when the work is over. */
  async interruptible(work: Promise<unknown>): Promise<number | undefined> {
    if (this.#pendingSignals.length > 0) return this.#pendingSignals[0];
    const arrived = new Promise<void>((resolve) => (this.#wakeOnSignal = resolve));
    await Promise.race([work, arrived]);
    this.#wakeOnSignal = undefined;
    return this.#pendingSignals[0];
  }

  /** What ended the script: a jump to the outside, or an error. */
  async #endedBy(error: unknown): Promise<number> {
    if (error instanceof Jump) {
      if (error.type !== 'exit') return this.state.code;
      this.#hasExited = !this.process.signal.aborted; // an interrupted command leaves the shell of a terminal running
      return error.code;
    }
    if (error instanceof BrokenPipe) return BROKEN_PIPE;
    const code = error instanceof ShellFailure ? error.code : 1;
    if (!(error instanceof ShellFailure) && !(error instanceof FileError) && !(error instanceof RedirectionError))
      throw error;
    if (this.process.terminal === undefined) this.#hasExited = true;
    return fail(this.process, `${this.#errorPrefix}: ${error.message}`, code);
  }

  get #errorPrefix(): string {
    return this.state.name === '' ? 'sh' : this.state.name;
  }

  async runScript(script: Script): Promise<void> {
    for (const item of script) await this.#item(item);
  }

  async #item({ first, rest, isBackground }: ListItem): Promise<void> {
    if (isBackground) return this.#background({ first, rest, isBackground: false });
    let last = first;
    await this.#pipeline(first, rest.length > 0);
    for (const [index, { operator, pipeline }] of rest.entries()) {
      if ((operator === '&&') !== (this.state.code === 0)) continue;
      last = pipeline;
      await this.#pipeline(pipeline, index < rest.length - 1);
    }
    const isCondition = this.#conditions > 0 || last.isNegated || last !== (rest.at(-1)?.pipeline ?? first);
    if (this.state.code !== 0 && !isCondition && this.state.options.has('e')) throw Jump.exit(this.state.code);
  }

  async #pipeline({ isNegated, commands }: Pipeline, isCondition: boolean): Promise<void> {
    const [first] = commands;
    if (isCondition || isNegated) this.#conditions++;
    try {
      if (commands.length === 1 && first !== undefined) await this.#command(first);
      else this.state.code = await this.#piped(commands);
    } finally {
      if (isCondition || isNegated) this.#conditions--;
    }
    if (isNegated) this.state.code = this.state.code === 0 ? 1 : 0;
  }

  /** Each command runs in a process of its own. */
  async #piped(commands: readonly Command[]): Promise<number> {
    using _room = this.process.machine.processes.reserve(commands.length);
    const codes = await runPiped(commands, this);
    await this.#betweenCommands();
    const failed = this.state.options.has('pipefail') ? codes.findLast((code) => code !== 0) : undefined;
    return failed ?? codes.at(-1) ?? 0;
  }

  /** Runs one command, or commands, as a whole process. */
  async runAlone(work: Command | Script): Promise<number> {
    try {
      if ('type' in work) await this.#command(work);
      else await this.runScript(work);
    } catch (error) {
      this.state.code = await this.#endedBy(error);
    }
    return this.end();
  }

  /** A shell that begins with a copy of the state. */
  subshell(process: ShellProcess): Shell {
    if (this.#depth >= MAX_DEPTH) throw new ShellFailure('maximum nesting level exceeded');
    const shell = new Shell(
      { ...process, depth: this.#depth + 1 },
      { state: new ShellState(this.state), isBash: this.hasBraces },
    );
    shell.#conditions = this.#conditions;
    return shell;
  }

  #background(item: ListItem): void {
    this.state.lastBackgroundPid = runInBackground(item, this);
    this.state.code = 0;
  }

  async #command(command: Command): Promise<void> {
    const { machine, signal } = this.process;
    const pause = machine.processor.take();
    if (pause !== undefined) await pause;
    if (signal.aborted) throw Jump.interrupt();
    if (command.type === 'function') {
      this.state.define(command.name, command.body);
      this.state.code = 0;
    } else if (command.type === 'simple') {
      await this.#simple(command);
    } else {
      await this.#redirected(command.redirections, () => runCompound(command.body, this));
    }
    await this.#betweenCommands();
  }

  /** Runs the traps of signals that have arrived. */
  async #betweenCommands(): Promise<void> {
    for (let signal = this.#pendingSignals.shift(); signal !== undefined; signal = this.#pendingSignals.shift()) {
      const { code } = this.state;
      await this.runText(this.state.traps.get(signal) ?? '');
      this.state.code = code;
    }
    if (this.process.signal.aborted) throw Jump.interrupt();
  }

  /** Runs with open files that are closed afterwards. A file that cannot be opened is a failure of the command. */
  async #redirected(redirections: SimpleCommand['redirections'], run: () => Promise<void>): Promise<void> {
    if (redirections.length === 0) return run();
    const before = this.process;
    try {
      const process = await redirect({ ...before, directory: this.directory }, redirections, this);
      const stdin = process.stdin instanceof SharedInput ? process.stdin : new SharedInput(process.stdin);
      this.process = { ...process, stdin };
    } catch (error) {
      if (!(error instanceof RedirectionError)) throw error;
      this.state.code = await fail(before, `${this.#errorPrefix}: ${error.message}`);
      return;
    }
    try {
      await run();
    } finally {
      this.process = { ...before, signal: this.process.signal };
    }
  }

  async holds(condition: Script): Promise<boolean> {
    this.#conditions++;
    try {
      await this.runScript(condition);
    } finally {
      this.#conditions--;
    }
    return this.state.code === 0;
  }

  async #simple({ assignments, words, redirections }: SimpleCommand): Promise<void> {
    this.#substitutionCode = undefined;
    const expanded = await this.expandCommand(words);
    await this.process.machine.prepareFiles?.(expanded, this.directory);
    await this.prepareFiles(redirections.map(({ target }) => target));
    if (this.state.options.has('x') && expanded.length > 0) {
      await this.process.stderr(Buffer.from(`+ ${expanded.join(' ')}\n`));
    }
    if (expanded[0] === 'exec') return this.#exec(expanded.slice(1), redirections);
    await this.#redirected(redirections, async () => {
      this.state.code = await this.#invoke(expanded, assignments);
    });
  }

  async #exec(words: readonly string[], redirections: SimpleCommand['redirections']): Promise<void> {
    try {
      const process = await redirect({ ...this.process, directory: this.directory }, redirections, this);
      const stdin = process.stdin instanceof SharedInput ? process.stdin : new SharedInput(process.stdin);
      this.process = { ...process, stdin };
    } catch (error) {
      if (!(error instanceof RedirectionError)) throw error;
      throw new ShellFailure(error.message, 1);
    }
    if (words.length === 0) return void (this.state.code = 0);
    this.state.traps.clear();
    throw Jump.exit(await this.runProgram(words, { keepsPid: true }));
  }

  async #invoke(words: readonly string[], assignments: readonly Assignment[]): Promise<number> {
    const [name = ''] = words;
    if (words.length === 0) {
      for (const assignment of assignments) await this.assign(assignment);
      return this.#substitutionCode ?? 0;
    }
    const before = assignments.map(
      ({ name: variable }) => [variable, this.state.get(variable), this.state.isExported(variable)] as const,
    );
    for (const assignment of assignments) {
      await this.assign(assignment);
      this.state.export(assignment.name);
    }
    try {
      const body = this.state.functionNamed(name);
      if (body !== undefined) return await this.#call(body, words.slice(1));
      return await this.invokeBuiltIn(words);
    } finally {
      for (const [variable, value, isExported] of before) {
        this.state.unset(variable);
        if (value !== undefined) this.state.set(variable, value);
        if (isExported) this.state.export(variable);
      }
    }
  }

  /** Runs a command that is built in, or a program; functions are passed over. */
  async invokeBuiltIn([name = '', ...args]: readonly string[]): Promise<number> {
    const builtIn = Object.hasOwn(builtIns, name) ? builtIns[name] : undefined;
    if (builtIn !== undefined) return builtIn(args, this);
    if (INNER_PROGRAMS.has(name)) return runKnown(name, args, { ...this.process, directory: this.directory });
    return this.runProgram([name, ...args]);
  }

  /** Runs a program that is not built in. */
  async runProgram(words: readonly string[], { keepsPid = this.#isReplaced } = {}): Promise<number> {
    const { machine, pid, run } = this.process;
    using _room = machine.processes.reserve();
    try {
      return await run(words, {
        ...this.process,
        pid: keepsPid ? pid : machine.processes.newPid(),
        environment: this.state.environment,
        directory: this.directory,
        depth: this.#depth,
      });
    } catch (error) {
      if (error instanceof BrokenPipe) return BROKEN_PIPE;
      if (error instanceof Jump || error instanceof ShellFailure) throw error;
      return fail(this.process, `${words[0]}: ${messageOf(error)}`);
    }
  }

  async #call(body: Command, args: readonly string[]): Promise<number> {
    const { parameters } = this.state;
    if (this.#depth >= MAX_DEPTH) throw new ShellFailure('maximum function nesting level exceeded');
    this.#depth++;
    this.state.parameters = args;
    const locals = this.#locals;
    this.#locals = new Map();
    try {
      await this.#command(body);
      return this.state.code;
    } catch (error) {
      if (error instanceof Jump && error.type === 'return') return error.code;
      throw error;
    } finally {
      for (const [name, value] of this.#locals) {
        if (value === undefined) this.state.unset(name);
        else this.state.set(name, value);
      }
      this.#locals = locals;
      this.state.parameters = parameters;
      this.#depth--;
    }
  }

  /** The values that local variables hide; undefined outside of functions. */
  #locals: Map<string, string | undefined> | undefined;

  makeLocal(name: string): boolean {
    if (this.#locals?.has(name) === false) this.#locals.set(name, this.state.get(name));
    return this.#locals !== undefined;
  }

  async outputOf(script: Script): Promise<string> {
    using _room = this.process.machine.processes.reserve();
    const parts: Uint8Array[] = [];
    let bytes = 0;
    const stdout = async (part: Uint8Array): Promise<void> => {
      bytes += part.length;
      if (bytes > MAX_WORD_CHARACTERS) throw new ShellFailure('Argument list too long');
      parts.push(part);
    };
    const shell = this.subshell({ ...this.process, stdout });
    this.#substitutionCode = await shell.runAlone(script);
    if (bytes > MAX_WORD_CHARACTERS) throw new ShellFailure('Argument list too long');
    if (this.process.signal.aborted) throw Jump.interrupt();
    return Buffer.concat(parts).toString().replaceAll('\0', '').replace(/\n+$/, '');
  }
}

function isOneProgram([item, ...others]: Script): boolean {
  if (item === undefined || others.length + item.rest.length > 0 || item.isBackground) return false;
  return item.first.commands.length === 1 && item.first.commands[0]?.type === 'simple';
}
