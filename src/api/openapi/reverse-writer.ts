/**
 * Writes protobuf from its end to its start: a message's length is known by the time it is written, so that nothing has
 * to be measured beforehand. Fields are to be written in descending order of number.
 */
export class ReverseWriter {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #start = this.#buffer.length;

  /** Where the next byte will be written, counted from the end. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** What has been written so far, for good; the writer begins anew. */
  take(): Uint8Array {
    const written = this.#buffer.subarray(this.#start);
    this.#start = this.#buffer.length;
    return Uint8Array.prototype.slice.call(written);
  }

  /** Bytes that are written already, tag and all. */
  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#start -= value.length;
    this.#buffer.set(value, this.#start);
  }

  string(number: number, value: string): void {
    const size = Buffer.byteLength(value);
    this.#reserve(size);
    this.#start -= size;
    this.#buffer.write(value, this.#start);
    this.#lengthAndTag(number, size);
  }

  bool(number: number, value: boolean): void {
    this.#varint(value ? 1 : 0);
    this.#varint(number * 8);
  }

  /** A whole number that is not negative. */
  integer(number: number, value: number): void {
    this.#varint(value);
    this.#varint(number * 8);
  }

  double(number: number, value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#buffer.writeDoubleLE(value, this.#start);
    this.#varint(number * 8 + 1);
  }

  message(number: number, write: () => void): void {
    const before = this.length;
    write();
    this.#lengthAndTag(number, this.length - before);
  }

  #lengthAndTag(number: number, size: number): void {
    this.#varint(size);
    this.#varint(number * 8 + 2);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
    this.#start -= size;
    let position = this.#start;
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#buffer[position++] = (rest % 128) + 128;
    this.#buffer[position] = rest;
  }

  #reserve(size: number): void {
    if (this.#start >= size) return;
    const larger = Buffer.allocUnsafe(this.#buffer.length * 2 + size);
    const start = larger.length - this.length;
    this.#buffer.copy(larger, start, this.#start);
    this.#buffer = larger;
    this.#start = start;
  }
}
