/** From this size on, rounding up to whole pages wastes little. */
const MIN_PAGED_BYTES = 32 * 1024;

/**
 * The UTF-8 bytes of a text that is kept for long. They share no memory with other buffers: a slice of Node's pool for small
 * buffers would keep the whole pool alive, eight times the size of most objects. Large texts get their own memory pages,
 * which return to the operating system as soon as they are collected: the C library would keep memory that is freed between
 * live blocks.
 *
 * Only copy, hash and decode paged bytes, or call `plainBytes` first: a loop over them takes ten times as long, and a
 * function that has once seen them stays slow for all bytes.
 */
export function pagedBytes(text: string): Uint8Array {
  const bytes = pagedRoom(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Uninitialized memory for bytes that wait, with the same page rule. */
export function pagedRoom(length: number): Buffer {
  if (length < MIN_PAGED_BYTES) return Buffer.allocUnsafeSlow(length);
  return Buffer.from(new ArrayBuffer(length, { maxByteLength: length })); // V8 maps pages for resizable buffers
}

/** The same bytes for a loop over them: a copy if they are paged. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof ArrayBuffer && bytes.buffer.resizable ? Buffer.from(bytes) : bytes;
}
