import { Buffer } from 'node:buffer';
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AbortScope, type Logger } from '../../base/index.ts';
import type { ContainerLogs, ContainerStatus, LogEntry } from '../../node/index.ts';

/** Text that waits to be written; a container that writes faster waits. */
const MAX_WAITING_BYTES = 1024 * 1024;
const FILE_MODE = 0o640;
const NEWLINE = Buffer.from('\n');

interface OpenLog {
  readonly path: string;
  /** Resolves when everything has been written and the container has ended. */
  readonly finished: Promise<void>;
}

/**
 * Writes the output of containers to files, as clients of the interface read it: `TIME STREAM TAG TEXT`, where tag `P` marks a part of
 * a line.
 *
 * A file is open only while something is written, so that the number of containers is not limited by that of open files.
 */
export class LogFiles implements Disposable {
  readonly #logs: ContainerLogs;
  readonly #log: Logger;
  readonly #open = new Map<string, OpenLog>();
  readonly #scope = new AbortScope();

  constructor(logs: ContainerLogs, log: Logger) {
    this.#logs = logs;
    this.#log = log;
  }

  /** Follows a container that has just started. */
  async start(container: ContainerStatus, path: string): Promise<void> {
    await makeFile(path);
    const finished = this.#follow(container, path).catch((error: unknown) => {
      if (!this.#scope.signal.aborted) this.#log.warn('log cannot be written', { error, path });
    });
    this.#open.set(container.id, { path, finished });
  }

  /** Resolves when the output of a container that has ended is in its file. */
  async finished(containerId: string): Promise<void> {
    await this.#open.get(containerId)?.finished;
  }

  /** Begins a new file, after the old one was moved away. False for a container without a log. */
  async reopen(containerId: string): Promise<boolean> {
    const path = this.#open.get(containerId)?.path;
    if (path === undefined) return false;
    await makeFile(path);
    return true;
  }

  /** The container is removed. */
  forget(containerId: string): void {
    this.#open.delete(containerId);
  }

  [Symbol.dispose](): void {
    this.#scope.abort(new Error('The server stops'));
  }

  async #follow(container: ContainerStatus, path: string): Promise<void> {
    let waiting: Buffer[] = [];
    let bytes = 0;
    let writing: Promise<void> | undefined;
    let failure: unknown;
    const write = async (): Promise<void> => {
      try {
        while (waiting.length > 0) {
          const text = Buffer.concat(waiting);
          waiting = [];
          bytes = 0;
          await appendFile(path, text, { mode: FILE_MODE });
        }
      } catch (error) {
        failure = error;
      }
      writing = undefined;
    };
    const { signal } = this.#scope;
    for await (const entry of this.#logs.entries(container, { follow: true, signal })) {
      const line = lineOf(entry);
      waiting.push(line);
      bytes += line.length;
      writing ??= write();
      if (bytes > MAX_WAITING_BYTES) await writing;
      if (failure !== undefined) throw failure;
    }
    await writing;
    if (failure !== undefined) throw failure;
  }
}

async function makeFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await appendFile(path, '', { mode: FILE_MODE });
}

function lineOf({ time, stream, content, isLineEnd }: LogEntry): Buffer {
  return Buffer.concat([Buffer.from(`${time} ${stream} ${isLineEnd ? 'F' : 'P'} `), content, NEWLINE]);
}
