import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

export interface ProgramPlan {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** What it prints goes there. */
  readonly logFile: string;
}

/** A process that is killed, stopped and started again; what it does by itself is noted. */
export class Program implements AsyncDisposable {
  readonly name: string;
  readonly #plan: ProgramPlan;
  /** Unexpected ends. */
  readonly #endings: string[];
  #process: ChildProcess | undefined;
  #isMeantToEnd = false;
  #isFrozen = false;
  starts = 0;

  constructor(plan: ProgramPlan, endings: string[]) {
    this.name = plan.name;
    this.#plan = plan;
    this.#endings = endings;
  }

  get isRunning(): boolean {
    return this.#process !== undefined && !this.#isFrozen;
  }

  start(): void {
    const { command, args, logFile, name } = this.#plan;
    const log = createWriteStream(logFile, { flags: 'a' });
    const started = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    started.stdout.pipe(log, { end: false });
    started.stderr.pipe(log, { end: false });
    this.#isMeantToEnd = false;
    this.#process = started;
    this.starts += 1;
    started.once('exit', (code, signal) => {
      log.end();
      if (this.#process === started) this.#process = undefined;
      if (!this.#isMeantToEnd)
        this.#endings.push(`${name} ended by itself: ${signal ?? `code ${code}`}; see ${logFile}`);
    });
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Asks it to end, and waits until it has. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  freeze(): void {
    this.#isFrozen = this.#process?.kill('SIGSTOP') ?? false;
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
    this.#isFrozen = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const running = this.#process;
    if (running === undefined) return;
    this.#isMeantToEnd = true;
    const ended = once(running, 'exit');
    running.kill(signal);
    running.kill('SIGCONT'); // one that is frozen would not notice
    this.#isFrozen = false;
    await ended;
  }
}
