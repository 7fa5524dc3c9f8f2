import { Buffer } from 'node:buffer';
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../base/index.ts';

const NEWLINE = 10;
/** Longer lines are written in parts, as container runtimes do. */
const MAX_LINE_BYTES = 16 * 1024;
/** A log that grows beyond this is moved away, in place of the one that was moved before; a kubelet's default. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

type Stream = 'stdout' | 'stderr';

/** The log of a container in a file, as container runtimes write it: time, stream, `F` or `P`, and what was printed. */
export class ContainerLog {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #rest: Record<Stream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  #file: FileHandle;
  #size = 0;
  /** The writes so far, one after the other. */
  #written: Promise<void> = Promise.resolve();

  private constructor(path: string, file: FileHandle, clock: Clock) {
    this.#path = path;
    this.#file = file;
    this.#clock = clock;
  }

  static async open(path: string, clock: Clock): Promise<ContainerLog> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new ContainerLog(path, await open(path, 'a', 0o600), clock);
  }

  /** Writes what arrives until the stream ends. A program that prints faster than the disk writes has to wait. */
  async copy(source: AsyncIterable<Buffer>, stream: Stream): Promise<void> {
    for await (const bytes of source) await this.#append(bytes, stream);
  }

  /** Waits for the writes and closes the file. The rest of a line without an end is written. */
  async close(): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#rest[stream].length > 0) await this.#write(this.#entry(stream, this.#rest[stream], 'P'));
      this.#rest[stream] = Buffer.alloc(0);
    }
    await this.#written;
    await this.#file.close();
  }

  #append(bytes: Buffer, stream: Stream): Promise<void> {
    const entries: Buffer[] = [];
    let left = Buffer.concat([this.#rest[stream], bytes]);
    for (;;) {
      const end = left.indexOf(NEWLINE);
      if (end >= 0 && end <= MAX_LINE_BYTES) {
        entries.push(this.#entry(stream, left.subarray(0, end), 'F'));
        left = left.subarray(end + 1);
      } else if (left.length > MAX_LINE_BYTES) {
        entries.push(this.#entry(stream, left.subarray(0, MAX_LINE_BYTES), 'P'));
        left = left.subarray(MAX_LINE_BYTES);
      } else break;
    }
    this.#rest[stream] = left;
    return this.#write(Buffer.concat(entries));
  }

  #entry(stream: Stream, content: Buffer, tag: 'F' | 'P'): Buffer {
    const time = new Date(this.#clock.now()).toISOString().replace('Z', '000000Z');
    return Buffer.concat([Buffer.from(`${time} ${stream} ${tag} `), content, Buffer.from([NEWLINE])]);
  }

  #write(bytes: Buffer): Promise<void> {
    if (bytes.length > 0) this.#written = this.#written.then(() => this.#writeNow(bytes));
    return this.#written;
  }

  async #writeNow(bytes: Buffer): Promise<void> {
    if (this.#size > 0 && this.#size + bytes.length > MAX_LOG_BYTES) {
      await this.#file.close();
      await rename(this.#path, `${this.#path}.1`);
      this.#file = await open(this.#path, 'a', 0o600);
      this.#size = 0;
    }
    await this.#file.write(bytes);
    this.#size += bytes.length;
  }
}
