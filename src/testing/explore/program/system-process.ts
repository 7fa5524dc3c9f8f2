import { type ChildProcess, spawn } from 'node:child_process';

export interface SystemProcessOptions {
  /** A line for the shell, or a program and its arguments. */
  readonly command: string | readonly string[];
  readonly folder: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called when the process has ended, however it did. */
  readonly onEnd: (why: string) => void;
}

/** How much of what a process prints is kept, to say why it has ended. */
const MAX_OUTPUT = 20_000;
const MAX_LINES = 5;

/** Groups of processes that run: they must not outlive this process. */
const running = new Set<number>();
let isWatched = false;

/** A process of the machine, with all that it starts. */
export class SystemProcess {
  /** Resolves when it and all that it has started are gone. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  #output = '';

  constructor({ command, folder, environment, onEnd }: SystemProcessOptions) {
    const [program = '', ...args] = typeof command === 'string' ? [command] : command;
    this.#child = spawn(program, args, {
      shell: typeof command === 'string',
      detached: true, // a group of its own, which is killed whole
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (text: string): void => void (this.#output = (this.#output + text).slice(-MAX_OUTPUT));
    this.#child.stdout?.setEncoding('utf8').on('data', keep);
    this.#child.stderr?.setEncoding('utf8').on('data', keep);
    const { pid } = this.#child;
    if (pid !== undefined) {
      if (!isWatched) process.once('exit', killAll);
      isWatched = true;
      running.add(pid);
    }
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        onEnd(error.message);
        resolve();
      });
      this.#child.once('close', (code, signal) => {
        if (pid !== undefined) running.delete(pid);
        onEnd(`it ended with ${code === null ? `signal ${signal}` : `exit code ${code}`}${this.#lastWords()}`);
        resolve();
      });
    });
  }

  /** Ends it, and what it has started, without a chance to do anything. */
  kill(): void {
    signalGroup(this.#child.pid, 'SIGKILL');
  }

  /** It gets no processor time any more. */
  pause(): void {
    signalGroup(this.#child.pid, 'SIGSTOP');
  }

  #lastWords(): string {
    const lines = this.#output.trimEnd().split('\n').slice(-MAX_LINES);
    return lines.join('') === '' ? '' : `: ${lines.join('\n')}`;
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // all of it has ended
  }
}

function killAll(): void {
  for (const pid of running) signalGroup(pid, 'SIGKILL');
}
