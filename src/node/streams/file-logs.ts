// Logs as container runtimes write them to files.
import { Buffer } from 'node:buffer';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, FolderChanges } from '../../base/index.ts';
import type { ContainerLogs, ContainerStatus, LogEntry, LogQuery } from '../runtime/index.ts';
import { LogParser } from './log-parser.ts';

const NEWLINE = 10;
const BLOCK = 64 * 1024;
/** Longest time between two looks at a log that is followed. */
const LOOK_EVERY_MS = 1000;

export class FileLogs implements ContainerLogs {
  readonly #clock: Clock;
  readonly #isRunning: (containerId: string) => Promise<boolean>;

  constructor(clock: Clock, isRunning: (containerId: string) => Promise<boolean>) {
    this.#clock = clock;
    this.#isRunning = isRunning;
  }

  /** What the current log file has, without files that were rotated away; with `follow` also the files that replace it. */
  async *entries({ id, logPath }: ContainerStatus, { tailLines, follow, signal }: LogQuery): AsyncGenerator<LogEntry> {
    let log = await OpenLog.open(logPath);
    try {
      if (tailLines !== undefined) await log.seekTail(tailLines);
      if (!follow) return yield* log.rest({ until: await log.size(), signal });
      using changes = new FolderChanges(dirname(logPath), { clock: this.#clock, maxWaitMs: LOOK_EVERY_MS });
      while (!signal.aborted) {
        // checked before reading, so that the last lines are not missed
        const isOver = !(await this.#isRunning(id));
        yield* log.rest({ signal });
        const next = await log.replacement(logPath);
        if (next !== undefined) {
          yield* log.rest({ signal }); // written after the last read and before the file was moved away
          await log.close();
          log = next;
        } else if (isOver) {
          return;
        } else {
          await changes.next(signal);
        }
      }
    } finally {
      await log.close();
    }
  }
}

/** A log file that is being read. */
class OpenLog {
  readonly #file: FileHandle;
  readonly #parser = new LogParser();
  #at = 0;

  static async open(path: string): Promise<OpenLog> {
    return new OpenLog(await open(path));
  }

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  async size(): Promise<number> {
    return (await this.#file.stat()).size;
  }

  /** What was not read yet, to the end of the file or to `until`, which keeps a busy container from holding the reader forever. */
  async *rest({
    until = Infinity,
    signal,
  }: {
    readonly until?: number;
    readonly signal: AbortSignal;
  }): AsyncGenerator<LogEntry> {
    while (!signal.aborted && this.#at < until) {
      const length = Math.min(BLOCK, until - this.#at);
      const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(length), 0, length, this.#at);
      if (bytesRead === 0) return;
      this.#at += bytesRead;
      for (const entry of this.#parser.parse(buffer.subarray(0, bytesRead))) {
        yield entry;
        if (signal.aborted) return;
      }
    }
  }

  /** Moves to where the last `lines` lines begin. */
  async seekTail(lines: number): Promise<void> {
    const size = await this.size();
    this.#at = lines <= 0 ? size : await this.#tailStart(size, lines);
  }

  async #tailStart(size: number, lines: number): Promise<number> {
    const block = Buffer.alloc(Math.min(BLOCK, size));
    let missing = lines + 1;
    for (let end = size; end > 0;) {
      const start = Math.max(0, end - BLOCK);
      const { bytesRead } = await this.#file.read(block, 0, end - start, start);
      const bytes = block.subarray(0, bytesRead);
      for (let index = bytes.lastIndexOf(NEWLINE); index >= 0; index = bytes.lastIndexOf(NEWLINE, index - 1)) {
        if (--missing === 0) return start + index + 1;
        if (index === 0) break;
      }
      end = start;
    }
    return 0;
  }

  /** The file that is at the path now, when the runtime has replaced this one. */
  async replacement(path: string): Promise<OpenLog | undefined> {
    try {
      const [there, own] = await Promise.all([stat(path), this.#file.stat()]);
      return there.ino === own.ino && there.dev === own.dev ? undefined : await OpenLog.open(path);
    } catch {
      return undefined; // moved away, and nothing in its place yet
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
