import type { Clock } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import { LeadershipLostError } from './leadership-lost.ts';

/**
 * Keeps a leader that was frozen for a while, such as by SIGSTOP, from writing when it resumes: another process may lead by
 * then, and the timer that ends the term may not be the first thing to run.
 *
 * It cannot stop a write that was already sent.
 */
export class Fence {
  readonly #clock: Clock;
  readonly #guarded = new Map<Client, Client>();
  #untilMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that the lease was renewed at `sinceMs` and that no other candidate takes it for `termMs`. */
  extend(sinceMs: number, termMs: number): void {
    this.#untilMs = sinceMs + termMs;
  }

  /** Wraps a client so that it writes only while this process holds the lease. */
  guard(client: Client): Client {
    const guarded = this.#guarded.get(client) ?? client.guarded(() => this.#check());
    this.#guarded.set(client, guarded);
    return guarded;
  }

  #check(): void {
    const lateMs = this.#clock.monotonic() - this.#untilMs;
    if (lateMs < 0) return;
    throw new LeadershipLostError(`Cannot write: the lease ended ${Math.ceil(lateMs)} ms ago`);
  }
}
