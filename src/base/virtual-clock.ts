import { type Clock, sleepOn } from './clock.ts';
import { parseDuration } from './duration.ts';
import { Heap } from './heap.ts';
import { settle } from './settle.ts';

interface VirtualTimer {
  readonly dueMs: number;
  /** Timers due at the same time run in the order they were set. */
  readonly sequence: number;
  readonly wake: () => void;
}

export interface VirtualClockOptions {
  /** What `now()` says first, in milliseconds since the Unix epoch; 2026-01-01T00:00:00Z unless given. */
  readonly startMs?: number;
  /** Waits until the work set off by a timer has run; unless given, `settle()` of this folder. */
  readonly settle?: () => Promise<void>;
}

/**
 * Time that passes only when a test says so.
 *
 * Guarantees: timers run one at a time, by due time and then in the order they were set; `now()` is the timer's own
 * due time while it runs; before the next one, what it set off has settled, so new timers take their place in line.
 * A timer of 0 ms or less needs no advancing: its time has come, and it runs in a later turn of the event loop.
 *
 * Example: timers at 10 s and 20 s; the first sets another for 5 s. `advance('30s')` runs them at 10, 15 and 20 s.
 */
export class VirtualClock implements Clock {
  readonly #startMs: number;
  readonly #settle: () => Promise<void>;
  readonly #timers = new Heap<VirtualTimer>(runsBefore);
  #nowMs: number;
  #nextSequence = 0;
  #advancing: Promise<void> | undefined;
  #isDueRunPlanned = false;

  constructor(options: VirtualClockOptions = {}) {
    this.#startMs = options.startMs ?? Date.UTC(2026, 0, 1);
    this.#nowMs = this.#startMs;
    this.#settle = options.settle ?? (() => settle());
  }

  /** How many timers and sleeps wait for time to pass. */
  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer is due, as `now()` counts; `undefined` when none waits. */
  get nextDueMs(): number | undefined {
    return this.#timers.peek()?.dueMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs - this.#startMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  timer(ms: number, wake: () => void): Disposable {
    // whole, so that sums of times stay exact: what is left by rounding would be waited for without end
    const waitMs = ms > 0 ? Math.ceil(ms) : 0;
    const entry = this.#timers.push({ dueMs: this.#nowMs + waitMs, sequence: this.#nextSequence++, wake });
    if (waitMs === 0) this.#planDueRun();
    return { [Symbol.dispose]: () => void this.#timers.remove(entry) };
  }

  /**
   * Lets `duration` pass, in milliseconds or as text ('90s', '30d'), and resolves once everything due has run.
   *
   * Calls that overlap are served one after the other. Rejects with what a timer throws; time then stands at that timer.
   */
  advance(duration: number | string): Promise<void> {
    const ms = typeof duration === 'number' ? duration : parseDuration(duration);
    if (!(ms >= 0 && ms < Infinity))
      throw new Error(`Cannot advance the clock by ${JSON.stringify(duration)}: time only goes forward`);
    const before = this.#advancing ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(() => this.#passTime(ms)); // an earlier failure goes to its own caller
    this.#advancing = turn;
    return turn.finally(() => {
      if (this.#advancing !== turn) return;
      this.#advancing = undefined;
      if (this.#isFirstDue(this.#nowMs)) this.#planDueRun();
    });
  }

  async #passTime(ms: number): Promise<void> {
    await this.#settle();
    const targetMs = this.#nowMs + ms;
    while (this.#isFirstDue(targetMs)) {
      this.#runFirst();
      await this.#settle();
    }
    this.#nowMs = targetMs;
  }

  #isFirstDue(atMs: number): boolean {
    const dueMs = this.nextDueMs;
    return dueMs !== undefined && dueMs <= atMs;
  }

  #runFirst(): void {
    const timer = this.#timers.pop() as VirtualTimer;
    this.#nowMs = timer.dueMs;
    timer.wake();
  }

  #planDueRun(): void {
    if (this.#isDueRunPlanned || this.#advancing !== undefined) return;
    this.#isDueRunPlanned = true;
    setImmediate(() => {
      this.#isDueRunPlanned = false;
      if (this.#advancing !== undefined || !this.#isFirstDue(this.#nowMs)) return;
      this.#planDueRun();
      this.#runFirst();
    });
  }
}

function runsBefore(left: VirtualTimer, right: VirtualTimer): boolean {
  return left.dueMs === right.dueMs ? left.sequence < right.sequence : left.dueMs < right.dueMs;
}
