import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const MAX_OUTPUT = 4000;

/** The process of a plugin, with the last of what it has printed. */
export class PluginProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<string>;
  #output = '';
  #end: string | undefined;

  constructor(command: readonly string[], environment: Readonly<Record<string, string | undefined>>) {
    const [program = '', ...args] = command;
    this.#child = spawn(program, args, { env: { ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (bytes: Buffer) => (this.#output = (this.#output + bytes.toString()).slice(-MAX_OUTPUT)));
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(`it cannot be run: ${error.message}`));
      this.#child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
    void this.#ended.then((end) => (this.#end = end));
  }

  /** How the process ended; undefined while it runs. */
  get end(): string | undefined {
    return this.#end;
  }

  /** For messages: how the process ended, and what it has printed last. */
  get words(): string {
    const state = this.#end === undefined ? 'the plugin runs' : `the plugin has ended (${this.#end})`;
    return this.#output === '' ? state : `${state}; it has printed: ${this.#output.trim().slice(-500)}`;
  }

  ended(): Promise<string> {
    return this.#ended;
  }

  signal(name: 'SIGTERM' | 'SIGKILL'): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    if (this.#end !== undefined) return;
    const gone = this.#child.pid === undefined ? Promise.resolve() : once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await Promise.race([gone, this.#ended]);
  }
}
