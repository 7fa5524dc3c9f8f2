import { aborted } from '../../base/index.ts';

type Read = IteratorResult<Uint8Array, unknown>;

const DONE: Read = { done: true, value: undefined };

export interface InputLine {
  readonly text: string;
  readonly isComplete: boolean;
}

const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 128 * 1024;

/**
 * The input that a shell and its programs read in turn. A program that is interrupted or stops reading loses no input for
 * the others.
 */
export class SharedInput implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterator<Uint8Array>;
  /** Input after the end of a line that was already read. */
  #rest: Uint8Array | undefined;
  #pending: Promise<Read> | undefined;
  #interrupted: Promise<Read> | undefined;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** For the next program: its input ends when the signal interrupts it. */
  endWith(signal: AbortSignal): void {
    this.#interrupted = aborted(signal).then(() => DONE);
  }

  /** For the shell itself: the next lines, up to the end. Input after them is left to programs. */
  async *lines(): AsyncGenerator<string> {
    for (;;) {
      const { text, isComplete } = await this.#line(undefined);
      if (isComplete || text !== '') yield text;
      if (!isComplete) return;
    }
  }

  /** The next line without its end; not complete when the input ends first. Input after it is left to others. */
  line(): Promise<InputLine> {
    return this.#line(this.#interrupted);
  }

  async #line(interrupted: Promise<Read> | undefined): Promise<InputLine> {
    const parts: Buffer[] = [];
    for (let size = 0; ;) {
      const read = await this.#next(interrupted);
      if (read.done === true) return { text: Buffer.concat(parts).toString(), isComplete: false };
      const bytes = Buffer.from(read.value.buffer, read.value.byteOffset, read.value.byteLength);
      const end = bytes.indexOf(NEWLINE);
      parts.push(bytes.subarray(0, end === -1 ? bytes.length : end));
      size += bytes.length;
      if (end === -1 && size > MAX_LINE_BYTES) throw new Error('line is too long');
      if (end === -1) continue;
      this.#rest = bytes.subarray(end + 1);
      return { text: Buffer.concat(parts).toString(), isComplete: true };
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: () => this.#next(this.#interrupted) as Promise<IteratorResult<Uint8Array>> };
  }

  async #next(interrupted: Promise<Read> | undefined): Promise<Read> {
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest !== undefined && rest.length > 0) return { done: false, value: rest };
    this.#pending ??= this.#source.next();
    const read = await (interrupted === undefined ? this.#pending : Promise.race([interrupted, this.#pending]));
    if (read !== DONE) this.#pending = undefined;
    return read;
  }
}
