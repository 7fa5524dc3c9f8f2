/** From this size on, whole pages waste little. */
const LEAST_PAGED_BYTES = 32 * 1024;

/**
 * The bytes of a text that is kept for long. Large ones get memory pages of their own, which go back to the operating system
 * as soon as they are collected: the C library would keep what is freed between others that live on.
 *
 * Such bytes are for copying, hashing and decoding only: a loop over them takes ten times as long as over others, and
 * whatever function does it is slow with all bytes from then on.
 */
export function pagedBytes(text: string): Uint8Array {
  if (text.length < LEAST_PAGED_BYTES) return Buffer.from(text);
  const length = Buffer.byteLength(text);
  const bytes = Buffer.from(new ArrayBuffer(length, { maxByteLength: length })); // V8 maps pages for resizable buffers
  bytes.write(text);
  return bytes;
}
