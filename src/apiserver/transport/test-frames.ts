// Frames of HTTP/2 (RFC 9113), made by hand for clients that do what no library does.
import { Buffer } from 'node:buffer';

export function preface(): Buffer {
  return Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(0x04, 0, Buffer.alloc(0))]);
}

export function frame(type: number, stream: number, payload: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export interface Frame {
  readonly type: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + 9 <= bytes.length;) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    frames.push({
      type: bytes.readUInt8(at + 3),
      stream: bytes.readUInt32BE(at + 5),
      payload: bytes.subarray(at + 9, end),
    });
    at = end;
  }
  return frames;
}

/** The reason in the last GOAWAY frame. */
export function goawayCode(bytes: Buffer): number | undefined {
  return framesIn(bytes)
    .findLast(({ type }) => type === 0x07)
    ?.payload.readUInt32BE(4);
}
