import { Buffer } from 'node:buffer';
import type { LogEntry } from '../runtime/index.ts';

const NEWLINE = 10;
const SPACE = 32;
/** Time, stream and tags of a line take less than this. */
const MAX_HEAD_BYTES = 256;

type Head = Pick<LogEntry, 'time' | 'stream'> & { readonly isPartial: boolean };

/**
 * Parses the log file of a container while it is read, in pieces of any size. A long line becomes several entries, so that the parser
 * never holds more than the head of a line. Lines of another form are left out.
 *
 * Example: `2026-01-01T00:00:00.5Z stdout P te` and then `xt\n` become the entries `te` and `xt`, neither of which ends a line: `P` says
 * that the next line of the file continues this one.
 */
export class LogParser {
  /** The beginning of a line whose head has not been read completely. */
  #rest: Buffer = Buffer.alloc(0);
  /** The head of the line that is being read; null while a line of another form is skipped. */
  #head: Head | null | undefined;

  *parse(bytes: Buffer): Generator<LogEntry> {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#rest = EMPTY;
    for (let at = 0; at < all.length;) {
      const newline = all.indexOf(NEWLINE, at);
      const end = newline < 0 ? all.length : newline;
      let start = at;
      if (this.#head === undefined) {
        const content = contentStart(all, at, end);
        if (content === undefined && newline < 0 && end - at <= MAX_HEAD_BYTES) {
          this.#rest = all.subarray(at);
          return;
        }
        this.#head = content === undefined ? null : headOf(all.toString('latin1', at, content - 1));
        start = content ?? end;
      }
      const head = this.#head;
      if (head !== null) {
        const isLineEnd = newline >= 0 && !head.isPartial;
        if (start < end || isLineEnd)
          yield { time: head.time, stream: head.stream, content: all.subarray(start, end), isLineEnd };
      }
      if (newline >= 0) this.#head = undefined;
      at = end + 1;
    }
  }
}

const EMPTY = Buffer.alloc(0);

/** Where the content of a line begins: after its third space. */
function contentStart(bytes: Buffer, from: number, end: number): number | undefined {
  let at = from;
  for (let spaces = 0; spaces < 3; spaces++) {
    const space = bytes.indexOf(SPACE, at);
    if (space < 0 || space >= end || space - from > MAX_HEAD_BYTES) return undefined;
    at = space + 1;
  }
  return at;
}

/** `2026-01-01T00:00:00.000000000Z stdout F`: time, stream, and tags, of which the first is `P` for a part of a line. */
function headOf(text: string): Head | null {
  const [written = '', stream, tags = ''] = text.split(' ');
  const time = inNanoseconds(written);
  if (time === undefined || (stream !== 'stdout' && stream !== 'stderr')) return null;
  return { time, stream, isPartial: tags.split(':')[0] === 'P' };
}

const FULL_LENGTH = '2026-01-01T00:00:00.000000000Z'.length;
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Runtimes leave out zeros at the end of the fraction; clients get all nine digits. */
function inNanoseconds(time: string): string | undefined {
  const parts = TIME.exec(time);
  if (parts === null) return undefined;
  if (time.length === FULL_LENGTH && parts[3] === 'Z') return time;
  const [, seconds = '', fraction = '', zone = ''] = parts;
  return `${seconds}.${fraction.padEnd(9, '0')}${zone}`;
}
