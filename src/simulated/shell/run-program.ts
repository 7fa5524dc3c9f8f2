import { Shell } from './shell.ts';
import { takeOptions } from './built-ins.ts';
import { fail, pathOf, print, type ShellProcess } from './process.ts';
import { isProgram, runKnown, SHELLS } from './programs/index.ts';
import { SharedInput } from './shared-input.ts';
import { ShellState } from './shell-state.ts';

/** The nesting limit of shells. */
const MAX_DEPTH = 100;
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
/** Where the known programs are. Another program of the same name elsewhere is not known. */
const FOLDERS = new Set(['', '/bin', '/usr/bin', '/usr/local/bin', '/sbin', '/usr/sbin', '/busybox']);

/** Whether a program of this name or path is known, wherever it is run. */
export function isKnownProgram(name: string): boolean {
  const slash = name.lastIndexOf('/');
  const base = name.slice(slash + 1);
  return SHELLS.has(base) || (isProgram(base) && FOLDERS.has(slash === -1 ? '' : name.slice(0, slash)));
}

/** Runs a program by its name or path. A program that is not known is left to the image. */
export function runProgram(words: readonly string[], process: ShellProcess): Promise<number> {
  return run(words, { ...process, run: runInShell }, false);
}

/** As `runProgram`, for a program that another one runs: one that is not known cannot be found. */
function runInShell(words: readonly string[], process: ShellProcess): Promise<number> {
  return run(words, process, true);
}

async function run(words: readonly string[], process: ShellProcess, isInShell: boolean): Promise<number> {
  const [name = '', ...args] = words;
  if (!isInShell) await process.machine.prepareFiles?.(words, process.directory);
  const slash = name.lastIndexOf('/');
  const base = name.slice(slash + 1);
  const { processes } = process.machine;
  using _running = processes.enter({ pid: isInShell ? processes.newPid() : process.pid, name: base });
  if (SHELLS.has(base)) return await runShell(base, args, process);
  if (isKnownProgram(name)) return await runKnown(base, args, process);
  const file = slash === -1 ? undefined : process.machine.files.get(pathOf(process, name));
  if (file?.type === 'directory') return fail(process, `sh: ${name}: Permission denied`, NOT_EXECUTABLE);
  if (file?.type === 'file') {
    if ((file.mode & 0o111) === 0) return fail(process, `sh: ${name}: Permission denied`, NOT_EXECUTABLE);
    const interpreter = /^#!\s*(\S+)(?:\s+(\S+))?/.exec(Buffer.from(file.bytes.subarray(0, 256)).toString());
    const named = (interpreter?.[1]?.endsWith('/env') === true ? interpreter[2] : interpreter?.[1]) ?? 'sh';
    const shell = named.slice(named.lastIndexOf('/') + 1);
    if (SHELLS.has(shell)) return await runShell(shell, [name, ...args], process);
  }
  const answered = await process.imageProgram(words, process, isInShell);
  return answered ?? fail(process, `sh: ${name}: not found`, NOT_FOUND);
}

async function runShell(name: string, args: readonly string[], process: ShellProcess): Promise<number> {
  if (process.depth >= MAX_DEPTH) return fail(process, 'sh: maximum nesting level exceeded', 2);
  const state = new ShellState(process.environment, process.directory);
  const rest = takeOptions(args, state) ?? [];
  const isCommand = state.options.delete('c');
  state.options.delete('l');
  state.options.delete('i');
  const shell = new Shell({ ...process, depth: process.depth + 1 }, { state, isBash: name === 'bash' });
  const [first, ...others] = rest;
  if (isCommand) {
    if (first === undefined) return fail(process, `${name}: -c requires an argument`, 2);
    [state.name = name, ...state.parameters] = others;
    return shell.runAsProgram(first);
  }
  if (first !== undefined && !state.options.delete('s')) {
    const script = process.machine.files.get(pathOf(process, first));
    if (script?.type !== 'file') return fail(process, `${name}: can't open '${first}': No such file or directory`, 2);
    state.name = first;
    state.parameters = others;
    return shell.runAsProgram(Buffer.from(script.bytes).toString());
  }
  return (await converse(process, shell)).code;
}

/** Runs an interactive shell line by line; prints a prompt when there is a terminal. */
export async function converse(
  given: ShellProcess,
  shell = new Shell({ ...given, run: runInShell, depth: given.depth + 1 }),
): Promise<{ readonly code: number; readonly hasExited: boolean }> {
  const { process } = shell;
  const { terminal } = given;
  const input = process.stdin instanceof SharedInput ? process.stdin : new SharedInput(process.stdin);
  let waiting = '';
  const prompt = async (): Promise<void> => {
    if (terminal !== undefined) await print(given, waiting === '' ? `${shell.directory} # ` : '> ');
  };
  await prompt();
  for await (const line of input.lines()) {
    waiting += waiting === '' ? line : `\n${line}`;
    if (!shell.isComplete(waiting)) {
      await prompt();
      continue;
    }
    const script = waiting;
    waiting = '';
    const signal = terminal?.foreground(given.signal) ?? given.signal;
    input.endWith(signal);
    await shell.run(script, signal);
    terminal?.background();
    if (shell.hasExited || given.signal.aborted) break;
    await prompt();
  }
  if (waiting !== '') await shell.run(waiting, given.signal);
  const code = await shell.end();
  return { code, hasExited: shell.hasExited };
}
