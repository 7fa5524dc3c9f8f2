import { type ChildProcess, spawn } from 'node:child_process';

/** Longest text that is kept of what a driver prints. */
const MAX_OUTPUT = 4096;

/** A driver that the suite has started, in a group of its own. */
export class DriverProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #output = '';
  #hasEnded = false;

  constructor(command: readonly string[], environment: NodeJS.ProcessEnv) {
    const [program = '', ...args] = command;
    const child = spawn(program, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const add = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString('utf8')).slice(-MAX_OUTPUT);
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      const end = (): void => {
        this.#hasEnded = true;
        resolve();
      };
      child.on('exit', end);
      child.on('error', (error) => {
        this.#output += error.message;
        end();
      });
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The last of what it printed. */
  get output(): string {
    return this.#output.trim();
  }

  /** Ends it without a word, as a crash does. */
  async kill(): Promise<void> {
    const { pid } = this.#child;
    try {
      if (pid !== undefined && !this.#hasEnded) process.kill(-pid, 'SIGKILL');
    } catch {
      // it has ended by itself
    }
    await this.#ended;
  }
}
