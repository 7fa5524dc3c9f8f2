import type { TLSSocket } from 'node:tls';
import { CODE, ServerConnection, type ServerStream, type WriteBuffer } from '../../wire/http2/index.ts';
import type { Connection } from './connection.ts';
import { Http2Exchange } from './http2-exchange.ts';
import { LINGER_MS, type TransportLimits } from './limits.ts';
import type { OpenConnection } from './open-connections.ts';
import type { RequestServer } from './request-server.ts';
import { requestTarget } from './request-target.ts';
import { type AddressBudgets, ResetBudget } from './reset-budget.ts';

/** Maximum handlers that still run for streams that their client reset, as a multiple of its concurrent streams. */
const MAX_RUNNING_FACTOR = 4;

const HEADERS_TOO_LARGE = { code: 431, headers: {} };

export interface Http2ConnectionOptions {
  readonly connection: Connection;
  readonly requests: RequestServer;
  readonly limits: TransportLimits;
  /** The budgets of the client's address. */
  readonly addressBudgets: AddressBudgets;
  /** Shared by all connections. */
  readonly buffer: WriteBuffer;
  /** Called with the first request. */
  readonly used: () => void;
}

/** One HTTP/2 connection: its streams become requests. */
export class Http2Connection implements OpenConnection {
  readonly connection: Connection;
  readonly #http2: ServerConnection;
  readonly #requests: RequestServer;
  readonly #resets: ResetBudget;
  readonly #addressBudgets: AddressBudgets;
  readonly #maxStreams: number;
  readonly #maxRunning: number;
  readonly #used: () => void;

  constructor(socket: TLSSocket, options: Http2ConnectionOptions) {
    const { connection, requests, limits } = options;
    this.connection = connection;
    this.#requests = requests;
    this.#resets = new ResetBudget(connection.clock, limits);
    this.#addressBudgets = options.addressBudgets;
    this.#maxStreams = limits.maxStreams;
    this.#maxRunning = limits.maxStreams * MAX_RUNNING_FACTOR;
    this.#used = options.used;
    this.#http2 = new ServerConnection(socket, {
      clock: connection.clock,
      limits: { ...limits, lingerMs: LINGER_MS },
      buffer: options.buffer,
      serve: this.#serve,
      takenBack: this.#countReset,
    });
  }

  onClose(closed: () => void): void {
    this.#http2.onClose(closed);
  }

  drain(): void {
    this.connection.isDraining = true;
    this.#http2.drain();
  }

  destroy(): void {
    this.#http2.destroy();
  }

  readonly #serve = (stream: ServerStream): void => {
    if (this.connection.running >= this.#maxRunning || this.connection.dropped >= this.#maxStreams) {
      this.#goAway();
      return;
    }
    if (stream.headers.isTooLarge) {
      stream.respond(HEADERS_TOO_LARGE);
      stream.end();
      stream.discardInput();
      return;
    }
    if (requestTarget(stream.headers.path ?? '') === undefined) {
      stream.reset(CODE.protocolError);
      return;
    }
    if (this.connection.started === 0) this.#used();
    this.#requests.serve(new Http2Exchange(stream, this.connection), this.#countReset);
  };

  readonly #countReset = (): void => {
    const isWithinOwn = this.#resets.spend();
    const isWithinAddress = this.#addressBudgets.spend(this.connection.remoteAddress);
    if (!isWithinOwn || !isWithinAddress) this.#goAway();
  };

  /** Sends GOAWAY, and serves no further requests. */
  #goAway(): void {
    this.#http2.fail(CODE.enhanceYourCalm);
  }
}
