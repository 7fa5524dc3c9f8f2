import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { CommandContext } from '../command.ts';

/** Runs a command to its end and passes on the signals of this process; returns its exit code as a shell would. */
export async function runToEnd(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  context: CommandContext,
): Promise<number> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: 'inherit', env: { ...context.environment, ...environment } });
  using _passed = context.onStopSignal?.((signal) => {
    const isFromTerminal = signal === 'SIGINT' && process.stdin.isTTY === true; // the terminal has signalled the command too
    if (!isFromTerminal) child.kill(signal);
  });
  return await new Promise((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return; // a signal could not be sent
      context.printError(`keelson test-env: cannot run "${program}": ${error.message}`);
      resolve(error.code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.on('close', (code, signal) => resolve(code ?? SIGNALLED + (signal === null ? 0 : constants.signals[signal])));
  });
}

/** The exit codes that shells give for these. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
const SIGNALLED = 128;
