import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A program that has not ended this long after SIGTERM is killed: kube-apiserver waits a minute for its watches. */
const PATIENCE_MS = 5000;

export interface DaemonOptions {
  /** Takes both outputs. */
  readonly logPath: string;
  readonly environment?: NodeJS.ProcessEnv;
  /** How long it may take to end after SIGTERM. */
  readonly patienceMs?: number;
}

/** A program in the background, with its output in a file. Ends with this process at the latest. */
export class Daemon implements AsyncDisposable {
  readonly name: string;
  readonly logPath: string;
  /** Resolves once it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #patienceMs: number;
  readonly #killWithUs = (): void => void this.#child.kill('SIGKILL');

  constructor(command: string, args: readonly string[], options: DaemonOptions) {
    this.name = basename(command);
    this.logPath = options.logPath;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
    const log = openSync(options.logPath, 'a');
    this.#child = spawn(command, args, {
      stdio: ['ignore', log, log],
      env: { ...process.env, ...options.environment },
    });
    closeSync(log);
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.once('error', () => resolve()); // it could not be started; see `failure`
    });
    process.once('exit', this.#killWithUs);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Why it is not running any more, with the end of its log; undefined while it runs. */
  get failure(): string | undefined {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined) return `${this.name} could not be started`;
    if (!this.#hasEnded) return undefined;
    return `${this.name} ended with ${exitCode ?? signalCode}:\n${this.logTail()}`;
  }

  get #hasEnded(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  logTail(lines = 20): string {
    return readFileSync(this.logPath, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
  }

  /** SIGTERM, and SIGKILL when that takes too long; resolves once it has ended. */
  async stop(): Promise<void> {
    process.removeListener('exit', this.#killWithUs);
    if (this.#hasEnded) return;
    const impatience = setTimeout(() => this.#child.kill('SIGKILL'), this.#patienceMs);
    this.#child.kill('SIGTERM');
    await this.ended;
    clearTimeout(impatience);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
