// The part of DER (ITU-T X.690) that certificates need.

/** The tag, the content and the end of one encoded value. */
interface Element {
  readonly content: Buffer;
  readonly end: number;
}

/** The elements inside a constructed one, each with its tag and length. */
export function childrenOf(element: Buffer): Buffer[] {
  const { content } = readElement(element, 0);
  const children: Buffer[] = [];
  for (let start = 0; start < content.length;) {
    const { end } = readElement(content, start);
    children.push(content.subarray(start, end));
    start = end;
  }
  return children;
}

/** The content of an element, without its tag and length. */
export function contentOf(element: Buffer): Buffer {
  return readElement(element, 0).content;
}

/** How many bytes the first element has, with its tag and length. */
export function lengthOfElement(bytes: Buffer): number {
  return readElement(bytes, 0).end;
}

function readElement(bytes: Buffer, start: number): Element {
  const first = bytes[start + 1] ?? 0;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 4 || first === 0x80 || start + 2 + lengthBytes > bytes.length)
    throw new RangeError(`Cannot read DER: no length at byte ${start + 1}`);
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(start + 2, lengthBytes);
  const from = start + 2 + lengthBytes;
  if (from + length > bytes.length) throw new RangeError(`Cannot read DER: it ends before byte ${from + length}`);
  return { content: bytes.subarray(from, from + length), end: from + length };
}

/** The value of a small integer. */
export function integerOf(element: Buffer): number {
  const content = contentOf(element);
  return content.length === 0 || content.length > 6 ? Number.NaN : content.readIntBE(0, content.length);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

export function set(...parts: readonly Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(parts));
}

/** A value preceded by its tag and length. */
export function tagged(tag: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(value.length), value]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** A non-negative integer, given as big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const value = Buffer.from(bytes.subarray(start));
  const needsSignByte = ((value[0] ?? 0) & 0x80) !== 0;
  return tagged(0x02, needsSignByte ? Buffer.concat([Buffer.from([0]), value]) : value);
}

/** An object identifier, given as `1.2.840.10045.4.3.2`. */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80);
  return bytes;
}

export function utf8String(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text, 'utf8'));
}

export function octetString(value: Buffer): Buffer {
  return tagged(0x04, value);
}

/** Whole bytes; the last `unusedBits` bits are not part of the value. */
export function bitString(value: Buffer, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([unusedBits]), value]));
}

export function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

/** `[number]` with a constructed value. */
export function context(number: number, value: Buffer): Buffer {
  return tagged(0xa0 | number, value);
}

/** UTCTime until 2049 and GeneralizedTime after, as RFC 5280 requires. */
export function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  const isShort = Number(text.slice(0, 4)) < 2050;
  return tagged(isShort ? 0x17 : 0x18, Buffer.from(isShort ? text.slice(2) : text, 'latin1'));
}
