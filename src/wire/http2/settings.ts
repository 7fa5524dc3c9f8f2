import type { Buffer } from 'node:buffer';
import { CODE, ConnectionError, DEFAULT_FRAME_BYTES, MAX_FRAME_BYTES, MAX_WINDOW_BYTES, SETTING } from './protocol.ts';

const SETTING_BYTES = 6;

/** HTTP/2 has six settings, and its extensions a few more. */
const MAX_SETTINGS = 64;

/** The client's settings that concern a server. */
export interface PeerSettings {
  readonly headerTableBytes: number | undefined;
  readonly initialWindowBytes: number | undefined;
  readonly maxFrameBytes: number | undefined;
}

/** Reads the payload of a SETTINGS frame; the last value of a repeated setting counts. */
export function readSettings(payload: Buffer): PeerSettings {
  if (payload.length % SETTING_BYTES !== 0) throw new ConnectionError(CODE.frameSizeError, 'A setting has 6 bytes');
  if (payload.length > MAX_SETTINGS * SETTING_BYTES)
    throw new ConnectionError(CODE.enhanceYourCalm, 'Too many settings');
  const values = new Map<number, number>();
  for (let at = 0; at < payload.length; at += SETTING_BYTES) {
    const setting = payload.readUInt16BE(at);
    const value = payload.readUInt32BE(at + 2);
    check(setting, value);
    values.set(setting, value);
  }
  return {
    headerTableBytes: values.get(SETTING.headerTableSize),
    initialWindowBytes: values.get(SETTING.initialWindowSize),
    maxFrameBytes: values.get(SETTING.maxFrameSize),
  };
}

function check(setting: number, value: number): void {
  if (setting === SETTING.enablePush && value > 1) throw wrong(setting, value);
  if (setting === SETTING.maxFrameSize && (value < DEFAULT_FRAME_BYTES || value > MAX_FRAME_BYTES))
    throw wrong(setting, value);
  if (setting === SETTING.initialWindowSize && value > MAX_WINDOW_BYTES) {
    throw new ConnectionError(CODE.flowControlError, `A window of ${value} bytes is too large`);
  }
}

function wrong(setting: number, value: number): ConnectionError {
  return new ConnectionError(CODE.protocolError, `Setting ${setting} cannot be ${value}`);
}
