/** A number below 2¹³⁰ as ten limbs of 13 bits, lowest first, so that sums of products stay exact. */
type Limbs = Float64Array;

const LIMBS = 10;
const LIMB_BITS = 13;
const MASK = (1 << LIMB_BITS) - 1;
const BLOCK_BYTES = 16;

/** Poly1305 (RFC 8439, 2.5): the tag of a message under a key of 32 bytes that is used once. */
export function poly1305(message: Uint8Array, key: Uint8Array): Uint8Array {
  const clamped = key.slice(0, BLOCK_BYTES);
  for (const index of [3, 7, 11, 15]) clamped[index] = (clamped[index] ?? 0) & 15;
  for (const index of [4, 8, 12]) clamped[index] = (clamped[index] ?? 0) & 252;
  const factor = limbsOf(clamped, 0, 0);
  const sum = new Float64Array(LIMBS);
  for (let at = 0; at < message.length; at += BLOCK_BYTES) {
    const block = message.subarray(at, at + BLOCK_BYTES);
    const limbs = limbsOf(block, 1, block.length);
    for (let index = 0; index < LIMBS; index++) sum[index] = (sum[index] ?? 0) + (limbs[index] ?? 0);
    multiply(sum, factor);
  }
  return tagOf(sum, key.subarray(BLOCK_BYTES));
}

/** Bytes as a little-endian number, with `extra` as the byte after them. */
function limbsOf(bytes: Uint8Array, extra: number, extraAt: number): Limbs {
  const limbs = new Float64Array(LIMBS);
  const length = extra === 0 ? bytes.length : extraAt + 1;
  for (let index = 0; index < length; index++) {
    const byte = index < bytes.length ? (bytes[index] ?? 0) : extra;
    const bit = index * 8;
    const limb = Math.floor(bit / LIMB_BITS);
    const shifted = byte << (bit % LIMB_BITS);
    limbs[limb] = (limbs[limb] ?? 0) + (shifted & MASK);
    if (limb + 1 < LIMBS) limbs[limb + 1] = (limbs[limb + 1] ?? 0) + (shifted >>> LIMB_BITS);
  }
  return limbs;
}

/** `sum` times `factor` modulo 2¹³⁰ - 5, in place of `sum`. */
function multiply(sum: Limbs, factor: Limbs): void {
  const product = new Float64Array(LIMBS);
  for (let left = 0; left < LIMBS; left++) {
    const value = sum[left] ?? 0;
    for (let right = 0; right < LIMBS; right++) {
      const at = left + right;
      const part = value * (factor[right] ?? 0);
      if (at < LIMBS) product[at] = (product[at] ?? 0) + part;
      else product[at - LIMBS] = (product[at - LIMBS] ?? 0) + part * 5; // 2¹³⁰ is 5
    }
  }
  sum.set(product);
  carry(sum);
  carry(sum);
}

function carry(limbs: Limbs): void {
  let over = 0;
  for (let index = 0; index < LIMBS; index++) {
    const value = (limbs[index] ?? 0) + over;
    over = Math.floor(value / (MASK + 1));
    limbs[index] = value - over * (MASK + 1);
  }
  limbs[0] = (limbs[0] ?? 0) + over * 5;
}

function tagOf(sum: Limbs, pad: Uint8Array): Uint8Array {
  let number = 0n;
  for (let index = LIMBS - 1; index >= 0; index--) number = (number << BigInt(LIMB_BITS)) + BigInt(sum[index] ?? 0);
  number %= (1n << 130n) - 5n;
  let added = number + littleEndian(pad);
  const tag = new Uint8Array(BLOCK_BYTES);
  for (let index = 0; index < BLOCK_BYTES; index++, added >>= 8n) tag[index] = Number(added & 255n);
  return tag;
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((number, byte) => (number << 8n) + BigInt(byte), 0n);
}
