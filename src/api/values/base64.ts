import { ValueError } from './value-error.ts';

const PADDING = 0x3d;

/** Decodes standard base64 with Go's rules: padding is required, line breaks are skipped, unused trailing bits may be set. */
export function decodeBase64(text: string): Uint8Array | ValueError {
  const bytes = Buffer.from(text, 'base64');
  if (isEncodingOf(bytes, text)) return bytes;
  const problem = findIllegalByte(text);
  return problem === undefined ? bytes : new ValueError(`illegal base64 data at input byte ${problem}`);
}

/** Encodes bytes as they appear in JSON: standard alphabet, padded. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The canonical form of `text` in a bytes field; the same string if it is canonical already. */
export function canonicalBase64(text: string): string | ValueError {
  const bytes = decodeBase64(text);
  return bytes instanceof ValueError ? bytes : encodeBase64(bytes);
}

function isEncodingOf(bytes: Buffer, text: string): boolean {
  return Math.ceil(bytes.length / 3) * 4 === text.length && bytes.toString('base64') === text;
}

/** The UTF-8 byte at which Go's decoder stops; undefined if it does not. */
function findIllegalByte(text: string): number | undefined {
  const source = Buffer.from(text, 'utf8');
  let held = 0; // characters of the current group of four
  for (let at = 0; at < source.length; at++) {
    const code = source[at] ?? 0;
    if (isLineBreak(code)) continue;
    if (isDigit64(code)) {
      held = (held + 1) % 4;
    } else if (code === PADDING && held >= 2) {
      return findIllegalPadding(source, at, held);
    } else {
      return at;
    }
  }
  // Go counts the group's characters back from the end, regardless of line breaks.
  return held === 0 ? undefined : source.length - held;
}

/** `at` is the first padding character, after `held` (2 or 3) characters of a group. */
function findIllegalPadding(source: Buffer, at: number, held: number): number | undefined {
  let next = skipLineBreaks(source, at + 1);
  if (held === 2) {
    if (next === source.length) return source.length;
    if (source[next] !== PADDING) return next - 1;
    next = skipLineBreaks(source, next + 1);
  }
  return next < source.length ? next : undefined;
}

function skipLineBreaks(source: Buffer, from: number): number {
  let at = from;
  while (at < source.length && isLineBreak(source[at] ?? 0)) at++;
  return at;
}

function isLineBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d;
}

function isDigit64(code: number): boolean {
  return (
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2b ||
    code === 0x2f
  );
}
