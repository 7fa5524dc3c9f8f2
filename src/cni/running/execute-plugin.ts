import { spawn } from 'node:child_process';
import { type Clock, onAbort } from '../../base/index.ts';
import { CniError } from '../cni-error.ts';
import { isObject } from '../field-reader.ts';

export interface PluginCall {
  /** Path of the program. */
  readonly program: string;
  /** Default none. */
  readonly args?: readonly string[];
  /** Its whole environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: string;
  readonly limits: ExecutionLimits;
}

export interface ExecutionLimits {
  readonly clock: Clock;
  /** The program is killed when it takes longer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What a program did, whether it succeeded or not. */
export interface PluginEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it was killed before it ended, if it was. */
  readonly cutShort?: string | undefined;
}

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

/** A program that is being written cannot be started: it is tried again. */
const BUSY_TRIES = 5;
const BUSY_WAIT_MS = 1000;

/** Runs a plugin once and waits for its end. Throws only when it cannot be started, or the signal aborts. */
export async function executePlugin(call: PluginCall): Promise<PluginEnd> {
  const { limits } = call;
  for (let tried = 0; ; tried++) {
    limits.signal?.throwIfAborted();
    try {
      return await executeOnce(call);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ETXTBSY' || tried === BUSY_TRIES) {
        limits.signal?.throwIfAborted();
        throw cannotStart(call.program, error);
      }
      await limits.clock.sleep(BUSY_WAIT_MS, limits.signal);
    }
  }
}

/** Runs a plugin and returns what it printed; its failure is thrown as the error that it printed. */
export async function callPlugin(call: PluginCall, onStderr?: (text: string) => void): Promise<string> {
  const end = await executePlugin(call);
  if (end.code !== 0 || end.cutShort !== undefined) throw failureOf(end);
  if (end.stderr !== '') onStderr?.(end.stderr);
  return end.stdout;
}

function executeOnce({ program, args = [], environment, input, limits }: PluginCall): Promise<PluginEnd> {
  return new Promise((resolve, reject) => {
    // a process group of its own, so that what the plugin has started ends with it
    const child = spawn(program, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    let cutShort: string | undefined;
    const kill = (why: string): void => {
      cutShort ??= why;
      killGroup(child.pid);
      child.stdout.destroy(); // a process that has left the group may hold them open
      child.stderr.destroy();
    };
    const stdout = new LimitedText(MAX_OUTPUT_BYTES, () => kill(`it printed more than ${MAX_OUTPUT_BYTES} bytes`));
    const stderr = new LimitedText(MAX_ERROR_BYTES);
    const held = [limits.clock.timer(limits.timeoutMs, () => kill(`it took longer than ${limits.timeoutMs} ms`))];
    if (limits.signal !== undefined) held.push(onAbort(limits.signal, () => kill('it was stopped')));
    const release = (): void => {
      for (const each of held) each[Symbol.dispose]();
    };
    child.stdout.on('data', (chunk: Buffer) => stdout.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
    child.stdin.on('error', () => undefined); // a plugin need not read its input; its end tells
    child.once('error', (error) => {
      release();
      reject(error);
    });
    child.once('close', (code, signal) => {
      release();
      if (limits.signal?.aborted === true) reject(limits.signal.reason as Error);
      else resolve({ code, signal, stdout: stdout.text, stderr: stderr.text, cutShort });
    });
    child.stdin.end(input);
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

/** The error that a plugin printed, or one that says how it ended. */
export function failureOf({ code, signal, stdout, stderr, cutShort }: PluginEnd): CniError {
  if (cutShort !== undefined) return new CniError(0, `netplugin was killed: ${cutShort}`);
  if (stdout.trim() === '') {
    const how = signal === null ? `exit code ${code}` : `ended by ${signal}`;
    return stderr === ''
      ? new CniError(0, `netplugin failed with no error message: ${how}`)
      : new CniError(0, `netplugin failed: ${JSON.stringify(stderr)}`);
  }
  try {
    const printed: unknown = JSON.parse(stdout);
    if (!isObject(printed)) throw new Error('it is no object');
    const { code: number, msg, details } = printed;
    return new CniError(
      typeof number === 'number' ? number : 0,
      typeof msg === 'string' ? msg : '',
      typeof details === 'string' ? { details } : {},
    );
  } catch (cause) {
    return new CniError(0, 'netplugin failed but its error cannot be read', {
      details: `${(cause as Error).message}: ${JSON.stringify(stdout.slice(0, 1000))}`,
      cause,
    });
  }
}

function cannotStart(program: string, cause: unknown): CniError {
  if (cause instanceof CniError) return cause;
  return new CniError(0, `cannot start plugin "${program}"`, { details: (cause as Error).message, cause });
}

/** Bytes up to a limit, as text. */
class LimitedText {
  readonly #chunks: Buffer[] = [];
  readonly #max: number;
  readonly #full: (() => void) | undefined;
  #length = 0;

  constructor(max: number, full?: () => void) {
    this.#max = max;
    this.#full = full;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  /** What is beyond the limit is dropped. */
  add(chunk: Buffer): void {
    const room = this.#max - this.#length;
    if (room > 0) this.#chunks.push(chunk.subarray(0, room));
    this.#length += chunk.length;
    if (this.#length > this.#max) this.#full?.();
  }
}
