import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** The output of a program that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  /** The end of what it wrote to standard error. */
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** It is ended by force after this long. */
  readonly limitMs: number;
}

const KEPT_CHARACTERS = 1_000_000;

/** Why a program cannot be used, in words to print; undefined when it answers `--version` or its like. */
export function whyMissing(program: string, versionArguments: readonly string[] = ['--version']): string | undefined {
  const { error, status } = spawnSync(program, versionArguments, { stdio: 'ignore' });
  return error === undefined && status === 0 ? undefined : `"${program}" is not found`;
}

/** Runs a program to its end. */
export async function runCommand(command: readonly string[], options: CommandOptions): Promise<Ended> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: options.limitMs,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout = (stdout + text).slice(-KEPT_CHARACTERS)));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr = (stderr + text).slice(-KEPT_CHARACTERS)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** Runs a program that has to succeed. */
export async function build(command: readonly string[], options: CommandOptions): Promise<void> {
  const { code, stdout, stderr } = await runCommand(command, options);
  if (code === 0) return;
  const tail = `${stdout}\n${stderr}`.trimEnd().split('\n').slice(-15).join('\n');
  throw new Error(`Cannot build: "${command.join(' ')}" ended with ${code ?? 'a signal'}:\n${tail}`);
}
