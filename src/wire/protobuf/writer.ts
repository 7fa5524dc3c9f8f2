/** The wire types in use. */
export const WIRE_VARINT = 0;
export const WIRE_FIXED64 = 1;
export const WIRE_BYTES = 2;
export const WIRE_START_GROUP = 3;
export const WIRE_END_GROUP = 4;
export const WIRE_FIXED32 = 5;

const MIN_CAPACITY = 256;
/** Strings up to this length are copied in JavaScript, which is faster than a call into native code. */
const SHORT_STRING = 40;
const MAX_VARINT_BYTES = 10;

/**
 * Writes protobuf messages, field by field, into a buffer that grows.
 *
 * Example: `writer.string(1, 'a'); const open = writer.begin(2); writer.int64(1, 5); writer.end(open);` writes
 * `{ 1: "a", 2: { 1: 5 } }`.
 */
export class ProtobufWriter {
  #buffer: Buffer;
  #at = 0;

  constructor(capacity = 1024) {
    this.#buffer = Buffer.allocUnsafe(Math.max(capacity, MIN_CAPACITY));
  }

  /** A copy of the written bytes. */
  finish(): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(this.#at);
    this.#buffer.copy(bytes, 0, 0, this.#at);
    return bytes;
  }

  string(number: number, text: string): void {
    this.#tag(number, WIRE_BYTES);
    const { length } = text;
    this.#reserve(MAX_VARINT_BYTES + length * 3);
    if (length <= SHORT_STRING && this.#writeAscii(text)) return;
    const size = Buffer.byteLength(text, 'utf8');
    this.#writeSmall(size);
    this.#buffer.write(text, this.#at, 'utf8');
    this.#at += size;
  }

  bytes(number: number, bytes: Uint8Array): void {
    this.#tag(number, WIRE_BYTES);
    this.#reserve(MAX_VARINT_BYTES + bytes.length);
    this.#writeSmall(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  bool(number: number, value: boolean): void {
    this.#tag(number, WIRE_VARINT);
    this.#buffer[this.#at++] = value ? 1 : 0;
  }

  /** An int32, int64 or enum: negative numbers take ten bytes. */
  int64(number: number, value: number | bigint): void {
    this.#tag(number, WIRE_VARINT);
    if (typeof value === 'number' && value >= 0 && value < 2 ** 31) this.#writeSmall(value);
    else this.#writeLarge(BigInt.asUintN(64, BigInt(value)));
  }

  uint64(number: number, value: number | bigint): void {
    this.int64(number, value);
  }

  double(number: number, value: number): void {
    this.#tag(number, WIRE_FIXED64);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  /** The tag of a field whose value the caller writes next, with one of the methods below. */
  tag(number: number, wireType: number): void {
    this.#tag(number, wireType);
  }

  varint(value: number | bigint): void {
    this.#reserve(MAX_VARINT_BYTES);
    if (typeof value === 'number' && value >= 0 && value < 2 ** 31) this.#writeSmall(value);
    else this.#writeLarge(BigInt.asUintN(64, BigInt(value)));
  }

  fixed32(value: number): void {
    this.#reserve(4);
    this.#at = this.#buffer.writeUInt32LE(value >>> 0, this.#at);
  }

  fixed64(value: bigint): void {
    this.#reserve(8);
    this.#at = this.#buffer.writeBigUInt64LE(BigInt.asUintN(64, value), this.#at);
  }

  float(value: number): void {
    this.#reserve(4);
    this.#at = this.#buffer.writeFloatLE(value, this.#at);
  }

  fixedDouble(value: number): void {
    this.#reserve(8);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  /** Starts a nested message, which contains everything written until `end`. */
  begin(number: number): number {
    this.#tag(number, WIRE_BYTES);
    return this.#at++; // one byte for its length, which is enough for most
  }

  end(open: number): void {
    const start = open + 1;
    let size = this.#at - start;
    if (size < 0x80) {
      this.#buffer[open] = size;
      return;
    }
    const extra = varintSize(size) - 1;
    this.#reserve(extra);
    this.#buffer.copyWithin(start + extra, start, this.#at);
    this.#at += extra;
    let at = open;
    for (; size > 0x7f; size >>>= 7) this.#buffer[at++] = (size & 0x7f) | 0x80;
    this.#buffer[at] = size;
  }

  /** Bytes that are already encoded, or that precede the message. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Also ensures that a varint or a fixed value fits behind it. */
  #tag(number: number, wireType: number): void {
    this.#reserve(MAX_VARINT_BYTES * 2);
    this.#writeSmall((number << 3) | wireType);
  }

  /** A varint below 2^31; there must be room for it. */
  #writeSmall(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#buffer[this.#at++] = (rest & 0x7f) | 0x80;
    this.#buffer[this.#at++] = rest;
  }

  #writeLarge(value: bigint): void {
    let low = Number(value & 0xffff_ffffn);
    let high = Number(value >> 32n);
    while (high > 0 || low > 0x7f) {
      this.#buffer[this.#at++] = (low & 0x7f) | 0x80;
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    this.#buffer[this.#at++] = low;
  }

  /** Writes a short text with its length; false when it is not ASCII. */
  #writeAscii(text: string): boolean {
    const start = this.#at + 1;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      this.#buffer[start + index] = code;
    }
    this.#buffer[this.#at] = text.length;
    this.#at = start + text.length;
    return true;
  }

  #reserve(size: number): void {
    const needed = this.#at + size;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) size += 1;
  return size;
}
