import type { Clock } from '../../base/index.ts';

export interface PacedQueueOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** It is the turn of this name. */
  readonly onTurn: (name: string) => void;
}

/** Names that get their turns one by one, so many a second; one may go at once after a pause. At a rate of 0 all wait. */
export class PacedQueue implements Disposable {
  readonly #clock: Clock;
  readonly #onTurn: (name: string) => void;
  readonly #waiting = new Set<string>();
  #perSecond: number;
  /** When the next turn may be. */
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

  /** Changes the rate. Whoever had to wait at the old one waits for a whole turn at the new one. */
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
