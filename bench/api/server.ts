import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** An API server under test: a process or two, and how to reach it. */
export interface ServerUnderTest {
  readonly name: string;
  readonly url: string;
  readonly kubeconfig: string;
  /** Milliseconds from the start of the processes until `kubectl get ns` answered. */
  readonly startMs: number;
  /** Resident memory of all its processes, in MB. */
  rssMb(): number;
  stop(): Promise<void>;
}

/** What both servers take as an administrator's bearer token. */
export const TOKEN = 'bench';
export const TOKEN_FILE = `${TOKEN},admin,1,"system:masters"\n`;

export function launch(
  command: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv } = {},
): ChildProcess {
  return spawn(command, args, { stdio: ['ignore', 'ignore', 'ignore'], env: { ...process.env, ...options.env } });
}

export function rssMbOf(processes: readonly ChildProcess[]): number {
  let kilobytes = 0;
  for (const { pid } of processes) {
    const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'utf8'));
    kilobytes += Number(match?.[1] ?? 0);
  }
  return kilobytes / 1024;
}

export function stopAll(processes: readonly ChildProcess[]): Promise<void[]> {
  return Promise.all(
    processes.map(
      (child) =>
        new Promise<void>((resolve) => {
          if (child.exitCode !== null || child.signalCode !== null) return resolve();
          const impatience = setTimeout(() => child.kill('SIGKILL'), 5000); // kube-apiserver waits a minute for its own watches
          child.once('exit', () => {
            clearTimeout(impatience);
            resolve();
          });
          child.kill('SIGTERM');
        }),
    ),
  );
}
