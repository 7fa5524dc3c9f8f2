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

/** Masks or unmasks bytes in place; `offset` is the position of the first one in its frame. */
export function applyMask(bytes: Uint8Array, mask: Uint8Array, offset: number): void {
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = (bytes[index] as number) ^ (mask[(offset + index) & 3] as number);
  }
}

export function closeFrame(code: number, reason = '', mask?: Uint8Array): Buffer {
  if (code === CLOSE_CODE.noStatus) return frame(OPCODE.close, new Uint8Array(), mask);
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return frame(OPCODE.close, payload, mask);
}
