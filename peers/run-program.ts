import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface RunOptions {
  readonly cwd?: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** Killed after this long; default 10 minutes. */
  readonly limitMs?: number;
}

const LIMIT_MS = 600_000;
const KEPT_CHARACTERS = 3000;

/** What a program prints. One that fails, or takes too long, is an error with the end of what it said. */
export async function runProgram(command: readonly string[], options: RunOptions = {}): Promise<string> {
  const [program = '', ...args] = command;
  const limitMs = options.limitMs ?? LIMIT_MS;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const [output, complaints, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null, string | null]>,
  ]);
  if (code === 0) return output;
  const how =
    signal === 'SIGKILL' ? `was killed, at the latest after ${limitMs / 1000} s` : `ended with ${code ?? signal}`;
  throw new Error(`"${command.join(' ')}" ${how}:\n${(complaints + output).slice(-KEPT_CHARACTERS)}`);
}
