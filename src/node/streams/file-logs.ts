// Logs as container runtimes write them to files.
import { Buffer } from 'node:buffer';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { Clock } from '../../base/index.ts';
import type { ContainerLogs, ContainerStatus, LogEntry, LogQuery } from '../runtime/index.ts';

const NEWLINE = 10;
const SPACE = 32;
const BLOCK = 64 * 1024;
const LOOK_EVERY_MS = 1000;

export class FileLogs implements ContainerLogs {
  readonly #clock: Clock;
  readonly #isRunning: (containerId: string) => Promise<boolean>;

  constructor(clock: Clock, isRunning: (containerId: string) => Promise<boolean>) {
    this.#clock = clock;
    this.#isRunning = isRunning;
  }

  async *entries({ id, logPath }: ContainerStatus, { tailLines, follow, signal }: LogQuery): AsyncGenerator<LogEntry> {
    let file = await open(logPath);
    try {
      let at = tailLines === undefined ? 0 : await tailStart(file, tailLines);
      while (!signal.aborted) {
        // checked before reading, so that the last lines are not missed
        const isOver = !follow || !(await this.#isRunning(id));
        for await (const line of linesFrom(file, at)) {
          at += line.length + 1;
          const entry = parseEntry(line);
          if (entry !== undefined) yield entry;
          if (signal.aborted) return;
        }
        if (await isReplaced(file, logPath)) {
          await file.close();
          file = await open(logPath);
          at = 0;
        } else if (isOver) {
          return;
        } else {
          await this.#clock.sleep(LOOK_EVERY_MS, signal);
        }
      }
    } finally {
      await file.close();
    }
  }
}

/** `2026-01-01T00:00:00.000000000Z stdout F text`: time, stream, `P` for a part of a line, and what was written. */
export function parseEntry(line: Buffer): LogEntry | undefined {
  const afterTime = line.indexOf(SPACE);
  const afterStream = line.indexOf(SPACE, afterTime + 1);
  const afterTags = line.indexOf(SPACE, afterStream + 1);
  if (afterTime < 0 || afterStream < 0) return undefined;
  const time = line.toString('latin1', 0, afterTime);
  const stream = line.toString('latin1', afterTime + 1, afterStream);
  const tags = line.toString('latin1', afterStream + 1, afterTags < 0 ? line.length : afterTags).split(':');
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  const content = afterTags < 0 ? Buffer.alloc(0) : line.subarray(afterTags + 1);
  return { time, stream, content, isLineEnd: tags[0] !== 'P' };
}

/** Whole lines from the given place on, without their ends. */
async function* linesFrom(file: FileHandle, from: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for (let at = from; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(BLOCK), 0, BLOCK, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      yield rest.subarray(start, end);
      start = end + 1;
    }
    rest = rest.subarray(start);
  }
}

/** The offset at which the last `lines` lines begin. */
async function tailStart(file: FileHandle, lines: number): Promise<number> {
  const { size } = await file.stat();
  if (lines <= 0) return size;
  let missing = lines + 1;
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - BLOCK);
    const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    for (let index = buffer.length - 1; index >= 0; index--) {
      if (buffer[index] === NEWLINE && --missing === 0) return start + index + 1;
    }
    end = start;
  }
  return 0;
}

/** Whether the runtime has replaced this file with a new one. */
async function isReplaced(file: FileHandle, path: string): Promise<boolean> {
  try {
    return (await stat(path)).ino !== (await file.stat()).ino;
  } catch {
    return false; // moved away, and nothing in its place yet
  }
}
