const WORD = 2 ** 32;

/** Writes an integer up to 2^53 as eight bytes, little-endian; returns the offset after it. */
export function writeU64(into: Buffer, value: number, offset: number): number {
  into.writeUInt32LE(value % WORD, offset);
  return into.writeUInt32LE(Math.floor(value / WORD), offset + 4);
}

/** Avoids a product, which V8 would keep as a heap-allocated float however small it is. */
export function readU64(from: Buffer, offset: number): number {
  const high = from.readUInt32LE(offset + 4);
  const low = from.readUInt32LE(offset);
  return high === 0 ? low : high * WORD + low;
}
