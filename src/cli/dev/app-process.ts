import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../base/index.ts';

export interface AppProcessOptions {
  /** Node.js and this program. */
  readonly program: { readonly node: string; readonly file: string };
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** An app that does not end when it is told to is killed after so long. */
const KILL_AFTER_MS = 8000;

/** The process of an app: a module cannot be loaded anew within one, and what it does wrong ends nothing else. */
export class AppProcess {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  /** Resolves when it has ended, with how. */
  readonly ended: Promise<string>;

  constructor({ program, args, environment, clock }: AppProcessOptions) {
    this.#clock = clock;
    this.#child = spawn(program.node, ['--enable-source-maps', program.file, 'dev-app', ...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...environment },
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(`could not be started: ${error.message}`));
      this.#child.once('exit', (code, signal) => resolve(`has ended with ${signal ?? `exit code ${code ?? 0}`}`));
    });
  }

  /** Has it end in good order, and resolves when it has. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    using _deadline = this.#clock.timer(KILL_AFTER_MS, () => void this.#child.kill('SIGKILL'));
    await this.ended;
  }
}
