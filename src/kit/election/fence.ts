import type { Clock } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import { LeadershipLostError } from './leadership-lost.ts';

/**
 * Keeps a leader that was stopped for a while, such as by SIGSTOP or a machine that froze, from writing when it goes on: by then
 * another may lead, and the timer that ends the term may not be the first thing that happens.
 *
 * A write that had been sent before is out of reach.
 */
export class Fence {
  readonly #clock: Clock;
  readonly #guarded = new Map<Client, Client>();
  #untilMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The lease was ours when it was renewed at `sinceMs`, and nobody takes it within so long. */
  extend(sinceMs: number, termMs: number): void {
    this.#untilMs = sinceMs + termMs;
  }

  /** A client that writes only while the lease is ours. */
  guard(client: Client): Client {
    const guarded = this.#guarded.get(client) ?? client.guarded(() => this.#check());
    this.#guarded.set(client, guarded);
    return guarded;
  }

  #check(): void {
    const lateMs = this.#clock.monotonic() - this.#untilMs;
    if (lateMs < 0) return;
    throw new LeadershipLostError(`Cannot write: the time of the lease has been over for ${Math.ceil(lateMs)} ms`);
  }
}
