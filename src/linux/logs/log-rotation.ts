import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Clock, type Logger, messageOf, type Runnable } from '../../base/index.ts';
import { isRuntimeNotFound, type RuntimeService } from '../../node/index.ts';

/** When the logs of containers are rotated, as in a KubeletConfiguration. */
export interface LogRotationOptions {
  /** `containerLogMaxSize`: the size in bytes from which on a log is rotated; default 10Mi. A negative size turns rotation off. */
  readonly maxBytes?: number;
  /** `containerLogMaxFiles`: the most files that a container may have, 2 at least; default 5. */
  readonly maxFiles?: number;
  /** `containerLogMaxWorkers`: how many logs are rotated at once; default 1. */
  readonly maxWorkers?: number;
  /** `containerLogMonitorInterval`; default 10 s. */
  readonly everyMs?: number;
}

export interface LogRotationParts {
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'containerStatus' | 'reopenContainerLog'> & {
    /** The log of a container that this run of the agent has started; undefined for others. */
    logPath?(containerId: string): string | undefined;
  };
  readonly clock: Clock;
  readonly log: Logger;
}

const COMPRESSED = '.gz';
const UNFINISHED = '.tmp';
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;
const DEFAULT_MAX_FILES = 5;
const DEFAULT_EVERY_MS = 10_000;

/**
 * Rotates the logs of running containers by size. Of the files of a log, one is written (`0.log`), one was rotated last and can still be read
 * by clients that follow it (`0.log.20260101-120000`), and the others are compressed (`….gz`).
 */
export class LogRotation implements Runnable {
  readonly #options: Required<LogRotationOptions>;
  readonly #parts: LogRotationParts;
  /** The log files of the containers that ran at the last look, by id: a status is asked for once. */
  #paths: ReadonlyMap<string, string> = new Map();

  constructor(options: LogRotationOptions, parts: LogRotationParts) {
    const { maxBytes = DEFAULT_MAX_BYTES, maxFiles = DEFAULT_MAX_FILES } = options;
    if (maxFiles <= 1)
      throw new Error(`Cannot rotate logs: containerLogMaxFiles must be greater than 1, got ${maxFiles}`);
    const { maxWorkers = 1, everyMs = DEFAULT_EVERY_MS } = options;
    this.#options = { maxBytes, maxFiles, maxWorkers, everyMs };
    this.#parts = parts;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { maxBytes, everyMs } = this.#options;
    if (maxBytes < 0) return;
    while (!signal.aborted) {
      try {
        await this.rotateAll(signal);
      } catch (error) {
        if (!signal.aborted) this.#parts.log.warn('logs cannot be rotated', { error: messageOf(error) });
      }
      await this.#parts.clock.sleep(everyMs, signal);
    }
  }

  /** Looks at the logs of all running containers once. */
  async rotateAll(signal: AbortSignal): Promise<void> {
    const { runtime } = this.#parts;
    const running = await runtime.listContainers({ state: 'CONTAINER_RUNNING' }, { signal });
    const paths = new Map<string, string>();
    const ids = running.map(({ id }) => id).values();
    const work = async (): Promise<void> => {
      for (const id of ids) {
        if (signal.aborted) return;
        const path = this.#paths.get(id) ?? this.#parts.runtime.logPath?.(id) ?? (await this.#logPath(id));
        if (path === undefined || path === '') continue;
        paths.set(id, path);
        await this.#look(id, path);
      }
    };
    await Promise.all(Array.from({ length: this.#options.maxWorkers }, work));
    this.#paths = paths;
  }

  async #logPath(id: string): Promise<string | undefined> {
    try {
      return (await this.#parts.runtime.containerStatus(id)).logPath;
    } catch (error) {
      if (isRuntimeNotFound(error)) return undefined; // removed meanwhile
      throw error;
    }
  }

  async #look(id: string, path: string): Promise<void> {
    try {
      const bytes = await sizeOf(path);
      // a log that was removed is created again
      if (bytes === undefined) await this.#parts.runtime.reopenContainerLog(id);
      else if (bytes >= this.#options.maxBytes) await this.#rotate(id, path);
    } catch (error) {
      this.#parts.log.warn('log cannot be rotated', { error: messageOf(error), container: id, path });
    }
  }

  async #rotate(id: string, path: string): Promise<void> {
    const kept = await this.#removeOld(await rotatedFiles(path));
    for (const file of kept) if (!file.endsWith(COMPRESSED)) await compress(file);
    const rotated = `${path}.${timeSuffix(this.#parts.clock.now())}`;
    await rename(path, rotated);
    try {
      await this.#parts.runtime.reopenContainerLog(id);
    } catch (error) {
      await rename(rotated, path); // the runtime goes on writing to it
      throw error;
    }
  }

  /** Removes what a rotation has left unfinished, and the oldest files, so that there is room for one more; returns the others. */
  async #removeOld(files: readonly string[]): Promise<readonly string[]> {
    const inUse = files.filter((file) => isInUse(file, files));
    const excess = Math.max(0, inUse.length - (this.#options.maxFiles - 2));
    for (const file of [...files.filter((each) => !inUse.includes(each)), ...inUse.slice(0, excess)])
      await rm(file, { force: true });
    return inUse.slice(excess);
  }
}

/** The other files of a log, the oldest first. */
async function rotatedFiles(path: string): Promise<readonly string[]> {
  const [folder, name] = [dirname(path), basename(path)];
  const names = await readdir(folder);
  return names
    .filter((each) => each.startsWith(`${name}.`))
    .toSorted()
    .map((each) => join(folder, each));
}

/** An unfinished file is not, nor is one that has been compressed already. */
function isInUse(file: string, files: readonly string[]): boolean {
  if (file.endsWith(UNFINISHED)) return false;
  return file.endsWith(COMPRESSED) || !files.includes(`${file}${COMPRESSED}`);
}

async function compress(file: string): Promise<void> {
  const unfinished = `${file}${UNFINISHED}`;
  try {
    const { mode } = await stat(file);
    await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished, { mode }));
    await rename(unfinished, `${file}${COMPRESSED}`);
    await rm(file, { force: true });
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** `20260131-235959`, in the machine's time zone. */
function timeSuffix(ms: number): string {
  const time = new Date(ms);
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${time.getFullYear()}${two(time.getMonth() + 1)}${two(time.getDate())}`;
  return `${date}-${two(time.getHours())}${two(time.getMinutes())}${two(time.getSeconds())}`;
}
