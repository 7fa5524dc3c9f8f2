import { Buffer } from 'node:buffer';

/** Types of frames (RFC 6455, section 5.2). */
export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Close codes (RFC 6455, section 7.4.1). */
export const CLOSE_CODE = {
  normal: 1000,
  goingAway: 1001,
  protocolError: 1002,
  noStatus: 1005,
  notUtf8: 1007,
  tooLarge: 1009,
  internalError: 1011,
} as const;

export const MASK_BYTES = 4;
const IS_MASKED = 0x80;

/** What precedes the payload of a whole message in one frame, as servers send it. */
export function frameHead(opcode: number, length: number): Buffer {
  const sizeBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const bytes = Buffer.allocUnsafe(2 + sizeBytes);
  bytes[0] = 0x80 | opcode;
  bytes[1] = sizeBytes === 0 ? length : sizeBytes === 2 ? 126 : 127;
  if (sizeBytes === 2) bytes.writeUInt16BE(length, 2);
  else if (sizeBytes === 8) bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
}

/** A whole message in one frame. Clients have to mask theirs, with unpredictable bytes; servers must not. */
export function frame(opcode: number, payload: Uint8Array, mask?: Uint8Array): Buffer {
  const { length } = payload;
  const sizeBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const start = 2 + sizeBytes + (mask === undefined ? 0 : MASK_BYTES);
  const bytes = Buffer.allocUnsafe(start + length);
  bytes[0] = 0x80 | opcode;
  bytes[1] = (mask === undefined ? 0 : IS_MASKED) | (sizeBytes === 0 ? length : sizeBytes === 2 ? 126 : 127);
  if (sizeBytes === 2) bytes.writeUInt16BE(length, 2);
  else if (sizeBytes === 8) bytes.writeBigUInt64BE(BigInt(length), 2);
  bytes.set(payload, start);
  if (mask !== undefined) {
    bytes.set(mask, start - MASK_BYTES);
    applyMask(bytes.subarray(start), mask, 0);
  }
  return bytes;
}

/** Below this length, a view of whole words costs more than it saves. */
const MIN_WORDS_BYTES = 64;

/** Masks or unmasks bytes in place; `offset` is the position of the first one in its frame. */
export function applyMask(bytes: Uint8Array, mask: Uint8Array, offset: number): void {
  let at = 0;
  if (bytes.length >= MIN_WORDS_BYTES) {
    while ((bytes.byteOffset + at) % 4 !== 0) at = maskByte(bytes, at, mask[(offset + at) & 3]);
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + at, (bytes.length - at) >> 2);
    const word = maskWord(mask, offset + at);
    for (let index = 0; index < words.length; index++) words[index] = (words[index] as number) ^ word;
    at += words.length * 4;
  }
  while (at < bytes.length) at = maskByte(bytes, at, mask[(offset + at) & 3]);
}

function maskByte(bytes: Uint8Array, at: number, mask = 0): number {
  bytes[at] = (bytes[at] as number) ^ mask;
  return at + 1;
}

/** The mask from this position on as a word, in the byte order of the machine. */
function maskWord(mask: Uint8Array, offset: number): number {
  const bytes = new Uint8Array(4);
  for (let index = 0; index < 4; index++) bytes[index] = mask[(offset + index) & 3] ?? 0;
  return new Int32Array(bytes.buffer)[0] ?? 0;
}

export function closeFrame(code: number, reason = '', mask?: Uint8Array): Buffer {
  if (code === CLOSE_CODE.noStatus) return frame(OPCODE.close, new Uint8Array(), mask);
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return frame(OPCODE.close, payload, mask);
}
