import { aborted, AbortScope, messageOf } from '../../base/index.ts';
import { ByteInbox } from '../../wire/connections/index.ts';
import { builtIns, type BuiltInHost } from './built-ins.ts';
import { FileError } from './file-tree.ts';
import { Jobs } from './jobs.ts';
import { Jump } from './jump.ts';
import { evaluateArithmetic } from './language/arithmetic.ts';
import { expandPattern, type ExpansionScope, expandText, expandWords } from './language/expand-word.ts';
import { ShellPattern } from './language/match-pattern.ts';
import { assignmentOf } from './language/assignment.ts';
import { parseScript } from './language/parse-script.ts';
import {
  type Assignment,
  type Command,
  type CompoundBody,
  type ListItem,
  type Pipeline,
  type Script,
  ScriptError,
  type SimpleCommand,
  type Word,
} from './language/syntax.ts';
import { isIdleLoop } from './idle-loop.ts';
import { MAIN } from './process-table.ts';
import { BrokenPipe, fail, type ShellProcess } from './process.ts';
import { INNER_PROGRAMS, runKnown } from './programs/index.ts';
import { redirect, RedirectionError } from './redirect.ts';
import { SharedInput } from './shared-input.ts';
import { MAX_WORD_CHARACTERS, ShellFailure } from './shell-failure.ts';
import { ShellState } from './shell-state.ts';
import { evaluateCondition } from './test-program.ts';

/** The nesting limit of shells and functions. */
const MAX_DEPTH = 100;
const BROKEN_PIPE = 141;
const SYNTAX = 2;
const INTERRUPT = 130;

export interface ShellOptions {
  readonly state?: ShellState;
  readonly isBash?: boolean;
}

/** Runs scripts one after another, which share variables and the working directory. */
export class Shell implements BuiltInHost, ExpansionScope {
  readonly state: ShellState;
  readonly jobs: Jobs;
  readonly hasBraces: boolean;
  /** The current open files; those of a compound command while it runs. */
  process: ShellProcess;
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

  constructor(process: ShellProcess, { state, isBash = false }: ShellOptions = {}) {
    const stdin = process.stdin instanceof SharedInput ? process.stdin : new SharedInput(process.stdin);
    this.process = { ...process, stdin };
    this.state = state ?? new ShellState(process.environment, process.directory);
    this.jobs = new Jobs(process.machine);
    this.hasBraces = isBash;
    this.#depth = process.depth;
  }

  /** Whether `exit` was called. */
  get hasExited(): boolean {
    return this.#hasExited;
  }

  get directory(): string {
    return this.state.directory;
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
    await this.#runScript(script);
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

  async #runScript(script: Script): Promise<void> {
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
    let { stdin } = this.process;
    const running: Promise<number>[] = [];
    for (const [index, command] of commands.entries()) {
      const input = stdin;
      const pipe = index === commands.length - 1 ? undefined : new ByteInbox();
      const stdout = pipe === undefined ? this.process.stdout : writerOf(pipe);
      const shell = this.#subshell({ ...this.process, stdin: index === 0 ? input : new SharedInput(input), stdout });
      const ended = shell.#alone(command).finally(() => {
        pipe?.finish();
        if (index > 0 && input instanceof ByteInbox) input.finish(); // writers get a broken pipe
      });
      running.push(ended);
      if (pipe !== undefined) stdin = pipe;
    }
    const codes = await Promise.all(running);
    await this.#betweenCommands();
    const failed = this.state.options.has('pipefail') ? codes.findLast((code) => code !== 0) : undefined;
    return failed ?? codes.at(-1) ?? 0;
  }

  /** Runs one command, or commands, as a whole process. */
  async #alone(work: Command | Script): Promise<number> {
    try {
      if ('type' in work) await this.#command(work);
      else await this.#runScript(work);
    } catch (error) {
      this.state.code = await this.#endedBy(error);
    }
    return this.end();
  }

  #subshell(process: ShellProcess): Shell {
    if (this.#depth >= MAX_DEPTH) throw new ShellFailure('maximum nesting level exceeded');
    const shell = new Shell(
      { ...process, depth: this.#depth + 1 },
      { state: new ShellState(this.state), isBash: this.hasBraces },
    );
    shell.#conditions = this.#conditions;
    return shell;
  }

  #background(item: ListItem): void {
    const { machine } = this.process;
    const room = machine.processes.reserve();
    const scope = new AbortScope(machine.signal);
    const shell = this.#subshell({
      ...this.process,
      stdin: new SharedInput(nothing()),
      signal: scope.signal,
      terminal: undefined,
    });
    const work = shell.#alone([item]).finally(() => {
      room[Symbol.dispose]();
      scope[Symbol.dispose]();
    });
    const kill = (signal: number): void => {
      if (!shell.receive(signal)) scope.abort(new Error(`signal ${signal}`));
    };
    this.state.lastBackgroundPid = this.jobs.add(work, kill);
    this.state.code = 0;
  }

  async #command(command: Command): Promise<void> {
    const { machine, signal } = this.process;
    const pause = machine.processor.take();
    if (pause !== undefined) await pause;
    if (signal.aborted) throw Jump.exit(INTERRUPT);
    if (command.type === 'function') {
      this.state.define(command.name, command.body);
      this.state.code = 0;
    } else if (command.type === 'simple') {
      await this.#simple(command);
    } else {
      await this.#redirected(command.redirections, () => this.#compound(command.body));
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
    if (this.process.signal.aborted) throw Jump.exit(INTERRUPT);
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

  async #compound(body: CompoundBody): Promise<void> {
    const { state } = this;
    switch (body.type) {
      case 'group':
        return this.#runScript(body.body);
      case 'subshell':
        state.code = await this.#subshell(this.process).#alone(body.body);
        return;
      case 'if': {
        for (const branch of body.branches) if (await this.#holds(branch.condition)) return this.#body(branch.body);
        return this.#body(body.otherwise);
      }
      case 'while':
        return this.#while(body);
      case 'for': {
        await this.#prepareFiles(body.words ?? []);
        const values = body.words === undefined ? state.parameters : await expandWords(body.words, this);
        let code = 0;
        for (const value of values) {
          state.set(body.name, value);
          const goesOn = await this.#turn(body.body);
          code = state.code;
          if (!goesOn) break;
        }
        state.code = code;
        return;
      }
      case 'case': {
        const subject = await expandText(body.subject, this);
        for (const { patterns, body: branch } of body.branches) {
          for (const pattern of patterns) {
            if (new ShellPattern(await expandPattern(pattern, this)).matches(subject)) return this.#body(branch);
          }
        }
        state.code = 0;
        return;
      }
      case 'condition':
        await this.#prepareFiles(body.words);
        state.code = await evaluateCondition(body.words, this);
        return;
      case 'arithmetic':
        state.code = evaluateArithmetic(await expandText(body.expression, this), this) === 0n ? 1 : 0;
    }
  }

  async #body(script: Script): Promise<void> {
    this.state.code = 0;
    await this.#runScript(script);
  }

  async #holds(condition: Script): Promise<boolean> {
    this.#conditions++;
    try {
      await this.#runScript(condition);
    } finally {
      this.#conditions--;
    }
    return this.state.code === 0;
  }

  async #while(loop: Extract<CompoundBody, { type: 'while' }>): Promise<void> {
    if (isIdleLoop(loop, (name) => this.state.functionNamed(name) !== undefined)) {
      await this.interruptible(aborted(this.process.signal));
      if (this.process.signal.aborted) throw Jump.exit(INTERRUPT);
    }
    let code = 0;
    while ((await this.#holds(loop.condition)) !== loop.isUntil) {
      const goesOn = await this.#turn(loop.body);
      ({ code } = this.state);
      if (!goesOn) break;
    }
    this.state.code = code;
  }

  /** One turn of a loop; false when the loop is over. */
  async #turn(body: Script): Promise<boolean> {
    try {
      this.state.code = 0;
      await this.#runScript(body);
      return true;
    } catch (error) {
      if (!(error instanceof Jump) || (error.type !== 'break' && error.type !== 'continue')) throw error;
      if (error.levels > 1) throw error.outwards();
      this.state.code = 0;
      return error.type === 'continue';
    }
  }

  async #simple({ assignments, words, redirections }: SimpleCommand): Promise<void> {
    this.#substitutionCode = undefined;
    const [first] = words;
    const declares = first?.length === 1 && first[0]?.type === 'text' && DECLARATIONS.has(first[0].text);
    await this.#prepareFiles(words);
    const expanded = declares ? await this.#declaration(words) : await expandWords(words, this);
    await this.process.machine.prepareFiles?.(expanded, this.directory);
    await this.#prepareFiles(redirections.map(({ target }) => target));
    if (this.state.options.has('x') && expanded.length > 0) {
      await this.process.stderr(Buffer.from(`+ ${expanded.join(' ')}\n`));
    }
    if (expanded[0] === 'exec') return this.#exec(expanded.slice(1), redirections);
    await this.#redirected(redirections, async () => {
      this.state.code = await this.#invoke(expanded, assignments);
    });
  }

  /** Files of volumes are read before a command that names them. */
  async #prepareFiles(words: readonly Word[]): Promise<void> {
    const { prepareFiles } = this.process.machine;
    if (prepareFiles === undefined) return;
    const texts = words.map((word) => word.map((part) => (part.type === 'text' ? part.text : '')).join(''));
    await prepareFiles(texts, this.directory);
  }

  /** Values of `export A=$B` are not split. */
  async #declaration(words: SimpleCommand['words']): Promise<string[]> {
    const all: string[] = [];
    for (const word of words) {
      const assignment = assignmentOf(word);
      if (assignment === undefined) all.push(...(await expandWords([word], this)));
      else all.push(`${assignment.name}=${await expandText(assignment.value, this)}`);
    }
    return all;
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
      for (const assignment of assignments) await this.#assign(assignment);
      return this.#substitutionCode ?? 0;
    }
    const before = assignments.map(
      ({ name: variable }) => [variable, this.state.get(variable), this.state.isExported(variable)] as const,
    );
    for (const assignment of assignments) {
      await this.#assign(assignment);
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

  async #assign({ name, value, isAppended }: Assignment): Promise<void> {
    const text = await expandText(value, this);
    this.state.set(name, isAppended ? (this.state.get(name) ?? '') + text : text);
  }

  // what expansions need

  get parameters(): readonly string[] {
    return this.state.parameters;
  }

  get expandsPatterns(): boolean {
    return !this.state.options.has('f');
  }

  get rejectsUnset(): boolean {
    return this.state.options.has('u');
  }

  get(name: string): string | undefined {
    const { state } = this;
    if (/^\d+$/.test(name)) return name === '0' ? state.name : state.parameters[Number(name) - 1];
    switch (name) {
      case '?':
        return String(state.code);
      case '#':
        return String(state.parameters.length);
      case '$':
        return String(this.process.pid);
      case '!':
        return state.lastBackgroundPid === undefined ? undefined : String(state.lastBackgroundPid);
      case '-':
        return [...state.options].filter((option) => option.length === 1).join('');
      case 'RANDOM':
        return String(this.process.machine.random.int(32_768));
      case 'PWD':
        return state.directory;
      default:
        return state.get(name);
    }
  }

  set(name: string, value: string): void {
    this.state.set(name, value);
  }

  names(directory: string): readonly string[] {
    return this.process.machine.files.names(directory);
  }

  exists(path: string): boolean {
    return this.process.machine.files.get(path) !== undefined;
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
    const shell = this.#subshell({ ...this.process, stdout });
    this.#substitutionCode = await shell.#alone(script);
    if (bytes > MAX_WORD_CHARACTERS) throw new ShellFailure('Argument list too long');
    if (this.process.signal.aborted) throw Jump.exit(INTERRUPT);
    return Buffer.concat(parts).toString().replaceAll('\0', '').replace(/\n+$/, '');
  }
}

function isOneProgram([item, ...others]: Script): boolean {
  if (item === undefined || others.length + item.rest.length > 0 || item.isBackground) return false;
  return item.first.commands.length === 1 && item.first.commands[0]?.type === 'simple';
}

const DECLARATIONS = new Set(['export', 'readonly', 'local', 'declare', 'typeset']);

function writerOf(pipe: ByteInbox): (bytes: Uint8Array) => Promise<void> {
  return async (bytes) => {
    if (pipe.isOver) throw new BrokenPipe('Broken pipe');
    await pipe.deliver(bytes);
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // ends at once
}
