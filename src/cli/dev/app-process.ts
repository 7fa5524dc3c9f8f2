import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../base/index.ts';

export interface AppProcessOptions {
  /** The Node.js binary and the file of this program. */
  readonly program: { readonly node: string; readonly file: string };
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/** An app that does not stop within this time is killed. */
const KILL_AFTER_MS = 8000;

/**
 * Runs an app in its own process: Node.js cannot reload a module within a process, and a crash of the app ends nothing
 * else.
 */
export class AppProcess {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  /** Resolves when the process has ended, with a description of how. */
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

  /** Stops the process gracefully; resolves when it has ended. */
  async stop(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    using _deadline = this.#clock.timer(KILL_AFTER_MS, () => void this.#child.kill('SIGKILL'));
    await this.ended;
  }
}
