const ROUNDS = 20;
const BLOCK_BYTES = 64;
/** `expand 32-byte k` as words. */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;
/** Where the words of constants, key and nonce stand in a block. */
const CONSTANT_AT = [0, 5, 10, 15] as const;
const KEY_AT = [1, 2, 3, 4, 11, 12, 13, 14] as const;
const NONCE_AT = [6, 7, 8, 9] as const;

/** The four quarter rounds on the columns and the four on the rows of a block. */
const QUARTERS = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;

/** XSalsa20 (D. J. Bernstein, Extending the Salsa20 nonce): a stream of `length` bytes from a key of 32 and a nonce of 24 bytes. */
export function xsalsa20(key: Uint8Array, nonce: Uint8Array, length: number): Uint8Array {
  const subkey = mixed(blockOf(wordsOf(key), wordsOf(nonce.subarray(0, 16))));
  const derived = [...CONSTANT_AT, ...NONCE_AT].map((at) => subkey[at] ?? 0);
  const [low = 0, high = 0] = wordsOf(nonce.subarray(16, 24));
  const stream = new DataView(new ArrayBuffer(Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES));
  for (let at = 0, counter = 0; at < length; at += BLOCK_BYTES, counter++) {
    const start = blockOf(derived, [low, high, counter, 0]);
    const end = mixed(start);
    for (let index = 0; index < end.length; index++)
      stream.setUint32(at + index * 4, ((end[index] ?? 0) + (start[index] ?? 0)) >>> 0, true);
  }
  return new Uint8Array(stream.buffer, 0, length);
}

function blockOf(key: readonly number[], nonce: readonly number[]): Int32Array {
  const block = new Int32Array(16);
  CONSTANT_AT.forEach((at, index) => (block[at] = CONSTANTS[index] ?? 0));
  KEY_AT.forEach((at, index) => (block[at] = key[index] ?? 0));
  NONCE_AT.forEach((at, index) => (block[at] = nonce[index] ?? 0));
  return block;
}

function mixed(start: Int32Array): Int32Array {
  const words = start.slice();
  for (let round = 0; round < ROUNDS; round += 2) {
    for (const [first, second, third, fourth] of QUARTERS) {
      turn(words, second, rotated(at(words, first) + at(words, fourth), 7));
      turn(words, third, rotated(at(words, second) + at(words, first), 9));
      turn(words, fourth, rotated(at(words, third) + at(words, second), 13));
      turn(words, first, rotated(at(words, fourth) + at(words, third), 18));
    }
  }
  return words;
}

function at(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}

function turn(words: Int32Array, index: number, by: number): void {
  words[index] = at(words, index) ^ by;
}

function rotated(value: number, by: number): number {
  return (value << by) | (value >>> (32 - by));
}

function wordsOf(bytes: Uint8Array): readonly number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 4 }, (_unused, index) => view.getUint32(index * 4, true));
}
