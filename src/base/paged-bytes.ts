/** From this size on, whole pages waste little. */
const LEAST_PAGED_BYTES = 32 * 1024;

/**
 * The bytes of a text that is kept for long. Large ones get memory pages of their own, which go back to the operating system
 * as soon as they are collected: the C library would keep what is freed between others that live on.
 */
export function pagedBytes(text: string): Uint8Array {
  if (text.length < LEAST_PAGED_BYTES) return Buffer.from(text);
  const bytes = pagedRoom(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Room for so many bytes, likewise. What is in it is undefined. */
export function pagedRoom(length: number): Buffer {
  if (length < LEAST_PAGED_BYTES) return Buffer.allocUnsafe(length);
  return Buffer.from(new ArrayBuffer(length, { maxByteLength: length })); // V8 maps pages for resizable buffers
}
