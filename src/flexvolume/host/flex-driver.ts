import { spawn } from 'node:child_process';
import type { Clock, Logger } from '../../base/index.ts';
import { type DriverCapabilities, type DriverStatus, NotSupported, readStatus } from './driver-status.ts';

/** The commands of drivers. */
export type DriverCommand =
  | 'init'
  | 'getvolumename'
  | 'attach'
  | 'detach'
  | 'waitforattach'
  | 'isattached'
  | 'mountdevice'
  | 'unmountdevice'
  | 'mount'
  | 'unmount'
  | 'expandvolume'
  | 'expandfs';

export interface FlexDriverParts {
  readonly clock: Clock;
  readonly log: Logger;
}

interface CallOptions {
  /** The driver is stopped after this long; default never, as with a kubelet. */
  readonly timeoutMs?: number;
}

/** The longest answer; what is longer is cut, and then no JSON. */
const MAX_OUTPUT = 1024 * 1024;
/** Time between asking a driver that is too slow to end, and ending it. */
const STOP_MS = 10_000;

/** A driver: a program that is called with a command, and answers with JSON. */
export class FlexDriver {
  /** Such as `example.com/lvm`. */
  readonly name: string;
  readonly capabilities: DriverCapabilities;
  readonly #program: DriverProgram;
  /** Commands that the driver has said not to have; it is not asked again. */
  readonly #unsupported = new Set<DriverCommand>();

  private constructor(name: string, program: DriverProgram, capabilities: DriverCapabilities) {
    this.name = name;
    this.#program = program;
    this.capabilities = capabilities;
  }

  /** Calls `init` of the program at a path. Throws when it fails. */
  static async open(name: string, path: string, parts: FlexDriverParts): Promise<FlexDriver> {
    const program = new DriverProgram(path, parts);
    const { capabilities } = await program.call('init', []);
    return new FlexDriver(name, program, capabilities);
  }

  /** Throws `NotSupported` when the driver does not have the command. */
  async call(command: DriverCommand, args: readonly string[], options: CallOptions = {}): Promise<DriverStatus> {
    if (this.#unsupported.has(command)) throw new NotSupported();
    try {
      return await this.#program.call(command, args, options);
    } catch (error) {
      if (error instanceof NotSupported) this.#unsupported.add(command);
      throw error;
    }
  }

  /** As `call`; undefined when the driver does not have the command. */
  async tryCall(
    command: DriverCommand,
    args: readonly string[],
    options: CallOptions = {},
  ): Promise<DriverStatus | undefined> {
    try {
      return await this.call(command, args, options);
    } catch (error) {
      if (error instanceof NotSupported) return undefined;
      throw error;
    }
  }
}

interface Ended {
  /** Why the program failed: `exit status 1`; undefined when it has not. */
  readonly failure: string | undefined;
  readonly output: string;
  readonly isLate: boolean;
}

class DriverProgram {
  readonly #path: string;
  readonly #parts: FlexDriverParts;

  constructor(path: string, parts: FlexDriverParts) {
    this.#path = path;
    this.#parts = parts;
  }

  async call(command: DriverCommand, args: readonly string[], options: CallOptions = {}): Promise<DriverStatus> {
    const { failure, output, isLate } = await this.#run([command, ...args], options);
    if (isLate) throw new Error('timeout');
    if (failure === undefined) return readStatus(command, output);
    const { log } = this.#parts;
    try {
      readStatus(command, output);
    } catch (error) {
      // arguments may hold secrets, so they are not logged
      if (!(error instanceof NotSupported))
        log.warn('FlexVolume driver failed', { driver: this.#path, command, failure, error });
      throw error;
    }
    log.warn('FlexVolume driver failed and answered with success', { driver: this.#path, command, failure });
    throw new Error(failure);
  }

  #run(words: readonly string[], { timeoutMs }: CallOptions): Promise<Ended> {
    const { clock } = this.#parts;
    return new Promise((resolve) => {
      // a group of its own, so that what a driver has started is stopped with it
      const child = spawn(this.#path, words, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      const kill = (signal: NodeJS.Signals): void => {
        try {
          if (child.pid !== undefined) process.kill(-child.pid, signal);
        } catch {
          // it has ended by itself
        }
      };
      const chunks: Buffer[] = [];
      let length = 0;
      let isLate = false;
      const timers: Disposable[] = [];
      const stop = (): void => {
        isLate = true;
        kill('SIGTERM');
        timers.push(clock.timer(STOP_MS, () => kill('SIGKILL')));
      };
      if (timeoutMs !== undefined) timers.push(clock.timer(timeoutMs, stop));
      const add = (chunk: Buffer): void => {
        if (length < MAX_OUTPUT) chunks.push(chunk);
        length += chunk.length;
      };
      child.stdout.on('data', add);
      child.stderr.on('data', add);
      const finish = (failure: string | undefined): void => {
        for (const timer of timers) timer[Symbol.dispose]();
        resolve({ failure, output: Buffer.concat(chunks).toString('utf8'), isLate });
      };
      child.on('error', (error) => finish(error.message));
      child.on('close', (code, signal) => {
        if (code === 0) finish(undefined);
        else finish(signal === null ? `exit status ${code}` : `signal: ${signal}`);
      });
    });
  }
}
