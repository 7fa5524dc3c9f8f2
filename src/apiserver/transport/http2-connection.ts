import { constants, performServerHandshake } from 'node:http2';
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Connection } from './connection.ts';
import { Http2Exchange } from './http2-exchange.ts';
import type { TransportLimits } from './limits.ts';
import type { OpenConnection } from './open-connections.ts';
import type { RequestServer } from './request-server.ts';
import { requestTarget } from './request-target.ts';
import { type AddressBudgets, ResetBudget } from './reset-budget.ts';

/** Room for a body to be on its way: as upstream, nearly all fit into one frame. */
const STREAM_WINDOW_BYTES = 256 * 1024;

/**
 * All bodies on their way together. This much is read and decrypted of one connection in a turn of the event loop, so it bounds
 * how long many connections hold up the others. Bodies that wait to be read do not count: Node confirms what has come at once.
 */
const CONNECTION_WINDOW_BYTES = 256 * 1024;

/** Node refuses new streams above this; what waits to be sent counts, so it has to be well above all buffers together. */
const MAX_SESSION_MEMORY_MB = 256;

/** Handlers that still run for streams their client took back, as a multiple of the streams it may have. */
const MAX_RUNNING_FACTOR = 4;

export interface Http2ConnectionOptions {
  readonly connection: Connection;
  readonly requests: RequestServer;
  readonly limits: TransportLimits;
  /** Of the address that it comes from. */
  readonly addressBudgets: AddressBudgets;
}

/** A stream whose headers have come. */
interface Arrival {
  readonly stream: ServerHttp2Stream;
  readonly joined: IncomingHttpHeaders;
  readonly raw: readonly string[];
}

/** One connection of HTTP/2: its streams become requests. */
export class Http2Connection implements OpenConnection {
  readonly connection: Connection;
  readonly #session: ServerHttp2Session;
  readonly #requests: RequestServer;
  readonly #resets: ResetBudget;
  readonly #addressBudgets: AddressBudgets;
  readonly #maxStreams: number;
  /** Streams that were opened before the client had taken note of our settings. */
  #early = 0;
  /** What has come in this turn of the event loop. */
  #arrived: Arrival[] = [];
  readonly #maxRunning: number;
  readonly #maxHeaderBytes: number;
  readonly #onTakenBack = (): void => this.#countReset();

  constructor(socket: TLSSocket, options: Http2ConnectionOptions) {
    const { connection, requests, limits } = options;
    this.connection = connection;
    this.#requests = requests;
    this.#resets = new ResetBudget(connection.clock, limits);
    this.#addressBudgets = options.addressBudgets;
    this.#maxStreams = limits.maxStreams;
    this.#maxRunning = limits.maxStreams * MAX_RUNNING_FACTOR;
    this.#maxHeaderBytes = limits.maxHeaderBytes;
    this.#session = openSession(socket, limits);
    this.#session.on('stream', this.#accept as (stream: ServerHttp2Stream) => void);
    this.#session.on('error', ignore);
  }

  onClose(closed: () => void): void {
    this.#session.on('close', closed);
  }

  drain(): void {
    this.connection.isDraining = true;
    if (!this.#session.closed) this.#session.close();
  }

  destroy(): void {
    this.#session.destroy();
  }

  /**
   * Requests are looked at when all that came with them has been: one that is taken back at once, in the same packet, is
   * counted and never served.
   */
  readonly #accept = (
    stream: ServerHttp2Stream,
    joined: IncomingHttpHeaders,
    _flags: number,
    raw: readonly string[],
  ): void => {
    stream.on('error', ignore);
    if (this.#session.pendingSettingsAck === true && ++this.#early > this.#maxStreams) {
      this.#refuseToGoOn();
      return;
    }
    if (this.#arrived.push({ stream, joined, raw }) === 1) setImmediate(this.#serveArrived);
  };

  readonly #serveArrived = (): void => {
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const arrival of arrived) {
      if (this.#session.destroyed) return;
      this.#serve(arrival);
    }
  };

  #serve({ stream, joined, raw }: Arrival): void {
    if (stream.closed || stream.destroyed) {
      this.#countReset();
      return;
    }
    if (this.connection.running >= this.#maxRunning || this.connection.dropped >= this.#maxStreams) {
      this.#refuseToGoOn();
      return;
    }
    if (isTooLarge(raw, this.#maxHeaderBytes)) {
      stream.respond({ ':status': constants.HTTP_STATUS_REQUEST_HEADER_FIELDS_TOO_LARGE }, { endStream: true });
      return;
    }
    if (requestTarget(joined[':path'] ?? '') === undefined) {
      stream.close(constants.NGHTTP2_PROTOCOL_ERROR);
      return;
    }
    this.#requests.serve(new Http2Exchange(stream, { joined, raw }, this.connection), this.#onTakenBack);
  }

  #countReset(): void {
    const isWithinOwn = this.#resets.spend();
    const isWithinAddress = this.#addressBudgets.spend(this.connection.remoteAddress);
    if (!isWithinOwn || !isWithinAddress) this.#refuseToGoOn();
  }

  /** The client is told, and nothing more of what it sends is read. */
  #refuseToGoOn(): void {
    if (this.#session.destroyed) return;
    this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    this.#session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }
}

function openSession(socket: TLSSocket, limits: TransportLimits): ServerHttp2Session {
  const session = performServerHandshake(socket, {
    maxSessionMemory: MAX_SESSION_MEMORY_MB,
    maxHeaderListPairs: limits.maxHeaders,
    settings: {
      maxConcurrentStreams: limits.maxStreams,
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxFrameSize: STREAM_WINDOW_BYTES,
      maxHeaderListSize: limits.maxHeaderBytes,
    },
  });
  session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
  return session;
}

/** The limit in the settings binds only clients that have acknowledged them; the compression can hide 4 KiB in a byte. */
function isTooLarge(headers: readonly string[], maxBytes: number): boolean {
  let bytes = 0;
  for (const text of headers) bytes += text.length;
  return bytes > maxBytes;
}

function ignore(): void {
  // what a client does to its own connection is no error of ours; 'close' follows and is handled
}
