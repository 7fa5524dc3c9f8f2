import type { Clock } from '../../base/index.ts';
import type { Connection } from './connection.ts';

/** An open connection of either protocol. */
export interface OpenConnection {
  readonly connection: Connection;
  /** Accepts no more requests and closes when those in progress are answered. */
  drain(): void;
  destroy(): void;
}

/** The number of checks before an idle connection is closed. */
const IDLE_CHECKS = 4;

interface Idleness {
  /** The number of requests at the last check. */
  started: number;
  /** The number of checks without a new request. */
  looks: number;
}

/**
 * All open connections; closes idle ones.
 *
 * One timer checks all connections, and none runs while there are no connections: requests cost nothing extra, and a connection may stay
 * open a quarter longer than the limit.
 */
export class OpenConnections {
  readonly #clock: Clock;
  readonly #lookEveryMs: number;
  readonly #open = new Map<OpenConnection, Idleness>();
  #isDraining = false;
  #nextCheck: Disposable | undefined;

  constructor(clock: Clock, idleTimeoutMs: number) {
    this.#clock = clock;
    this.#lookEveryMs = idleTimeoutMs / IDLE_CHECKS;
  }

  add(connection: OpenConnection): void {
    this.#open.set(connection, { started: -1, looks: 0 });
    if (this.#isDraining) connection.drain();
    else this.#nextCheck ??= this.#clock.timer(this.#lookEveryMs, () => this.#look());
  }

  remove(connection: OpenConnection): void {
    this.#open.delete(connection);
  }

  drain(): void {
    this.#isDraining = true;
    this.#nextCheck?.[Symbol.dispose]();
    for (const connection of this.#open.keys()) connection.drain();
  }

  destroyAll(): void {
    for (const connection of this.#open.keys()) connection.destroy();
  }

  #look(): void {
    for (const [open, idleness] of this.#open) {
      const { running, started } = open.connection;
      const isBusy = running > 0 || started !== idleness.started;
      idleness.looks = isBusy ? 0 : idleness.looks + 1;
      idleness.started = started;
      if (idleness.looks === IDLE_CHECKS) open.drain();
      else if (idleness.looks > IDLE_CHECKS) open.destroy(); // it did not close gracefully
    }
    this.#nextCheck = this.#open.size === 0 ? undefined : this.#clock.timer(this.#lookEveryMs, () => this.#look());
  }
}
