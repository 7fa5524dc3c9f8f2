import { aborted } from '../../base/index.ts';
import type { Jobs } from './jobs.ts';
import { Jump } from './jump.ts';
import { evaluateArithmetic, type ArithmeticScope } from './language/arithmetic.ts';
import { fail, pathOf, print, type ShellProcess } from './process.ts';
import { MAIN, signalNumber, SIGNALS } from './process-table.ts';
import { sendSignals } from './programs/kill.ts';
import { isProgram, programs } from './programs/index.ts';
import { SharedInput } from './shared-input.ts';
import { ShellFailure } from './shell-failure.ts';
import type { ShellState } from './shell-state.ts';

/** The shell, as commands that are built into it see it. */
export interface BuiltInHost extends ArithmeticScope {
  readonly state: ShellState;
  readonly process: ShellProcess;
  readonly jobs: Jobs;
  /** Runs commands in this shell. */
  runText(text: string): Promise<number>;
  invokeBuiltIn(words: readonly string[]): Promise<number>;
  runProgram(words: readonly string[]): Promise<number>;
  /** Takes a signal; false when there is no trap for it. */
  receive(signal: number): boolean;
  /** Waits for work, or until a signal with a trap arrives; returns its number. */
  interruptible(work: Promise<unknown>): Promise<number | undefined>;
  /** Restores the variable when the function returns; false outside of functions. */
  makeLocal(name: string): boolean;
}

type BuiltIn = (args: readonly string[], shell: BuiltInHost) => Promise<number>;

const NAME = /^[A-Za-z_]\w*$/;
const SIGNALLED = 128;
const NOT_FOUND = 127;

/** Commands that see or change the shell itself. */
export const builtIns: Readonly<Record<string, BuiltIn>> = {
  ':': async () => 0,
  '.': source,
  source,
  break: async (args) => {
    throw Jump.loop('break', Math.max(1, Number(args[0] ?? 1) || 1));
  },
  continue: async (args) => {
    throw Jump.loop('continue', Math.max(1, Number(args[0] ?? 1) || 1));
  },
  exit: async (args, shell) => {
    throw Jump.exit(exitCode(args[0], shell));
  },
  return: async (args, shell) => {
    throw Jump.return(exitCode(args[0], shell));
  },
  cd: changeDirectory,
  pwd: async (_, shell) => {
    await print(shell.process, `${shell.state.directory}\n`);
    return 0;
  },
  eval: (args, shell) => (args.length === 0 ? Promise.resolve(0) : shell.runText(args.join(' '))),
  export: async (args, shell) => declare(args, shell, (name) => shell.state.export(name)),
  readonly: async (args, shell) => declare(args, shell, (name) => shell.state.protect(name)),
  local: declareLocal,
  declare: declareLocal,
  typeset: declareLocal,
  unset: async (args, { state }) => {
    const isFunction = args[0] === '-f';
    for (const name of args.filter((arg) => !arg.startsWith('-'))) {
      if (isFunction) state.undefine(name);
      else state.unset(name);
    }
    return 0;
  },
  set: setOptions,
  shift: async (args, { state }) => {
    const count = Number(args[0] ?? 1);
    if (!(count <= state.parameters.length)) throw new ShellFailure("shift: can't shift that many");
    state.parameters = state.parameters.slice(count);
    return 0;
  },
  read: readLine,
  trap: setTrap,
  wait,
  kill,
  jobs: async (_, shell) => {
    await print(shell.process, shell.jobs.running.map((pid) => `[${pid}] Running\n`).join(''));
    return 0;
  },
  fg: async (_, shell) => fail(shell.process, 'sh: fg: no job control in this shell', 2),
  bg: async (_, shell) => fail(shell.process, 'sh: bg: no job control in this shell', 2),
  let: async (args, shell) => {
    const values = args.map((arg) => evaluateArithmetic(arg, shell));
    return values.at(-1) === 0n ? 1 : 0;
  },
  command: async (args, shell) => {
    if (args[0] === '-v' || args[0] === '-V') return find(args.slice(1), shell);
    const words = args[0] === '-p' ? args.slice(1) : args;
    return words.length === 0 ? 0 : shell.invokeBuiltIn(words);
  },
  type: async (args, shell) => {
    const code = await find(args, shell, (name) => `${name} is ${describe(name, shell)}`);
    return code === 0 ? 0 : fail(shell.process, `sh: type: ${args.join(' ')}: not found`, NOT_FOUND);
  },
  builtin: (args, shell) => shell.invokeBuiltIn(args),
  umask: async (args, shell) => {
    if (args.length === 0) await print(shell.process, '0022\n');
    return 0;
  },
  ulimit: async (_, shell) => {
    await print(shell.process, 'unlimited\n');
    return 0;
  },
  hash: async () => 0,
  alias: async () => 0,
  unalias: async () => 0,
  shopt: async () => 0,
  disown: async () => 0,
  getopts: async (args, shell) => nextOption(args, shell),
};

function exitCode(text: string | undefined, { state }: BuiltInHost): number {
  if (text === undefined) return state.code;
  if (!/^-?\d{1,15}$/.test(text)) throw new ShellFailure(`Illegal number: ${text}`);
  return Number(text) & 0xff;
}

async function source([file, ...args]: readonly string[], shell: BuiltInHost): Promise<number> {
  if (file === undefined) return fail(shell.process, 'sh: .: filename argument required', 2);
  const { files } = shell.process.machine;
  const entry = files.get(pathOf(shell.state, file));
  if (entry?.type !== 'file') throw new ShellFailure(`.: can't open '${file}': No such file or directory`);
  const { parameters } = shell.state;
  if (args.length > 0) shell.state.parameters = args;
  try {
    return await shell.runText(Buffer.from(entry.bytes).toString());
  } catch (error) {
    if (error instanceof Jump && error.type === 'return') return error.code;
    throw error;
  } finally {
    shell.state.parameters = parameters;
  }
}

async function changeDirectory(args: readonly string[], shell: BuiltInHost): Promise<number> {
  const { state, process } = shell;
  const [given] = args.filter((arg) => !/^-[LP]$/.test(arg));
  const name = given === '-' ? (state.get('OLDPWD') ?? state.directory) : (given ?? state.get('HOME') ?? '/');
  const path = pathOf(state, name);
  const entry = process.machine.files.get(path);
  if (entry?.type !== 'directory') {
    const problem = entry === undefined ? 'No such file or directory' : 'Not a directory';
    return fail(process, `sh: cd: can't cd to ${name}: ${problem}`, 2);
  }
  state.set('OLDPWD', state.directory);
  state.directory = path;
  if (given === '-') await print(process, `${path}\n`);
  return 0;
}

async function declare(args: readonly string[], shell: BuiltInHost, mark: (name: string) => void): Promise<number> {
  const { state, process } = shell;
  const names = args.filter((arg) => !/^-\w$/.test(arg));
  if (names.length === 0) {
    const lines = state.variables.filter(([name]) => state.isExported(name));
    await print(process, lines.map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`).join(''));
  }
  for (const each of names) {
    const at = each.indexOf('=');
    const name = at === -1 ? each : each.slice(0, at);
    if (!NAME.test(name)) throw new ShellFailure(`export: ${name}: bad variable name`);
    if (at !== -1) state.set(name, each.slice(at + 1));
    mark(name);
  }
  return 0;
}

async function declareLocal(args: readonly string[], shell: BuiltInHost): Promise<number> {
  for (const each of args.filter((arg) => !arg.startsWith('-'))) {
    const at = each.indexOf('=');
    const name = at === -1 ? each : each.slice(0, at);
    if (!NAME.test(name)) throw new ShellFailure(`local: ${name}: bad variable name`);
    shell.makeLocal(name);
    if (at !== -1) shell.state.set(name, each.slice(at + 1));
  }
  return 0;
}

const LONG_OPTIONS: Readonly<Record<string, string>> = {
  allexport: 'a',
  errexit: 'e',
  noglob: 'f',
  nounset: 'u',
  xtrace: 'x',
  pipefail: 'pipefail',
};

/** Also takes the options of `sh` itself; returns the words after them. */
export function takeOptions(args: readonly string[], { options }: ShellState): readonly string[] | undefined {
  const rest = [...args];
  for (let word = rest[0]; word !== undefined && /^[-+]./.test(word); word = rest[0]) {
    rest.shift();
    if (word === '--') return rest;
    const isOn = word.startsWith('-');
    for (const letter of word.slice(1)) {
      const option = letter === 'o' ? LONG_OPTIONS[rest.shift() ?? ''] : letter;
      if (option === undefined) continue;
      if (isOn) options.add(option);
      else options.delete(option);
    }
    if (rest.length === 0) return undefined;
  }
  return rest.length === 0 ? undefined : rest;
}

async function setOptions(args: readonly string[], shell: BuiltInHost): Promise<number> {
  const { state, process } = shell;
  if (args.length === 0) {
    const lines = state.variables.map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'\n`);
    await print(process, lines.join(''));
    return 0;
  }
  const parameters = takeOptions(args, state);
  if (parameters !== undefined) state.parameters = parameters;
  return 0;
}

async function readLine(args: readonly string[], shell: BuiltInHost): Promise<number> {
  const names: string[] = [];
  let isRaw = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (!word.startsWith('-')) names.push(word);
    else if (/r/.test(word)) isRaw = true;
    if (/^-\w*[ptndu]$/.test(word)) at++;
  }
  const { process, state } = shell;
  const input = process.stdin instanceof SharedInput ? process.stdin : new SharedInput(process.stdin);
  let { text, isComplete } = await input.line();
  while (!isRaw && isComplete && /(?:^|[^\\])(?:\\\\)*\\$/.test(text)) {
    const next = await input.line();
    text = text.slice(0, -1) + next.text;
    isComplete = next.isComplete;
  }
  const separators = state.get('IFS') ?? ' \t\n';
  assignFields(isRaw ? text : text.replace(/\\(.)/g, '$1'), {
    names: names.length === 0 ? ['REPLY'] : names,
    separators,
    state,
  });
  return isComplete ? 0 : 1;
}

/** The last name gets the rest of the line. */
function assignFields(
  text: string,
  {
    names,
    separators,
    state,
  }: { readonly names: readonly string[]; readonly separators: string; readonly state: ShellState },
): void {
  const isSeparator = (character: string): boolean => character !== '' && separators.includes(character);
  const isSpace = (character: string): boolean => /[ \t\n]/.test(character) && isSeparator(character);
  let at = 0;
  const skipSpaces = (): void => {
    while (at < text.length && isSpace(text.charAt(at))) at++;
  };
  skipSpaces();
  for (const [index, name] of names.entries()) {
    let end = at;
    if (index === names.length - 1) {
      end = text.length;
      while (end > at && isSpace(text.charAt(end - 1))) end--;
    } else {
      while (end < text.length && !isSeparator(text.charAt(end))) end++;
    }
    state.set(name, text.slice(at, end));
    at = end;
    skipSpaces();
    if (!isSpace(text.charAt(at)) && isSeparator(text.charAt(at))) at++;
    skipSpaces();
  }
}

async function setTrap(args: readonly string[], { state, process }: BuiltInHost): Promise<number> {
  const words = args[0] === '--' ? args.slice(1) : args;
  const names = Object.entries(SIGNALS);
  if (words.length === 0) {
    const lines = [...state.traps].map(
      ([signal, script]) => `trap -- '${script}' ${names.find(([, number]) => number === signal)?.[0] ?? signal}\n`,
    );
    await print(process, lines.join(''));
    return 0;
  }
  const isReset = words[0] === '-' || (words.length === 1 && signalNumber(words[0] ?? '') !== undefined);
  const [script = ''] = words;
  let code = 0;
  for (const name of words.length === 1 ? words : words.slice(1)) {
    const signal = signalNumber(name);
    if (signal === undefined) code = await fail(process, `sh: trap: ${name}: invalid signal specification`);
    else if (isReset) state.traps.delete(signal);
    else state.traps.set(signal, script);
  }
  return code;
}

async function wait(args: readonly string[], shell: BuiltInHost): Promise<number> {
  const pids = args.filter((arg) => !arg.startsWith('-')).map((arg) => Number(arg.replace('%', '')));
  const work = pids.length === 0 ? shell.jobs.allEnded().then(() => 0) : undefined;
  let code = 0;
  for (const ended of work === undefined ? pids.map((pid) => shell.jobs.ended(pid)) : [work]) {
    if (ended === undefined) {
      code = NOT_FOUND;
      continue;
    }
    const { signal } = shell.process;
    const arrived = await shell.interruptible(Promise.race([ended, aborted(signal)]));
    if (arrived !== undefined) return SIGNALLED + arrived;
    if (signal.aborted) return SIGNALLED;
    code = await ended;
  }
  return code;
}

/** The main process of a container ignores signals without a trap, as Linux has it. */
function kill(args: readonly string[], shell: BuiltInHost): Promise<number> {
  return sendSignals(args, shell.process, (pid, signal) => {
    if (pid !== shell.process.pid) return false;
    if (signal !== 0 && !shell.receive(signal) && pid !== MAIN) throw Jump.exit(SIGNALLED + signal);
    return true;
  });
}

function describe(name: string, { state }: BuiltInHost): string | undefined {
  if (state.functionNamed(name) !== undefined) return 'a shell function';
  if (Object.hasOwn(builtIns, name)) return 'a shell builtin';
  return isProgram(name) ? `/bin/${name}` : undefined;
}

/** `command -v` */
async function find(
  names: readonly string[],
  shell: BuiltInHost,
  show: (name: string) => string = (name) =>
    Object.hasOwn(programs, name) && !Object.hasOwn(builtIns, name) ? `/bin/${name}` : name,
): Promise<number> {
  const { files } = shell.process.machine;
  const isFound = (name: string): boolean =>
    describe(name, shell) !== undefined ||
    (name.includes('/') && files.get(pathOf(shell.state, name))?.type === 'file');
  for (const name of names) if (isFound(name)) await print(shell.process, `${show(name)}\n`);
  return names.every(isFound) ? 0 : NOT_FOUND;
}

async function nextOption([letters = '', name = '', ...given]: readonly string[], shell: BuiltInHost): Promise<number> {
  const { state, process } = shell;
  const words = given.length > 0 ? given : state.parameters;
  const [index = '1', offset = '1'] = (state.get('OPTIND') ?? '1').split('.');
  const word = words[Number(index) - 1];
  const end = (): number => {
    state.set(name, '?');
    return 1;
  };
  if (word === undefined || !/^-./.test(word) || word === '--') return end();
  const letter = word.charAt(Number(offset));
  const place = letters.indexOf(letter);
  const takesValue = letters.charAt(place + 1) === ':';
  const isLast = Number(offset) + 1 >= word.length;
  const next = (skipped: number): void =>
    state.set('OPTIND', isLast || skipped > 1 ? String(Number(index) + skipped) : `${index}.${Number(offset) + 1}`);
  if (place === -1 || letter === ':') {
    next(1);
    state.set(name, '?');
    if (letters.startsWith(':')) state.set('OPTARG', letter);
    else await fail(process, `sh: illegal option -- ${letter}`);
    return 0;
  }
  state.set(name, letter);
  if (!takesValue) {
    next(1);
    return 0;
  }
  state.set('OPTARG', isLast ? (words[Number(index)] ?? '') : word.slice(Number(offset) + 1));
  state.set('OPTIND', String(Number(index) + (isLast ? 2 : 1)));
  return 0;
}
