// Commands in simulated containers.
import { Buffer } from 'node:buffer';
import { AbortScope, type Clock, messageOf } from '../base/index.ts';
import { ByteInbox } from '../wire/connections/index.ts';
import type { ProcessInput, ProcessStreams } from '../node/index.ts';
import { converse, type ImageProgram, runProgram, type ShellProcess, Terminal } from './shell/index.ts';
import type { SimulatedContainer } from './simulated-container.ts';

export interface ScriptedCommand {
  readonly container: SimulatedContainer;
  readonly tty: boolean;
  readonly clock: Clock;
  /** Answers for programs of the image; by default they succeed, but cannot be found in a shell. */
  readonly imageProgram?: ImageProgram;
}

/** A program of the image does nothing and succeeds, but cannot be found in a shell. */
const execImageProgram: ImageProgram = (_, __, isInShell) => (isInShell ? undefined : Promise.resolve(0));

/** Runs a command according to the script; without a script a small shell runs it. */
export function runScripted(cmd: readonly string[], command: ScriptedCommand, input: ProcessInput): ProcessStreams {
  const { execOutput, execCode } = command.container.script;
  if (execOutput !== undefined) {
    return processStreams(once(Buffer.from(execOutput)), () => execCode);
  }
  return runInShell(command, input, async (process) => {
    const signal = process.terminal?.foreground(process.signal) ?? process.signal;
    const code = await runProgram(cmd, { ...process, signal });
    return execCode === 0 ? code : execCode;
  });
}

/** The program of a container that reads stdin: a shell. The container ends with it. */
export function attachToShell(command: ScriptedCommand, input: ProcessInput): ProcessStreams {
  const { container } = command;
  let isOver = false;
  const streams = runInShell(command, input, async (process) => {
    const { code, hasExited } = await converse(process);
    isOver = hasExited || process.terminal?.wasEnded === true || container.setup.stdin === 'once';
    return code;
  });
  void streams.exitCode.then((code) => isOver && container.exit(code));
  return streams;
}

/** Input for the container's program, and its output from then on. */
export function attachToMain(
  container: SimulatedContainer,
  { stdin, signal }: ProcessInput,
  logs: { attach(container: SimulatedContainer, signal: AbortSignal): ProcessStreams },
): ProcessStreams {
  const bring = async (): Promise<void> => {
    for await (const bytes of stdin ?? nothing()) await container.input?.deliver(bytes);
    if (container.setup.stdin === 'once') container.input?.finish();
  };
  void bring().catch(() => container.setup.stdin === 'once' && container.input?.finish());
  return logs.attach(container, signal);
}

const KILLED = 137;

function runInShell(
  { container, tty, imageProgram = execImageProgram }: ScriptedCommand,
  input: ProcessInput,
  run: (process: ShellProcess) => Promise<number>,
): ProcessStreams {
  const stdout = new ByteInbox();
  const stderr = new ByteInbox();
  const scope = new AbortScope(input.signal);
  const keys = input.stdin ?? nothing();
  const terminal = tty ? new Terminal((bytes) => stdout.deliver(bytes)) : undefined;
  const write = (bytes: Uint8Array): Promise<void> => terminal?.write(bytes) ?? stdout.deliver(bytes);
  const { environment, directory, machine } = container.shellSetup();
  const process: ShellProcess = {
    machine,
    pid: machine.processes.newPid(),
    descriptors: new Map(),
    imageProgram,
    run: runProgram,
    environment,
    directory,
    stdin: terminal?.input ?? keys,
    stdout: write,
    stderr: terminal === undefined ? (bytes) => stderr.deliver(bytes) : write,
    signal: scope.signal,
    terminal,
    depth: 0,
  };
  void terminal?.run(keys).catch(() => scope.abort(new Error('The caller is gone')));
  const ended = container.ended(scope.signal).then(() => KILLED);
  const finished = run(process).catch(async (error: unknown) => {
    await process.stderr(Buffer.from(`${messageOf(error)}\n`));
    return 1;
  });
  const exitCode = Promise.race([finished, ended]).finally(() => {
    scope.abort(new Error('The command has ended'));
    scope[Symbol.dispose]();
    stdout.finish();
    stderr.finish();
  });
  return { stdout, stderr, exitCode };
}

/** A process that ends with its output, or when the reader leaves. */
export function processStreams(output: AsyncIterable<Uint8Array>, exitCode: () => number): ProcessStreams {
  let end: (code: number) => void = () => undefined;
  const ended = new Promise<number>((resolve) => (end = resolve));
  async function* stdout(): AsyncGenerator<Uint8Array> {
    try {
      yield* output;
    } finally {
      end(exitCode());
    }
  }
  return { stdout: stdout(), stderr: nothing(), exitCode: ended };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // ends at once
}
