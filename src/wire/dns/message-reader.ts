import { MalformedMessageError } from './malformed-message.ts';
import { IS_ESCAPED, labelText, MAX_NAME_BYTES } from './name-text.ts';

const POINTER_BITS = 0xc0;
const DOT = 0x2e;

/**
 * Reads a message from its start to its end.
 *
 * Guarantees: no name is longer than 255 bytes, and a compression pointer only leads to an earlier place than the name it ends,
 * so that reading a name takes a bounded number of steps whatever the bytes are.
 */
export class MessageReader {
  readonly #bytes: Buffer;
  readonly #scratch = SCRATCH;
  offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.offset = offset;
  }

  get length(): number {
    return this.#bytes.length;
  }

  uint8(): number {
    const value = this.#bytes[this.offset];
    if (value === undefined) throw tooShort();
    this.offset += 1;
    return value;
  }

  uint16(): number {
    const at = this.offset;
    if (at + 2 > this.#bytes.length) throw tooShort();
    this.offset = at + 2;
    return ((this.#bytes[at] as number) << 8) | (this.#bytes[at + 1] as number);
  }

  uint32(): number {
    const high = this.uint16();
    return high * 0x1_0000 + this.uint16();
  }

  /** A view of the next bytes; it lives as long as the message. */
  bytes(count: number): Uint8Array {
    const end = this.offset + count;
    if (end > this.#bytes.length) throw tooShort();
    const view = this.#bytes.subarray(this.offset, end);
    this.offset = end;
    return view;
  }

  /** The next name, as text. */
  name(): string {
    const bytes = this.#bytes;
    const scratch = this.#scratch;
    let at = this.offset;
    let end = -1;
    let lowest = at;
    let length = 0;
    let text: string | undefined;
    for (;;) {
      const size = bytes[at];
      if (size === undefined) throw tooShort();
      if (size === 0) {
        at += 1;
        break;
      }
      if (size >= POINTER_BITS) {
        const low = bytes[at + 1];
        if (low === undefined) throw tooShort();
        if (end < 0) end = at + 2;
        at = ((size & 0x3f) << 8) | low;
        if (at >= lowest) throw new MalformedMessageError('Cannot read name: a compression pointer does not lead back');
        lowest = at;
        continue;
      }
      if (size > 0x3f) throw new MalformedMessageError(`Cannot read name: label of the reserved type ${size >> 6}`);
      const labelEnd = at + 1 + size;
      if (labelEnd > bytes.length) throw tooShort();
      if (length + size + 2 > MAX_NAME_BYTES) throw new MalformedMessageError('Cannot read name: more than 255 bytes');
      if (text === undefined) {
        let isPlain = true;
        for (let from = at + 1, to = length; from < labelEnd; from++, to++) {
          const byte = bytes[from] as number;
          if (IS_ESCAPED[byte] === 1) isPlain = false;
          scratch[to] = byte;
        }
        scratch[length + size] = DOT;
        if (!isPlain) text = `${scratch.toString('latin1', 0, length)}${labelText(bytes, at + 1, labelEnd)}.`;
      } else {
        text += `${labelText(bytes, at + 1, labelEnd)}.`;
      }
      length += size + 1;
      at = labelEnd;
    }
    this.offset = end < 0 ? at : end;
    if (text !== undefined) return text;
    return length === 0 ? '.' : scratch.toString('latin1', 0, length);
  }
}

/** Holds one name while it is read; reading is not interrupted. */
const SCRATCH = Buffer.alloc(MAX_NAME_BYTES);

function tooShort(): MalformedMessageError {
  return new MalformedMessageError('Cannot read message: it ends too early');
}
