import type { Clock } from '../../base/index.ts';

export interface PacedQueueOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** Called when it is the name's turn. */
  readonly onTurn: (name: string) => void;
}

/** A queue that releases names at a fixed rate; after a pause one may go at once. At a rate of 0 all wait. */
export class PacedQueue implements Disposable {
  readonly #clock: Clock;
  readonly #onTurn: (name: string) => void;
  readonly #waiting = new Set<string>();
  #perSecond: number;
  /** The earliest time of the next turn. */
  #freeMs: number;
  #timer: Disposable | undefined;

  constructor({ clock, perSecond, onTurn }: PacedQueueOptions) {
    this.#clock = clock;
    this.#onTurn = onTurn;
    this.#perSecond = perSecond;
    this.#freeMs = clock.monotonic();
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(name: string): void {
    if (this.#waiting.has(name)) return;
    this.#waiting.add(name);
    this.#plan();
  }

  remove(name: string): void {
    this.#waiting.delete(name);
  }

  /** Changes the rate. A name that waited at the old rate waits for a whole turn at the new one. */
  setRate(perSecond: number): void {
    if (perSecond === this.#perSecond) return;
    const nowMs = this.#clock.monotonic();
    const hadToWait = this.#perSecond === 0 || this.#freeMs > nowMs;
    this.#perSecond = perSecond;
    if (perSecond > 0) this.#freeMs = hadToWait ? nowMs + 1000 / perSecond : nowMs;
    this.#plan();
  }

  [Symbol.dispose](): void {
    this.#waiting.clear();
    this.#timer?.[Symbol.dispose]();
  }

  #plan(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#waiting.size === 0 || this.#perSecond === 0) return;
    this.#timer = this.#clock.timer(Math.max(0, this.#freeMs - this.#clock.monotonic()), () => this.#turn());
  }

  #turn(): void {
    const [name] = this.#waiting;
    if (name !== undefined) {
      this.#waiting.delete(name);
      this.#freeMs = this.#clock.monotonic() + 1000 / this.#perSecond;
      this.#onTurn(name);
    }
    this.#plan();
  }
}
