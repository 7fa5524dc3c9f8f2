const WORD = 2 ** 32;

/** Writes a whole number up to 2^53 as eight bytes, lowest first; returns the offset after it. */
export function writeU64(into: Buffer, value: number, offset: number): number {
  into.writeUInt32LE(value % WORD, offset);
  return into.writeUInt32LE(Math.floor(value / WORD), offset + 4);
}

export function readU64(from: Buffer, offset: number): number {
  return from.readUInt32LE(offset + 4) * WORD + from.readUInt32LE(offset);
}
