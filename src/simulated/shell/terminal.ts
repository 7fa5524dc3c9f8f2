import { ByteInbox } from '../../wire/connections/index.ts';

const INTERRUPT = 0x03;
const END = 0x04;
const BACKSPACE = 0x08;
const DELETE = 0x7f;
const RETURN = 0x0d;
const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 4096;

/** A terminal between a process and its user: echoes keys, lets the user edit the line, and interrupts on Ctrl-C. */
export class Terminal {
  readonly #output: (bytes: Uint8Array) => Promise<void>;
  readonly #input = new ByteInbox();
  #line: number[] = [];
  #foreground: AbortController | undefined;
  #wasEnded = false;

  constructor(output: (bytes: Uint8Array) => Promise<void>) {
    this.#output = output;
  }

  /** Lines as the process reads them. */
  get input(): AsyncIterable<Uint8Array> {
    return this.#input;
  }

  /** Whether Ctrl-D was typed, rather than the connection ended. */
  get wasEnded(): boolean {
    return this.#wasEnded;
  }

  /** For the next program: a signal that aborts on Ctrl-C. */
  foreground(signal: AbortSignal): AbortSignal {
    this.#foreground = new AbortController();
    return AbortSignal.any([signal, this.#foreground.signal]);
  }

  /** The program has ended. */
  background(): void {
    this.#foreground = undefined;
  }

  /** Turns line feeds into carriage return and line feed. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#output(Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('\n', '\r\n'), 'latin1'));
  }

  /** Reads keys until the end of the input. */
  async run(keys: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const bytes of keys) {
        for (const key of bytes) await this.#key(key);
        if (this.#wasEnded) break;
      }
    } finally {
      this.#input.finish();
    }
  }

  async #key(key: number): Promise<void> {
    if (key === INTERRUPT) {
      this.#line = [];
      await this.write(Buffer.from('^C\n'));
      if (this.#foreground === undefined) await this.#input.deliver(Buffer.from('\n'));
      else this.#foreground.abort();
    } else if (key === END) {
      if (this.#line.length > 0) return;
      this.#wasEnded = true;
      this.#input.finish();
    } else if (key === BACKSPACE || key === DELETE) {
      if (this.#line.pop() !== undefined) await this.#output(Buffer.from('\b \b'));
    } else if (key === RETURN || key === NEWLINE) {
      await this.write(Buffer.from('\n'));
      await this.#input.deliver(Buffer.from([...this.#line, NEWLINE]));
      this.#line = [];
    } else if (this.#line.length < MAX_LINE_BYTES && (key >= 0x20 || key === 0x09)) {
      this.#line.push(key);
      await this.#output(Buffer.from([key]));
    }
  }
}
