import { AbortScope } from '../../base/index.ts';
import { ByteInbox } from '../../wire/connections/index.ts';
import type { Jobs } from './jobs.ts';
import type { Command, ListItem, Script } from './language/syntax.ts';
import { BrokenPipe, type ShellProcess } from './process.ts';
import { SharedInput } from './shared-input.ts';

/** A shell that runs a part of another shell's script. */
export interface Subshell {
  /** Runs one command, or commands, as a whole process. */
  runAlone(work: Command | Script): Promise<number>;
  /** Takes a signal; false when there is no trap for it. */
  receive(signal: number): boolean;
}

/** What subshells need of the shell around them. */
export interface SubshellHost {
  readonly process: ShellProcess;
  readonly jobs: Jobs;
  /** A shell that begins with a copy of the state. */
  subshell(process: ShellProcess): Subshell;
}

/** Runs each command of a pipeline in a process of its own; resolves with their exit codes. */
export function runPiped(commands: readonly Command[], shell: SubshellHost): Promise<number[]> {
  let { stdin } = shell.process;
  const running: Promise<number>[] = [];
  for (const [index, command] of commands.entries()) {
    const input = stdin;
    const pipe = index === commands.length - 1 ? undefined : new ByteInbox();
    const stdout = pipe === undefined ? shell.process.stdout : writerOf(pipe);
    const child = shell.subshell({ ...shell.process, stdin: index === 0 ? input : new SharedInput(input), stdout });
    const ended = child.runAlone(command).finally(() => {
      pipe?.finish();
      if (index > 0 && input instanceof ByteInbox) input.finish(); // writers get a broken pipe
    });
    running.push(ended);
    if (pipe !== undefined) stdin = pipe;
  }
  return Promise.all(running);
}

/** Starts a job; returns the number of its process. */
export function runInBackground(item: ListItem, shell: SubshellHost): number {
  const { machine } = shell.process;
  const room = machine.processes.reserve();
  const scope = new AbortScope(machine.signal);
  const child = shell.subshell({
    ...shell.process,
    stdin: new SharedInput(nothing()),
    signal: scope.signal,
    terminal: undefined,
  });
  const work = child.runAlone([item]).finally(() => {
    room[Symbol.dispose]();
    scope[Symbol.dispose]();
  });
  const kill = (signal: number): void => {
    if (!child.receive(signal)) scope.abort(new Error(`signal ${signal}`));
  };
  return shell.jobs.add(work, kill);
}

function writerOf(pipe: ByteInbox): (bytes: Uint8Array) => Promise<void> {
  return async (bytes) => {
    if (pipe.isOver) throw new BrokenPipe('Broken pipe');
    await pipe.deliver(bytes);
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // ends at once
}
