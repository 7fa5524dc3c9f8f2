import { StringDecoder } from 'node:string_decoder';
import { FileError } from '../file-tree.ts';
import { fail, pathOf, type ShellProcess, spend } from '../process.ts';

/** A line of text; the last one of an input may lack its end. */
export interface Line {
  readonly text: string;
  readonly hasEnd: boolean;
}

const MAX_LINE_CHARACTERS = 256 * 1024;

/** The content of a file, or the standard input for `-`. */
export async function* bytesOf(name: string, process: ShellProcess): AsyncGenerator<Uint8Array> {
  const path = pathOf(process, name);
  if (name !== '-' && path !== '/dev/stdin') {
    if (path === '/dev/null') return;
    const bytes = process.machine.files.read(path);
    await spend(process, bytes.length);
    yield bytes;
    return;
  }
  for await (const bytes of process.stdin) {
    if (process.signal.aborted) return;
    await spend(process, bytes.length);
    yield bytes;
  }
}

/** What reading a line costs, and each kilobyte of it. */
const STEPS_PER_LINE = 0.25;
const STEPS_AT_ONCE = 32;

/** The lines of some bytes. Counts the work on them, and waits when the process must. */
export async function* linesOf(input: AsyncIterable<Uint8Array>, { machine }: ShellProcess): AsyncGenerator<Line> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let steps = 0;
  for await (const bytes of input) {
    const text = rest + decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      yield { text: text.slice(start, end), hasEnd: true };
      steps += STEPS_PER_LINE + (end - start) / 1024;
      start = end + 1;
      if (steps < STEPS_AT_ONCE) continue;
      await machine.processor.take(steps);
      steps = 0;
    }
    rest = text.slice(start);
    if (rest.length > MAX_LINE_CHARACTERS) throw new Error('Cannot allocate memory');
  }
  rest += decoder.end();
  if (rest !== '') yield { text: rest, hasEnd: false };
}

/**
 * Calls `read` with the content of each file, or with the standard input when there is none. Prints an error for a file that
 * cannot be read, and goes on with the others; returns the exit code.
 */
export async function eachInput(
  names: readonly string[],
  {
    program,
    process,
    failure = 1,
  }: { readonly program: string; readonly process: ShellProcess; readonly failure?: number },
  read: (input: AsyncIterable<Uint8Array>, name: string) => Promise<void>,
): Promise<number> {
  let code = 0;
  for (const name of names.length === 0 ? ['-'] : names) {
    try {
      await read(bytesOf(name, process), name);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      code = await fail(process, `${program}: ${name}: ${error.message}`, failure);
    }
  }
  return code;
}

/** Collects output, so that many short lines are few writes. */
export class LineWriter {
  readonly #process: ShellProcess;
  #text = '';

  constructor(process: ShellProcess) {
    this.#process = process;
  }

  async write(text: string): Promise<void> {
    this.#text += text;
    if (this.#text.length > 8192) await this.flush();
  }

  async flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (text === '') return;
    await spend(this.#process, text.length);
    await this.#process.stdout(Buffer.from(text));
  }
}
