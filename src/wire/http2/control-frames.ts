import { Buffer } from 'node:buffer';
import { FLAG, FRAME, FRAME_HEAD_BYTES } from './protocol.ts';

/** A whole frame of a few bytes. */
export function controlFrame(typeAndFlags: number, stream: number, payload: Uint8Array | readonly number[]): Buffer {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + payload.length);
  frame.writeUIntBE(payload.length, 0, 3);
  frame.writeUInt16BE(typeAndFlags, 3);
  frame.writeUInt32BE(stream, 5);
  frame.set(payload, FRAME_HEAD_BYTES);
  return frame;
}

export function settingsFrame(settings: readonly (readonly [setting: number, value: number])[]): Buffer {
  const payload = settings.flatMap(([setting, value]) => [0, setting, ...uint32(value)]);
  return controlFrame(FRAME.settings << 8, 0, payload);
}

export function settingsAck(): Buffer {
  return controlFrame((FRAME.settings << 8) | FLAG.ack, 0, []);
}

export function pingAck(payload: Uint8Array): Buffer {
  return controlFrame((FRAME.ping << 8) | FLAG.ack, 0, payload);
}

export function resetFrame(stream: number, code: number): Buffer {
  return controlFrame(FRAME.resetStream << 8, stream, uint32(code));
}

export function windowFrame(stream: number, bytes: number): Buffer {
  return controlFrame(FRAME.windowUpdate << 8, stream, uint32(bytes));
}

export function goawayFrame(lastStream: number, code: number): Buffer {
  return controlFrame(FRAME.goaway << 8, 0, [...uint32(lastStream), ...uint32(code)]);
}

/** The head of an informational response: a literal that enters no table. */
export function informationFrame(stream: number, code: number): Buffer {
  const status = Buffer.from(String(code), 'latin1');
  return controlFrame((FRAME.headers << 8) | FLAG.endHeaders, stream, [0x08, status.length, ...status]);
}

function uint32(value: number): readonly number[] {
  return [(value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff];
}
