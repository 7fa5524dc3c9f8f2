import { MalformedMessageError } from './malformed-message.ts';
import { labelError, MAX_LABEL_BYTES, MAX_NAME_BYTES, nameBytes, nameError } from './name-text.ts';
import { MAX_MESSAGE_BYTES } from './protocol-numbers.ts';

const DOT = 0x2e;
const BACKSLASH = 0x5c;
const POINTER = 0xc000;
/** A pointer has 14 bits. */
const MAX_POINTER = 0x3fff;
/** Room for the largest message and one more record of the largest size: a record is written first and measured then. */
const CAPACITY = 2 * MAX_MESSAGE_BYTES + 1024;

/** Names that are compared one by one; when there are more, their ends are indexed. */
const MAX_COMPARED = 6;

/**
 * Writes a message into a buffer of its own, compressing names.
 *
 * Example: after `a.b.` at 12, `c.b.` is written as the label `c` and a pointer to 14.
 */
export class MessageWriter {
  readonly #bytes = Buffer.allocUnsafe(CAPACITY);
  /** Names that were written, and where. A label takes one byte more on the wire and one more in text, so places in both go together. */
  readonly #names: string[] = [];
  readonly #offsets: number[] = [];
  /** How much of their text was written as labels: the rest is a pointer, and was written with an earlier name. */
  readonly #literals: number[] = [];
  /** Where ends of names were written; used when there are more than a few names. */
  readonly #suffixes = new Map<string, number>();
  /** How many of the names are indexed. */
  #indexed = 0;
  #last = '';
  #lastOffset = 0;
  /** Where the end of a name was written that `#findSuffix` has found. */
  #found = 0;
  offset = 0;

  /** Begins a new message; what was taken before stays as it is. */
  reset(): void {
    this.offset = 0;
    this.#last = '';
    this.#names.length = 0;
    this.#offsets.length = 0;
    this.#literals.length = 0;
    if (this.#indexed === 0) return;
    this.#suffixes.clear();
    this.#indexed = 0;
  }

  uint16(value: number): void {
    const bytes = this.#bytes;
    bytes[this.offset++] = value >>> 8;
    bytes[this.offset++] = value;
  }

  uint32(value: number): void {
    this.uint16(value >>> 16);
    this.uint16(value & 0xffff);
  }

  /** Writes over a word that was written before. */
  uint16At(offset: number, value: number): void {
    this.#bytes[offset] = value >>> 8;
    this.#bytes[offset + 1] = value;
  }

  bytes(bytes: Uint8Array): void {
    if (bytes.length <= 16) {
      for (let index = 0; index < bytes.length; index++) this.#bytes[this.offset + index] = bytes[index] as number;
    } else {
      this.#bytes.set(bytes, this.offset);
    }
    this.offset += bytes.length;
  }

  /** Writes a name, with a pointer in place of what was written before. */
  name(name: string): void {
    if (name === this.#last) {
      this.uint16(POINTER | this.#lastOffset);
      return;
    }
    if (name === '.') {
      this.#bytes[this.offset++] = 0;
      return;
    }
    const start = this.offset;
    const at = this.#names.length === 0 ? -1 : this.#findSuffix(name);
    if (at < 0) {
      this.#labels(name, name.length);
      this.#remember(name, start, name.length);
    } else {
      if (at > 0) this.#labels(name, at);
      this.uint16(POINTER | this.#found);
      if (at > 0) this.#remember(name, start, at);
    }
  }

  /** Writes a name without pointers; later names may point to it. */
  wholeName(name: string): void {
    const start = this.offset;
    if (name === '.') {
      this.#bytes[this.offset++] = 0;
      return;
    }
    this.#labels(name, name.length);
    this.#remember(name, start, name.length);
  }

  /** A copy of what was written from the start. */
  take(): Buffer {
    const message = Buffer.allocUnsafe(this.offset);
    this.#bytes.copy(message, 0, 0, this.offset);
    return message;
  }

  #remember(name: string, offset: number, literal: number): void {
    if (offset > MAX_POINTER || name.includes('\\')) return;
    this.#last = name;
    this.#lastOffset = offset;
    this.#names.push(name);
    this.#offsets.push(offset);
    this.#literals.push(literal);
  }

  /** Where in the name its longest end begins that was written before; -1 when there is none. */
  #findSuffix(name: string): number {
    if (name.includes('\\')) return -1; // places in its text and on the wire do not go together
    return this.#names.length <= MAX_COMPARED ? this.#compare(name) : this.#lookUp(name);
  }

  #compare(name: string): number {
    let best = -1;
    for (let index = 0; index < this.#names.length; index++) {
      const written = this.#names[index] as string;
      const at = commonEnd(name, written);
      if (at < 0 || (best >= 0 && at >= best)) continue;
      const place = written.length - name.length + at;
      const offset = (this.#offsets[index] as number) + place;
      if (offset > MAX_POINTER || place >= (this.#literals[index] as number)) continue;
      best = at;
      this.#found = offset;
    }
    return best;
  }

  #lookUp(name: string): number {
    for (; this.#indexed < this.#names.length; this.#indexed++)
      this.#index(this.#names[this.#indexed] as string, this.#offsets[this.#indexed] as number);
    for (let at = 0; at < name.length - 1; at = name.indexOf('.', at) + 1) {
      const offset = this.#suffixes.get(at === 0 ? name : name.slice(at));
      if (offset === undefined) continue;
      this.#found = offset;
      return at;
    }
    return -1;
  }

  #index(name: string, start: number): void {
    for (let at = 0; at < name.length - 1; at = name.indexOf('.', at) + 1) {
      const suffix = at === 0 ? name : name.slice(at);
      if (start + at > MAX_POINTER || this.#suffixes.has(suffix)) return; // what follows is a pointer, or indexed too
      this.#suffixes.set(suffix, start + at);
    }
  }

  /** Writes the labels up to a position of the name; at its end also the root's. */
  #labels(name: string, end: number): void {
    if (name.length >= MAX_NAME_BYTES && !name.includes('\\')) throw nameError(name);
    const bytes = this.#bytes;
    const start = this.offset;
    let lengthAt = start;
    for (let at = 0; at < end; at++) {
      const code = name.charCodeAt(at);
      if (code === DOT) {
        const length = start + at - lengthAt;
        if (length === 0 || length > MAX_LABEL_BYTES) throw labelError(name);
        bytes[lengthAt] = length;
        lengthAt = start + at + 1;
      } else if (code === BACKSLASH || code > 0xff) {
        this.bytes(nameBytes(name));
        return;
      } else {
        bytes[start + at + 1] = code;
      }
    }
    if (lengthAt !== start + end)
      throw new MalformedMessageError(`Cannot write name ${JSON.stringify(name)}: no last dot`);
    this.offset = lengthAt;
    if (end === name.length) this.#bytes[this.offset++] = 0;
  }
}

/** Where in `name` the longest end of whole labels begins that `other` has too; -1 when there is none. */
function commonEnd(name: string, other: string): number {
  let at = name.length - 1;
  let otherAt = other.length - 1;
  let found = -1;
  while (at > 0 && otherAt > 0) {
    const code = name.charCodeAt(--at);
    if (code !== other.charCodeAt(--otherAt)) return found;
    if (code === DOT) found = at + 1;
  }
  const isStart = at === 0 && (otherAt === 0 || other.charCodeAt(otherAt - 1) === DOT);
  if (isStart) return 0;
  return at > 0 && otherAt === 0 && name.charCodeAt(at - 1) === DOT ? at : found;
}
