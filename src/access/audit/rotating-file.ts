import { closeSync, createReadStream, createWriteStream, fstatSync, mkdirSync, openSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Clock, type Duration, type Logger, messageOf, millisecondsOf } from '../../base/index.ts';
import type { LineWriter } from './log-sink.ts';

export interface RotatingFileOptions {
  readonly path: string;
  /** A file is rotated before it becomes larger; 0 disables rotation. */
  readonly maxBytes: number;
  /** How many rotated files are kept; 0 keeps all. */
  readonly maxBackups: number;
  /** Rotated files that are older are removed; 0 keeps them. */
  readonly maxAge: Duration;
  /** Whether rotated files are compressed with gzip. */
  readonly isCompressing: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A file of lines that is rotated when it is full: `audit.log` is renamed to `audit-2026-01-31T10-00-00.000.log`. */
export class RotatingFile implements LineWriter {
  readonly #options: RotatingFileOptions;
  #file: FileHandle | undefined;
  #size: number;
  /** Lines that wait for the current write to finish; the next write takes all of them. */
  #next: { text: string; readonly done: Promise<void> } | undefined;
  #writing: Promise<void> = Promise.resolve();
  #tidying: Promise<void> = Promise.resolve();

  /** Creates the file, readable by its owner only, and its folder; throws when that fails. */
  constructor(options: RotatingFileOptions) {
    this.#options = options;
    mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 });
    const file = openSync(options.path, 'a', 0o600);
    this.#size = fstatSync(file).size;
    closeSync(file);
  }

  write(text: string): Promise<void> {
    if (this.#next !== undefined) {
      this.#next.text += text;
      return this.#next.done;
    }
    const done = this.#writing.then(() => this.#flush());
    this.#next = { text, done };
    this.#writing = done.catch(() => undefined); // the caller of write() gets the error
    return done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    await this.#tidying;
    await this.#file?.close();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#next?.text ?? '');
    this.#next = undefined;
    const { path, maxBytes } = this.#options;
    if (maxBytes > 0 && this.#size > 0 && this.#size + bytes.length > maxBytes) await this.#rotate();
    this.#file ??= await open(path, 'a', 0o600);
    await this.#file.appendFile(bytes);
    this.#size += bytes.length;
  }

  async #rotate(): Promise<void> {
    const { path, clock, log } = this.#options;
    const extension = extname(path);
    const time = new Date(clock.now()).toISOString().replace('Z', '').replaceAll(':', '-');
    await this.#file?.close();
    this.#file = undefined;
    await rename(path, `${path.slice(0, path.length - extension.length)}-${time}${extension}`);
    this.#size = 0;
    const tidying = this.#tidying.then(() => this.#tidy());
    this.#tidying = tidying.catch((error: unknown) =>
      log.error('cannot remove or compress old audit logs', { path, error: messageOf(error) }),
    );
  }

  /** Removes rotated files that exceed the age or number to keep, and compresses the others. */
  async #tidy(): Promise<void> {
    const { path, maxBackups, maxAge, isCompressing, clock } = this.#options;
    const maxAgeMs = millisecondsOf(maxAge);
    const oldest = maxAgeMs === 0 ? -Infinity : clock.now() - maxAgeMs;
    const backups = await backupsOf(path);
    const kept = backups.filter(({ time }, index) => (maxBackups === 0 || index < maxBackups) && time >= oldest);
    for (const backup of backups) if (!kept.includes(backup)) await rm(backup.path, { force: true });
    if (!isCompressing) return;
    for (const backup of kept) if (!backup.path.endsWith(PACKED)) await pack(backup.path);
  }
}

const PACKED = '.gz';

async function pack(path: string): Promise<void> {
  const { mode } = await stat(path);
  await pipeline(createReadStream(path), createGzip(), createWriteStream(`${path}${PACKED}`, { mode }));
  await rm(path);
}

interface Backup {
  readonly path: string;
  readonly time: number;
}

/** The rotated files of a log, newest first. */
async function backupsOf(path: string): Promise<Backup[]> {
  const extension = extname(path);
  const start = `${basename(path, extension)}-`;
  const found: Backup[] = [];
  for (const name of await readdir(dirname(path))) {
    const bare = name.endsWith(PACKED) ? name.slice(0, -PACKED.length) : name;
    if (!bare.startsWith(start) || !bare.endsWith(extension)) continue;
    const text = bare.slice(start.length, bare.length - extension.length);
    const match = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}\.\d{3})$/.exec(text);
    if (match !== null)
      found.push({ path: join(dirname(path), name), time: Date.parse(`${match[1]}:${match[2]}:${match[3]}Z`) });
  }
  return found.sort((left, right) => right.time - left.time);
}
