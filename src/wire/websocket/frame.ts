import { Buffer } from 'node:buffer';

/** Kinds of frames (RFC 6455, section 5.2). */
export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Why a side closes (RFC 6455, section 7.4.1). */
export const CLOSE_CODE = { normal: 1000, protocolError: 1002 } as const;

/** A whole message in one frame, as servers send them: not masked. */
export function frame(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const head = length < 126 ? Buffer.alloc(2) : Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  if (length < 126) {
    head[1] = length;
  } else if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
}

export function closeFrame(code: number): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return frame(OPCODE.close, payload);
}
