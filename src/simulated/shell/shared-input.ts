import { aborted } from '../../base/index.ts';

type Read = IteratorResult<Uint8Array, unknown>;

const DONE: Read = { done: true, value: undefined };

const NEWLINE = 0x0a;
const MAX_LINE_CHARACTERS = 64 * 1024;

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
    for (let text = ''; ;) {
      const read = await this.#next(undefined);
      if (read.done === true) {
        if (text !== '') yield text;
        return;
      }
      const bytes = Buffer.from(read.value);
      const end = bytes.indexOf(NEWLINE);
      text += bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
      if (text.length > MAX_LINE_CHARACTERS) throw new Error('sh: line is too long');
      if (end === -1) continue;
      this.#rest = bytes.subarray(end + 1);
      yield text;
      text = '';
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
