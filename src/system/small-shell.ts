import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../base/index.ts';

/** How a program ended. */
export interface Finished {
  /** Undefined when the program was killed, or could not be started. */
  readonly code: number | undefined;
  /** What it printed, on both outputs. */
  readonly output: string;
}

export interface ProgramOptions {
  /** The program is killed after this long; default never. */
  readonly limitMs?: number;
}

interface GivenOptions extends ProgramOptions {
  readonly clock: Clock;
}

/** Shells at the same time. */
const MAX_SHELLS = 4;
/** How long a program waits for a shell that is free, before it is started without one. */
const MAX_WAIT_MS = 1000;
/** Programs that wait; more are started without a shell. */
const MAX_WAITING = 1000;
/** Most of what a program prints is kept; the rest is dropped. */
const MAX_OUTPUT = 8192;
/** The first exit code that a shell has for programs that a signal has ended. */
const SIGNALLED = 129;
/** What a shell prints after a program: the number of the program, and its exit code. */
const END = /\0(\d+) (\d+)\0$/;
const MAX_END = 64;

/**
 * Starts small programs of the machine, such as mount(8), through shells that stay: the kernel copies the page tables of a process that
 * starts another, which takes a Node.js process about 10 ms of its thread, and a shell a tenth of a millisecond.
 *
 * Assumes: programs that end by themselves and print little. A shell runs one program at a time. When all have been busy for a second,
 * because a file server does not answer, programs are started without a shell.
 */
export class SmallShell implements Disposable {
  readonly #clock: Clock;
  readonly #shells = new Set<Shell>();
  readonly #waiting = new Set<(shell: Shell | undefined) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run(program: string, args: readonly string[], options: ProgramOptions = {}): Promise<Finished> {
    const given = { ...options, clock: this.#clock };
    const shell = args.some((word) => /[\n\0]/.test(word)) ? undefined : await this.#free(); // shells read lines
    if (shell === undefined) return await runAlone(program, args, given);
    const finished = await shell.run([program, ...args], given);
    const [next] = this.#waiting;
    if (next !== undefined) next(this.#idle());
    return finished;
  }

  [Symbol.dispose](): void {
    for (const shell of this.#shells) shell.end();
    this.#shells.clear();
    for (const leave of this.#waiting) leave(undefined);
  }

  /** A shell that is free now or soon; undefined when there is none. */
  async #free(): Promise<Shell | undefined> {
    const idle = this.#waiting.size === 0 ? this.#idle() : undefined;
    if (idle !== undefined || this.#waiting.size >= MAX_WAITING) return idle;
    return await new Promise((resolve) => {
      const timer = this.#clock.timer(MAX_WAIT_MS, () => leave(undefined));
      const leave = (shell: Shell | undefined): void => {
        timer[Symbol.dispose]();
        this.#waiting.delete(leave);
        resolve(shell);
      };
      this.#waiting.add(leave);
    });
  }

  /** Takes a shell that runs nothing. */
  #idle(): Shell | undefined {
    for (const shell of this.#shells) if (shell.hasEnded) this.#shells.delete(shell);
    let idle = [...this.#shells].find((shell) => !shell.isTaken);
    if (idle === undefined && this.#shells.size < MAX_SHELLS) this.#shells.add((idle = new Shell()));
    if (idle !== undefined) idle.isTaken = true;
    return idle;
  }
}

interface Waiting {
  resolve(finished: Finished): void;
  readonly timer: Disposable | undefined;
}

/** One shell. It ends with the process that started it, since its input ends then. */
class Shell {
  /** Whether a caller is about to give it a program, or waits for one that it runs. */
  isTaken = false;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  #waiting: Waiting | undefined;
  #text = '';
  /** Programs that were run: the number of the last one is printed when it has ended. */
  #count = 0;
  #hasEnded = false;

  constructor() {
    // a group of its own, so that a program that hangs can be killed with its shell
    this.#child = spawn('/bin/sh', ['-c', 'exec 2>&1; while IFS= read -r line; do eval "$line"; done'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    this.#child.stdout.setEncoding('utf8');
    this.#child.stdout.on('data', (text: string) => this.#read(text));
    this.#child.stdin.on('error', () => undefined); // the end of the shell follows
    this.#child.on('error', (error) => this.#ended(error.message));
    this.#child.on('exit', () => this.#ended('the shell has ended'));
    this.#hold(false);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  run(words: readonly string[], { limitMs, clock }: GivenOptions): Promise<Finished> {
    if (this.#hasEnded) return Promise.resolve({ code: undefined, output: 'the shell has ended' });
    return new Promise((resolve) => {
      const timer = limitMs === undefined ? undefined : clock.timer(limitMs, () => this.end());
      this.#waiting = { resolve, timer };
      this.#hold(true);
      this.#count += 1;
      const end = `printf '\\000%d %d\\000' ${this.#count} $?`;
      this.#child.stdin.write(`${words.map(quoted).join(' ')} </dev/null; ${end}\n`);
    });
  }

  /** Kills the shell and what it runs. */
  end(): void {
    this.#hasEnded = true;
    const { pid } = this.#child;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // it has ended by itself
    }
  }

  #read(text: string): void {
    this.#text += text;
    const [end = '', count, code] = END.exec(this.#text.slice(-MAX_END)) ?? [];
    if (Number(count) === this.#count && code !== undefined)
      this.#finish({
        code: Number(code) >= SIGNALLED ? undefined : Number(code),
        output: this.#text.slice(0, Math.min(MAX_OUTPUT, this.#text.length - end.length)),
      });
    else if (this.#text.length > 2 * MAX_OUTPUT)
      this.#text = this.#text.slice(0, MAX_OUTPUT) + this.#text.slice(-MAX_END);
  }

  #ended(output: string): void {
    this.#hasEnded = true;
    this.#finish({ code: undefined, output });
  }

  #finish(finished: Finished): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.isTaken = false;
    this.#text = '';
    waiting?.timer?.[Symbol.dispose]();
    this.#hold(false);
    waiting?.resolve(finished);
  }

  /** An idle shell does not keep this process alive. */
  #hold(isHeld: boolean): void {
    const streams = [this.#child.stdin, this.#child.stdout].filter((stream) => stream instanceof Socket);
    for (const each of [this.#child, ...streams])
      if (isHeld) each.ref();
      else each.unref();
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function runAlone(program: string, args: readonly string[], given: GivenOptions): Promise<Finished> {
  const { limitMs, clock } = given;
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = limitMs === undefined ? undefined : clock.timer(limitMs, () => child.kill('SIGKILL'));
    const finish = (finished: Finished): void => {
      timer?.[Symbol.dispose]();
      resolve(finished);
    };
    let output = '';
    const add = (bytes: unknown): void => {
      if (output.length < MAX_OUTPUT) output += String(bytes);
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.on('error', (error) => finish({ code: undefined, output: error.message }));
    child.on('close', (code) => finish({ code: code ?? undefined, output }));
  });
}
