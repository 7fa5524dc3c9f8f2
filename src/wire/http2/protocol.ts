// The constants of HTTP/2 (RFC 9113).

export const FRAME = {
  data: 0x0,
  headers: 0x1,
  priority: 0x2,
  resetStream: 0x3,
  settings: 0x4,
  pushPromise: 0x5,
  ping: 0x6,
  goaway: 0x7,
  windowUpdate: 0x8,
  continuation: 0x9,
} as const;

export const FLAG = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

/** Error codes of streams and connections. */
export const CODE = {
  noError: 0x0,
  protocolError: 0x1,
  internalError: 0x2,
  flowControlError: 0x3,
  streamClosed: 0x5,
  frameSizeError: 0x6,
  refusedStream: 0x7,
  cancel: 0x8,
  compressionError: 0x9,
  enhanceYourCalm: 0xb,
} as const;

export const SETTING = {
  headerTableSize: 0x1,
  enablePush: 0x2,
  maxConcurrentStreams: 0x3,
  initialWindowSize: 0x4,
  maxFrameSize: 0x5,
  maxHeaderListSize: 0x6,
} as const;

export const FRAME_HEAD_BYTES = 9;
export const DEFAULT_WINDOW_BYTES = 65_535;
export const MAX_WINDOW_BYTES = 2 ** 31 - 1;
/** The frame size that every peer accepts. */
export const DEFAULT_FRAME_BYTES = 16_384;
export const MAX_FRAME_BYTES = 2 ** 24 - 1;
export const DEFAULT_TABLE_BYTES = 4096;

/** An error of the client that ends its connection with `code`. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
