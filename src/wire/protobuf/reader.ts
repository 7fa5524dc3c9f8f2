import { isUtf8 } from 'node:buffer';
import { DecodeError } from '../../base/index.ts';
import { WIRE_BYTES, WIRE_END_GROUP, WIRE_FIXED32, WIRE_FIXED64, WIRE_START_GROUP, WIRE_VARINT } from './writer.ts';

/** The nesting limit of JSON, see `decodeJson`. */
const MAX_DEPTH = 1000;

/**
 * Reads protobuf messages field by field.
 *
 * Every method throws a DecodeError with the message of Go's generated decoders when the bytes are invalid; none reads
 * beyond the end or allocates more than there are bytes.
 *
 * Example: `while (reader.hasMore(end)) { const tag = reader.tag(); if (tag >>> 3 === 1) … else reader.skip(tag); }`
 */
export class ProtobufReader {
  readonly #buffer: Buffer;
  #at: number;
  #depth = 0;

  constructor(bytes: Uint8Array, start = 0) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = start;
  }

  get length(): number {
    return this.#buffer.length;
  }

  /** Whether there are more fields before `end`; throws when the last one went beyond it. */
  hasMore(end: number): boolean {
    if (this.#at > end) throw unexpectedEnd();
    return this.#at < end;
  }

  /** Field number and wire type in one: `number << 3 | wireType`. */
  tag(): number {
    const tag = this.#varint32();
    if (tag >>> 3 === 0) throw malformed(`proto: illegal tag 0 (wire type ${tag})`);
    if ((tag & 7) === WIRE_END_GROUP) throw malformed('proto: wiretype end group for non-group');
    return tag;
  }

  bool(): boolean {
    const value = this.int64();
    return value !== 0;
  }

  int32(): number {
    return this.#varint32() | 0;
  }

  /** A number where that is exact, else a bigint. */
  int64(): number | bigint {
    const first = this.#buffer[this.#at];
    if (first !== undefined && first < 0x80) {
      this.#at += 1;
      return first;
    }
    const { low, high } = this.#varint64();
    const signed = high | 0;
    if (signed >= -0x20_0000 && signed < 0x20_0000) {
      const number = signed * 0x1_0000_0000 + low;
      if (Number.isSafeInteger(number)) return number;
    }
    return (BigInt(signed) << 32n) | BigInt(low);
  }

  fixed32(): number {
    const start = this.#take(4);
    return this.#buffer.readUInt32LE(start);
  }

  fixed64(): bigint {
    const start = this.#take(8);
    return this.#buffer.readBigUInt64LE(start);
  }

  float(): number {
    const start = this.#take(4);
    return this.#buffer.readFloatLE(start);
  }

  double(): number {
    const start = this.#take(8);
    return this.#buffer.readDoubleLE(start);
  }

  string(): string {
    const size = this.#size();
    const start = this.#take(size);
    const text = this.#buffer.toString('utf8', start, start + size);
    // as many characters as bytes: all ASCII; otherwise U+FFFD may be in the text or replace invalid bytes
    if (text.length !== size || text.includes('\ufffd')) this.#checkUtf8(text, start, size);
    return text;
  }

  #checkUtf8(text: string, start: number, size: number): void {
    if (text.includes('\ufffd') && !isUtf8(this.#buffer.subarray(start, start + size))) throw invalidUtf8();
  }

  /** A view of the bytes, not a copy. */
  bytes(): Uint8Array {
    const size = this.#size();
    const start = this.#take(size);
    return this.#buffer.subarray(start, start + size);
  }

  /** Starts reading a nested message; returns where it ends. */
  begin(): number {
    const size = this.#size();
    if (size > this.#buffer.length - this.#at) throw unexpectedEnd();
    return this.#at + size;
  }

  /** Called around messages that may be nested without limit. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new DecodeError('depth', 'exceeded max depth');
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** Skips the value of a field. */
  skip(tag: number): void {
    let depth = 0;
    let wireType = tag & 7;
    for (;;) {
      if (wireType === WIRE_START_GROUP) depth += 1;
      else if (wireType === WIRE_END_GROUP) depth -= 1;
      else this.#skipValue(wireType);
      if (depth < 0) throw malformed('proto: unexpected end of group');
      if (depth === 0) return;
      wireType = this.#varint32() & 7;
    }
  }

  #skipValue(wireType: number): void {
    switch (wireType) {
      case WIRE_VARINT:
        this.#varint64();
        return;
      case WIRE_FIXED64:
        this.#take(8);
        return;
      case WIRE_BYTES:
        this.#take(this.#size());
        return;
      case WIRE_FIXED32:
        this.#take(4);
        return;
      default:
        throw malformed(`proto: illegal wireType ${wireType}`);
    }
  }

  /** Advances by `size` bytes; returns where they start. */
  #take(size: number): number {
    const start = this.#at;
    if (size > this.#buffer.length - start) throw unexpectedEnd();
    this.#at = start + size;
    return start;
  }

  #size(): number {
    const first = this.#buffer[this.#at];
    if (first !== undefined && first < 0x80) {
      this.#at += 1;
      return first;
    }
    const { low, high } = this.#varint64();
    if (high >= 0x8000_0000) throw malformed('proto: negative length found during unmarshaling');
    return high * 0x1_0000_0000 + low;
  }

  #varint32(): number {
    const first = this.#buffer[this.#at];
    if (first !== undefined && first < 0x80) {
      this.#at += 1;
      return first;
    }
    return this.#varint64().low;
  }

  /** The two halves of a 64-bit number; further bits are dropped, as Go drops them. */
  #varint64(): { readonly low: number; readonly high: number } {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#buffer[this.#at];
      if (byte === undefined) throw unexpectedEnd();
      this.#at += 1;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) return { low: low >>> 0, high: high >>> 0 };
    }
    throw malformed('proto: integer overflow');
  }
}

/** Go's error for a field with an impossible wire type; `field` in Go's spelling. */
export function wrongWireType(wireType: number, field: string): DecodeError {
  return malformed(`proto: wrong wireType = ${wireType} for field ${field}`);
}

export function malformed(message: string): DecodeError {
  return new DecodeError('syntax', message);
}

function unexpectedEnd(): DecodeError {
  return malformed('unexpected EOF');
}

function invalidUtf8(): DecodeError {
  return malformed('proto: string field contains invalid UTF-8');
}
