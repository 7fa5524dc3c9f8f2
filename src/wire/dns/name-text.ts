import { MalformedMessageError } from './malformed-message.ts';

const DOT = 0x2e;
const BACKSLASH = 0x5c;
/** Bytes of a name on the wire, with lengths and the root's. */
export const MAX_NAME_BYTES = 255;
export const MAX_LABEL_BYTES = 63;

/** By byte: how it is written in the text of a label. */
const TEXT_OF_BYTE: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (`. '@;()"\\`.includes(character)) return `\\${character}`;
  return byte < 0x20 || byte > 0x7e ? `\\${String(byte).padStart(3, '0')}` : character;
});

/** By byte: 1 where a label's text is not the byte itself. */
export const IS_ESCAPED = Uint8Array.from(TEXT_OF_BYTE, (text) => (text.length > 1 ? 1 : 0));

/** The text of one label from its bytes, without a dot. */
export function labelText(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at++) text += TEXT_OF_BYTE[bytes[at] as number];
  return text;
}

/**
 * The labels of a name from left to right, as text; none for the root.
 *
 * Example: `a\.b.example.` has the labels `a\.b` and `example`.
 */
export function labelsOf(name: string): readonly string[] {
  if (name === '.' || name === '') return [];
  if (!name.includes('\\')) return (name.endsWith('.') ? name.slice(0, -1) : name).split('.');
  const labels: string[] = [];
  let start = 0;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === DOT) {
      labels.push(name.slice(start, at));
      start = at + 1;
    }
  }
  if (start < name.length) labels.push(name.slice(start));
  return labels;
}

/** The name with its last dot. */
export function absoluteName(name: string): string {
  return name.endsWith('.') && !isEscaped(name, name.length - 1) ? name : `${name}.`;
}

/**
 * Writes the labels of a name that has escapes from `offset` on, without the root's. Returns where they end.
 *
 * Throws MalformedMessageError for labels that are empty or too long, and for escapes that are none.
 */
export function writeEscapedLabels(name: string, target: Uint8Array, offset: number): number {
  let at = offset;
  for (const label of labelsOf(name)) {
    const lengthAt = at++;
    for (let index = 0; index < label.length; index++) {
      let code = label.charCodeAt(index);
      if (code === BACKSLASH) {
        const digits = /^[0-9]{3}/.exec(label.slice(index + 1, index + 4))?.[0];
        if (digits !== undefined) {
          code = Number(digits);
          index += 3;
        } else {
          index += 1;
          code = label.charCodeAt(index);
        }
      }
      if (!(code <= 0xff)) throw new MalformedMessageError(`Cannot write name ${JSON.stringify(name)}: not bytes`);
      target[at++] = code;
    }
    const length = at - lengthAt - 1;
    if (length === 0 || length > MAX_LABEL_BYTES) throw labelError(name);
    target[lengthAt] = length;
  }
  return at;
}

export function labelError(name: string): MalformedMessageError {
  return new MalformedMessageError(
    `Cannot write name ${JSON.stringify(name)}: labels have 1 to ${MAX_LABEL_BYTES} bytes`,
  );
}

/** Whether a name is the zone or below it. Both are in lower case and absolute. */
export function isWithin(name: string, zone: string): boolean {
  if (zone === '.') return true;
  if (!name.endsWith(zone)) return false;
  const before = name.length - zone.length - 1;
  return before < 0 || (name.charCodeAt(before) === DOT && !isEscaped(name, before));
}

/** Whether a backslash takes the meaning of the character: an odd number of them stands before it. */
function isEscaped(name: string, at: number): boolean {
  let start = at;
  while (start > 0 && name.charCodeAt(start - 1) === BACKSLASH) start -= 1;
  return (at - start) % 2 === 1;
}

/** A name as it travels, uncompressed. */
export function nameBytes(name: string): Uint8Array {
  const bytes = new Uint8Array(name.length + 2);
  const end = writeEscapedLabels(name, bytes, 0);
  if (end + 1 > MAX_NAME_BYTES) throw nameError(name);
  return bytes.subarray(0, end + 1);
}

export function nameError(name: string): MalformedMessageError {
  return new MalformedMessageError(
    `Cannot write name ${JSON.stringify(name)}: names have up to ${MAX_NAME_BYTES} bytes`,
  );
}
