import type { Clock } from '../../base/index.ts';
import type { LogEntry, LogQuery } from '../runtime/index.ts';

/** The log of one run of a container; older lines are dropped, as when a kubelet rotates logs. */
const MAX_BYTES = 128 * 1024;
/** Longer lines become several entries, as runtimes write them. */
const MAX_ENTRY_BYTES = 16 * 1024;
const ENTRY_BYTES = 64;
const NEWLINE = 0x0a;

type Stream = LogEntry['stream'];

/** The container whose output is followed. */
interface FollowedContainer {
  isRunning(): boolean;
  /** Resolves when it has ended, or the signal aborts. */
  ended(signal: AbortSignal): Promise<void>;
}

/** What a container's main process has written, line by line with its time. */
export class OutputLog {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #entries: LogEntry[] = [];
  /** The number of entries that were dropped. */
  #dropped = 0;
  #bytes = 0;
  readonly #rest: Record<Stream, Uint8Array> = { stdout: new Uint8Array(), stderr: new Uint8Array() };
  readonly #listeners = new Set<() => void>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** The number of entries so far, with those that were dropped. */
  get length(): number {
    return this.#dropped + this.#entries.length;
  }

  /** The number of the first entry that is kept. */
  get start(): number {
    return this.#dropped;
  }

  at(index: number): LogEntry | undefined {
    return this.#entries[index - this.#dropped];
  }

  write(stream: Stream, bytes: Uint8Array): void {
    let rest = Buffer.concat([this.#rest[stream], bytes]);
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#add(stream, rest.subarray(0, end), true);
      rest = rest.subarray(end + 1);
    }
    while (rest.length >= MAX_ENTRY_BYTES) {
      this.#add(stream, rest.subarray(0, MAX_ENTRY_BYTES), false);
      rest = rest.subarray(MAX_ENTRY_BYTES);
    }
    this.#rest[stream] = Uint8Array.from(rest);
    for (const listener of this.#listeners) listener();
  }

  /** The process has ended: a last line without its end is kept, too. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const rest = this.#rest[stream];
      if (rest.length > 0) this.#add(stream, rest, false);
      this.#rest[stream] = new Uint8Array();
    }
    for (const listener of this.#listeners) listener();
  }

  /** The entries so far, and with `follow` those that come until the container has ended. */
  async *entries(
    { tailLines = Infinity, follow, signal }: LogQuery,
    container: FollowedContainer,
  ): AsyncGenerator<LogEntry> {
    let next = this.length;
    for (let lines = 0; next > this.start; next--) {
      if (this.at(next - 1)?.isLineEnd !== false && ++lines > tailLines) break;
    }
    while (!signal.aborted) {
      const isRunning = container.isRunning();
      for (next = Math.max(next, this.start); next < this.length; next++) {
        const entry = this.at(next);
        if (entry !== undefined) yield entry;
      }
      if (!follow || !isRunning) return;
      const scope = new AbortController();
      const either = AbortSignal.any([signal, scope.signal]);
      if (next === this.length && container.isRunning())
        await Promise.race([container.ended(either), this.more(either)]);
      scope.abort();
    }
  }

  /** Resolves when there is more, or the signal aborts. */
  async more(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#listeners.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#listeners.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  #add(stream: Stream, line: Uint8Array, isLineEnd: boolean): void {
    const time = new Date(this.#clock.now()).toISOString().replace('Z', '000000Z');
    this.#entries.push({ time, stream, content: Uint8Array.from(line), isLineEnd });
    this.#bytes += line.length + ENTRY_BYTES;
    while (this.#bytes > MAX_BYTES) {
      this.#bytes -= (this.#entries.shift()?.content.length ?? 0) + ENTRY_BYTES;
      this.#dropped++;
    }
  }
}
