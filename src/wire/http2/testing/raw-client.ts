// A client that sends any frames over HTTP/2, and the server side of its connection.
import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { type Clock, VirtualClock } from '../../../base/index.ts';
import { duplexPair } from '../../connections/index.ts';
import { controlFrame, settingsFrame } from '../control-frames.ts';
import { FLAG, FRAME } from '../protocol.ts';
import { ServerConnection } from '../server-connection.ts';
import type { ServerStream } from '../server-stream.ts';
import { WriteBuffer } from '../write-buffer.ts';

/** A frame that the server sent. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export interface RawClientOptions {
  readonly clock?: Clock;
  readonly serve?: (stream: ServerStream) => void;
  readonly maxStreams?: number;
  readonly maxHeaderBytes?: number;
  /** The client's first SETTINGS; without it, nothing is sent. */
  readonly settings?: readonly (readonly [setting: number, value: number])[] | 'none';
  /** The client does not read. */
  readonly isDeaf?: boolean;
}

/** GET / over https, from the static table only. */
export const GET = Buffer.from([0x82, 0x84, 0x87]);
export const POST = Buffer.from([0x83, 0x84, 0x87]);
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const END = FLAG.endStream | FLAG.endHeaders;

export function frame(type: number, stream: number, payload: Uint8Array | readonly number[], flags = 0): Buffer {
  return controlFrame((type << 8) | flags, stream, payload);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export class RawClient {
  readonly connection: ServerConnection;
  readonly socket: Duplex;
  /** The served requests. */
  readonly served: ServerStream[] = [];
  takenBack = 0;
  #received: Buffer[] = [];
  #isClosed = false;

  constructor(options: RawClientOptions = {}) {
    const [server, client] = duplexPair();
    this.socket = client;
    this.connection = new ServerConnection(server, {
      clock: options.clock ?? new VirtualClock(),
      limits: {
        maxStreams: options.maxStreams ?? 100,
        maxHeaderBytes: options.maxHeaderBytes ?? 64 * 1024,
        maxHeaders: 512,
        lingerMs: 500,
      },
      buffer: new WriteBuffer(),
      serve: (stream) => {
        this.served.push(stream);
        options.serve?.(stream);
      },
      takenBack: () => void (this.takenBack += 1),
    });
    this.connection.onClose(() => (this.#isClosed = true));
    client.on('error', () => undefined);
    if (options.isDeaf !== true) client.on('data', (chunk: Buffer) => void this.#received.push(chunk));
    const { settings = [] } = options;
    if (settings !== 'none') this.send(PREFACE, settingsFrame(settings), frame(FRAME.settings, 0, [], FLAG.ack));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(...frames: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  /** All frames that the server has sent. */
  get frames(): readonly Frame[] {
    const bytes = Buffer.concat(this.#received);
    this.#received = [bytes];
    const frames: Frame[] = [];
    for (let at = 0; at + 9 <= bytes.length;) {
      const end = at + 9 + bytes.readUIntBE(at, 3);
      if (end > bytes.length) break;
      frames.push({
        type: bytes.readUInt8(at + 3),
        flags: bytes.readUInt8(at + 4),
        stream: bytes.readUInt32BE(at + 5),
        payload: bytes.subarray(at + 9, end),
      });
      at = end;
    }
    return frames;
  }

  framesOf(type: number, stream?: number): readonly Frame[] {
    return this.frames.filter((one) => one.type === type && (stream === undefined || one.stream === stream));
  }

  /** The code of the received GOAWAY; undefined when there is none. */
  get goaway(): number | undefined {
    return this.framesOf(FRAME.goaway).at(-1)?.payload.readUInt32BE(4);
  }

  /** The code with which a stream was reset. */
  resetOf(stream: number): number | undefined {
    return this.framesOf(FRAME.resetStream, stream).at(-1)?.payload.readUInt32BE(0);
  }

  body(stream: number): Buffer {
    return Buffer.concat(this.framesOf(FRAME.data, stream).map(({ payload }) => payload));
  }

  /** Waits until both sides have nothing to do. */
  async settle(): Promise<void> {
    for (let count = 0; count < 20; count++) await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}

/** Responds at once, with a body. */
export function answerWith(body: Uint8Array): (stream: ServerStream) => void {
  return (stream) => {
    stream.respond({ code: 200, headers: {} });
    stream.write(body);
    stream.end();
    stream.discardInput();
  };
}
