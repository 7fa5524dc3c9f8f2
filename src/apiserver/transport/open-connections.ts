import type { Clock } from '../../base/index.ts';
import type { Connection } from './connection.ts';

/** A connection as its protocol keeps it. */
export interface OpenConnection {
  readonly connection: Connection;
  /** Takes no more requests and closes once those under way are answered. */
  drain(): void;
  destroy(): void;
}

/** Looks at the connections so often before an idle one is closed. */
const LOOKS = 4;

interface Idleness {
  /** How many requests it had had at the last look. */
  started: number;
  /** For how many looks nothing has happened. */
  looks: number;
}

/**
 * All open connections; closes those that have been idle for long.
 *
 * One timer looks at them all, and none runs while nobody is connected: requests pay nothing for it, and a connection
 * may live a quarter longer than it should.
 */
export class OpenConnections {
  readonly #clock: Clock;
  readonly #lookEveryMs: number;
  readonly #open = new Map<OpenConnection, Idleness>();
  #isDraining = false;
  #nextLook: Disposable | undefined;

  constructor(clock: Clock, idleTimeoutMs: number) {
    this.#clock = clock;
    this.#lookEveryMs = idleTimeoutMs / LOOKS;
  }

  add(connection: OpenConnection): void {
    this.#open.set(connection, { started: -1, looks: 0 });
    if (this.#isDraining) connection.drain();
    else this.#nextLook ??= this.#clock.timer(this.#lookEveryMs, () => this.#look());
  }

  remove(connection: OpenConnection): void {
    this.#open.delete(connection);
  }

  drain(): void {
    this.#isDraining = true;
    this.#nextLook?.[Symbol.dispose]();
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
      if (idleness.looks === LOOKS) open.drain();
      else if (idleness.looks > LOOKS) open.destroy(); // it does not take part in being closed
    }
    this.#nextLook = this.#open.size === 0 ? undefined : this.#clock.timer(this.#lookEveryMs, () => this.#look());
  }
}
