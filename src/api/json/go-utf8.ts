import { isUtf8 } from 'node:buffer';

/** Text from UTF-8 bytes as Go reads it: every byte that is part of no valid character becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(bytes) ? buffer.toString('utf8') : decodeBroken(buffer);
}

/** JavaScript's decoders replace a truncated character once; Go replaces each of its bytes. */
function decodeBroken(bytes: Buffer): string {
  let text = '';
  let valid = 0; // start of the valid stretch that ends at `at`
  let at = 0;
  while (at < bytes.length) {
    const length = characterLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    text += `${bytes.toString('utf8', valid, at)}\ufffd`;
    at += 1;
    valid = at;
  }
  return text + bytes.toString('utf8', valid, at);
}

/** How many bytes the character at `at` has; 0 when there is no valid one. */
function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  return isUtf8(bytes.subarray(at, at + length)) && at + length <= bytes.length ? length : 0;
}
