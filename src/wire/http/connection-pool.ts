import { onAbort } from '../../base/index.ts';
import type { Http2Connection, Http2Events } from './http2-connection.ts';
import { TransportError } from './transport-error.ts';

export interface PoolOptions {
  /** The largest number of connections; a second one is opened when the first has the most streams that the server allows. */
  readonly maxConnections: number;
  /** The largest number of requests that wait for a stream; further ones fail. */
  readonly maxWaiting: number;
  /** Opens a connection. */
  readonly open: (events: Http2Events) => Promise<Http2Connection>;
}

interface Waiter {
  /** Sends the request on the connection; must open its stream before it returns. */
  readonly start: (connection: Http2Connection) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Connections to one server with one certificate: a single one, unless it has the most streams that the server allows.
 *
 * Guarantees: requests are served in order. When a connection cannot be opened, all waiting requests fail with its error,
 * and each caller decides whether to retry.
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #connections = new Set<Http2Connection>();
  readonly #waiting = new Set<Waiter>();
  #isOpening = false;
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Calls `use` with a connection that has room: at once when there is one, else in turn. */
  request<T>(use: (connection: Http2Connection) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#isClosed) return Promise.reject(closedError());
    const free = this.#waiting.size === 0 ? this.#free() : undefined;
    if (free !== undefined) return use(free);
    if (this.#waiting.size >= this.#options.maxWaiting) {
      const message = `Cannot send: ${this.#waiting.size} requests wait for a free stream already`;
      return Promise.reject(new TransportError('refused', message));
    }
    return this.#wait(use, signal);
  }

  /** Accepts no more requests; those in flight may finish. */
  drain(): void {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.drain();
    this.#failAll(closedError());
  }

  destroy(): void {
    this.drain();
    for (const connection of this.#connections) connection.destroy();
  }

  #wait<T>(use: (connection: Http2Connection) => Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const aborting = onAbort(signal, () => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
      });
      const waiter: Waiter = {
        start: (connection) => {
          aborting[Symbol.dispose]();
          use(connection).then(resolve, reject);
        },
        fail: (error) => {
          aborting[Symbol.dispose]();
          reject(error);
        },
      };
      this.#waiting.add(waiter);
      this.#serve();
    });
  }

  #free(): Http2Connection | undefined {
    for (const connection of this.#connections) {
      if (connection.hasRoom) return connection;
      if (connection.isOver) this.#connections.delete(connection);
    }
    return undefined;
  }

  #serve(): void {
    for (const waiter of this.#waiting) {
      const free = this.#free();
      if (free === undefined) {
        if (!this.#isOpening && this.#connections.size < this.#options.maxConnections) void this.#open();
        return;
      }
      this.#waiting.delete(waiter);
      waiter.start(free);
    }
  }

  async #open(): Promise<void> {
    this.#isOpening = true;
    try {
      const connection = await this.#options.open({ changed: () => this.#serve() });
      if (this.#isClosed) connection.destroy();
      else this.#connections.add(connection);
    } catch (error) {
      this.#failAll(error);
    } finally {
      this.#isOpening = false;
    }
    this.#serve();
  }

  #failAll(error: unknown): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const waiter of waiting) waiter.fail(error);
  }
}

function closedError(): TransportError {
  return new TransportError('closed', 'Cannot send: the client has been closed');
}
