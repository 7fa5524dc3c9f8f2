import { isUtf8 } from 'node:buffer';

/** Decodes UTF-8 as Go does: every byte that is not part of a valid character becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) return decodeBroken(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** JavaScript's decoders replace a truncated character once; Go replaces each of its bytes. */
function decodeBroken(bytes: Uint8Array): string {
  const repaired = Buffer.allocUnsafe(bytes.length * 3);
  let end = 0;
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at);
    if (length === 0) {
      end = repaired.writeUIntBE(REPLACEMENT, end, 3);
      at += 1;
    }
    for (let copied = 0; copied < length; copied++) repaired[end++] = bytes[at++] as number;
  }
  return repaired.toString('utf8', 0, end);
}

/** U+FFFD in UTF-8. */
const REPLACEMENT = 0xefbfbd;

/** The length of the character at `at`; 0 if it is invalid. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  const second = bytes[at + 1] ?? 0;
  const isShortForm = (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90);
  const isNoCharacter = (first === 0xed && second > 0x9f) || (first === 0xf4 && second > 0x8f);
  if (isShortForm || isNoCharacter) return 0;
  for (let index = 1; index < length; index++) if (((bytes[at + index] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}
