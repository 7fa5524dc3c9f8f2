import type { Clock } from '../../base/index.ts';
import type { Connection } from './connection.ts';

export interface PendingLimits {
  /** Bytes of answers that are kept for all clients together until they are read. */
  readonly maxPendingBytes: number;
}

/** Above the limit, an answer of which nothing has been taken for so long is dropped. */
const STALLED_MS = 2_000;

/** Above this multiple of the limit, no large answers are begun. */
const FULL_FACTOR = 2;

/**
 * The large answers that are on their way, and what they hold in memory until their clients have read them. When that is too
 * much those are dropped of which nothing has been read for longest; clients that read keep their answers.
 */
export class PendingAnswers {
  readonly #clock: Clock;
  readonly #limits: PendingLimits;
  /** Those whose client has to read before they go on, in the order in which they began to wait. */
  readonly #waiting = new Set<PendingAnswer>();
  #bytes = 0;
  #nextLook: Disposable | undefined;

  constructor(clock: Clock, limits: PendingLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Bytes in all. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether so much is waiting that no more large answers should be begun. */
  get isFull(): boolean {
    return this.#bytes > this.#limits.maxPendingBytes * FULL_FACTOR;
  }

  /** An answer that holds so many bytes to its end; 0 when it holds only what its client has not read. */
  begin(connection: Connection, held: number, drop: () => void): PendingAnswer {
    return new PendingAnswer({ connection, held, drop, pending: this });
  }

  count(bytes: number): void {
    this.#bytes += bytes;
  }

  waits(answer: PendingAnswer): void {
    answer.waitsSinceMs = this.#clock.monotonic();
    this.#waiting.add(answer);
    if (this.#bytes > this.#limits.maxPendingBytes) this.#dropStalled();
  }

  goesOn(answer: PendingAnswer): void {
    this.#waiting.delete(answer);
  }

  #dropStalled(): void {
    this.#nextLook?.[Symbol.dispose]();
    this.#nextLook = undefined;
    const now = this.#clock.monotonic();
    for (const answer of this.#waiting) {
      if (this.#bytes <= this.#limits.maxPendingBytes) return;
      const remainingMs = answer.waitsSinceMs + STALLED_MS - now;
      if (remainingMs > 0) {
        this.#nextLook = this.#clock.timer(remainingMs, () => this.#dropStalled());
        return;
      }
      answer.drop();
    }
  }
}

interface PendingAnswerParts {
  readonly connection: Connection;
  readonly held: number;
  readonly drop: () => void;
  readonly pending: PendingAnswers;
}

/** A large answer on its way. */
class PendingAnswer implements Disposable {
  waitsSinceMs = 0;
  readonly #parts: PendingAnswerParts;
  #bytes = 0;

  constructor(parts: PendingAnswerParts) {
    this.#parts = parts;
    this.#set(parts.held);
  }

  /** Its client has to read some of these bytes first. */
  waits(unread: number): void {
    if (this.#parts.held === 0) this.#set(unread);
    this.#parts.pending.waits(this);
  }

  goesOn(): void {
    if (this.#parts.held === 0) this.#set(0);
    this.#parts.pending.goesOn(this);
  }

  drop(): void {
    this[Symbol.dispose]();
    this.#parts.drop();
  }

  /** It is over, and holds nothing any more. */
  [Symbol.dispose](): void {
    this.#parts.pending.goesOn(this);
    this.#set(0);
  }

  #set(bytes: number): void {
    const { connection, pending } = this.#parts;
    const change = bytes - this.#bytes;
    if (change === 0) return;
    this.#bytes = bytes;
    pending.count(change);
    connection.countPending(change);
  }
}

export type { PendingAnswer };
