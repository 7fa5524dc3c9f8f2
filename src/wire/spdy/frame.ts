import type { SpdyHeaders } from './header-block.ts';

/** Types of control frames. */
export const CONTROL = {
  open: 1,
  reply: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** Status codes of RST_STREAM. */
export const RESET_STATUS = { protocolError: 1, invalidStream: 2, refused: 3, cancel: 5, internalError: 6 } as const;

export const FLAG_FIN = 1;
export const HEAD_BYTES = 8;
const VERSION = 3;

/** A received frame. Headers are still compressed: decompressing them needs those of all frames before. */
export type SpdyFrame =
  | { readonly type: 'data'; readonly stream: number; readonly payload: Uint8Array; readonly isLast: boolean }
  | {
      readonly type: 'open' | 'reply' | 'headers';
      readonly stream: number;
      readonly block: Uint8Array;
      readonly isLast: boolean;
    }
  | { readonly type: 'reset'; readonly stream: number; readonly status: number }
  | { readonly type: 'ping'; readonly id: number }
  | { readonly type: 'go away' }
  /** Settings and windows, which Kubernetes' SPDY ignores. */
  | { readonly type: 'other' }
  | { readonly type: 'broken'; readonly reason: string };

export type { SpdyHeaders };

/** What precedes the payload of a data frame. */
export function dataFrameHead(stream: number, length: number, isLast: boolean): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(stream, 0);
  head.writeUInt32BE(length, 4);
  head[4] = isLast ? FLAG_FIN : 0;
  return head;
}

export function dataFrame(stream: number, payload: Uint8Array, isLast: boolean): Buffer {
  return Buffer.concat([dataFrameHead(stream, payload.length, isLast), payload]);
}

export function openFrame(stream: number, block: Uint8Array): Buffer {
  return controlFrame(CONTROL.open, Buffer.concat([words(stream, 0), Buffer.alloc(2), block]));
}

export function replyFrame(stream: number, block: Uint8Array): Buffer {
  return controlFrame(CONTROL.reply, Buffer.concat([words(stream), block]));
}

export function resetFrame(stream: number, status: number): Buffer {
  return controlFrame(CONTROL.reset, words(stream, status));
}

export function pingFrame(id: number): Buffer {
  return controlFrame(CONTROL.ping, words(id));
}

export function goAwayFrame(lastStream: number): Buffer {
  return controlFrame(CONTROL.goAway, words(lastStream, 0));
}

function controlFrame(type: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(0x8000 | VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(payload.length, 4);
  return Buffer.concat([head, payload]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}
