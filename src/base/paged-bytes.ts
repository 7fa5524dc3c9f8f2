/** From this size on, whole pages waste little. */
const LEAST_PAGED_BYTES = 32 * 1024;

/**
 * The bytes of a text that is kept for long. They share no memory with others: a part of the pool that Node makes small
 * buffers of would keep all of it alive, eight times as much as most objects are. Large ones get memory pages of their own,
 * which go back to the operating system as soon as they are collected: the C library would keep what is freed between others
 * that live on.
 *
 * Bytes with pages are for copying, hashing and decoding only, or for `plainBytes`: a loop over them takes ten times as long
 * as over others, and whatever function does it is slow with all bytes from then on.
 */
export function pagedBytes(text: string): Uint8Array {
  const bytes = pagedRoom(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Room for bytes that wait, likewise; what is in it is not defined. */
export function pagedRoom(length: number): Buffer {
  if (length < LEAST_PAGED_BYTES) return Buffer.allocUnsafeSlow(length);
  return Buffer.from(new ArrayBuffer(length, { maxByteLength: length })); // V8 maps pages for resizable buffers
}

/** The same bytes to look at one by one: a copy, if they have pages of their own. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof ArrayBuffer && bytes.buffer.resizable ? Buffer.from(bytes) : bytes;
}
