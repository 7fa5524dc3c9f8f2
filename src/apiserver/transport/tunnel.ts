import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/index.ts';
import type { TakeOver } from '../answers/answer.ts';
import { LINGER_MS } from './limits.ts';

export interface TunnelOptions {
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  /** Called when nothing has passed in either direction for the idle timeout. */
  readonly onIdle: () => void;
}

/** The byte counters of Node's sockets. */
interface Counted {
  readonly bytesRead?: number;
  readonly bytesWritten?: number;
}

/** A connection that a handler has taken over, until both have ended. */
export class Tunnel {
  readonly #connection: Duplex;
  readonly #options: TunnelOptions;
  readonly #writtenBefore: number;
  #isEnded = false;
  #timer: Disposable;

  constructor(connection: Duplex, options: TunnelOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#writtenBefore = (connection as Counted).bytesWritten ?? 0;
    this.#timer = this.#watchForIdleness();
    connection.once('close', () => this.#timer[Symbol.dispose]());
  }

  /** Bytes written since the switch of protocols. */
  get bytes(): number {
    return ((this.#connection as Counted).bytesWritten ?? 0) - this.#writtenBefore;
  }

  /** Whether the handler has finished without an error. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Ends the connection when the handler finishes. A client that does not end its side is disconnected after a while. */
  async run(takeOver: TakeOver): Promise<void> {
    const connection = this.#connection;
    try {
      await takeOver(connection);
    } catch (error) {
      if (connection.destroyed) return; // the handler's error is a consequence
      throw error;
    }
    this.#isEnded = true;
    if (connection.destroyed) return;
    connection.end();
    connection.resume();
    const timer = this.#options.clock.timer(LINGER_MS, () => connection.destroy());
    connection.once('close', () => timer[Symbol.dispose]());
  }

  #watchForIdleness(): Disposable {
    const { clock, idleTimeoutMs, onIdle } = this.#options;
    const { bytesRead = 0, bytesWritten = 0 } = this.#connection as Counted;
    return clock.timer(idleTimeoutMs, () => {
      const { bytesRead: read = 0, bytesWritten: written = 0 } = this.#connection as Counted;
      if (read === bytesRead && written === bytesWritten) onIdle();
      else this.#timer = this.#watchForIdleness();
    });
  }
}
