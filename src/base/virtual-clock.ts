import { type Clock, sleepOn, type TimerRole } from './clock.ts';
import { type Duration, millisecondsOf } from './duration.ts';
import { Heap, type HeapEntry } from './heap.ts';
import { settle } from './settle.ts';

interface VirtualTimer {
  readonly dueMs: number;
  /** Breaks ties: timers due at the same time run in the order they were set. */
  readonly sequence: number;
  readonly wake: () => void;
  readonly role: TimerRole | undefined;
  readonly owner: { timers: number } | undefined;
}

/** A timer's position, which changes when rounds of it are skipped. */
interface Place {
  entry: HeapEntry<VirtualTimer>;
}

export interface VirtualClockOptions {
  /** The initial `now()`, in milliseconds since the Unix epoch; default 2026-01-01T00:00:00Z. */
  readonly startMs?: number;
  /** Waits until the work started by a timer is done; default `settle()` of this folder. */
  readonly settle?: () => Promise<void>;
  /** Whether rounds of the beat may be skipped while nothing else happens; default: never. */
  readonly maySkip?: (beat: string) => boolean;
  /** The component that sets a timer, whose count of pending timers is kept up to date. */
  readonly owner?: () => { timers: number } | undefined;
}

/**
 * Time that passes only when a test advances it.
 *
 * Guarantees: timers run one at a time, by due time and then in the order they were set; `now()` is the timer's due time
 * while it runs; before the next one, the work it started has settled, so new timers are in order.
 * A timer of 0 ms or less needs no advancing: it runs in a later turn of the event loop.
 *
 * With `maySkip`, a beat that has been on time since the last other event skips to its last round before the next timer
 * of another kind, and before the end: days of heartbeats cost as much as one.
 *
 * Example: timers at 10 s and 20 s; the first sets another for 5 s. `advance('30s')` runs them at 10, 15 and 20 s.
 */
export class VirtualClock implements Clock {
  readonly #startMs: number;
  readonly #settle: () => Promise<void>;
  readonly #owner: () => { timers: number } | undefined;
  readonly #maySkip: (beat: string) => boolean;
  readonly #timers = new Heap<VirtualTimer>(runsBefore);
  /** Timers with a role, in a separate heap. */
  readonly #roles = new Heap<VirtualTimer>(runsBefore);
  readonly #places = new Set<Place>();
  /** Beats with this sequence or a later one were set after the last other event. */
  #quietSince = 0;
  #nowMs: number;
  #nextSequence = 0;
  #advancing: Promise<void> | undefined;
  #isDueRunPlanned = false;

  constructor(options: VirtualClockOptions = {}) {
    this.#startMs = options.startMs ?? Date.UTC(2026, 0, 1);
    this.#nowMs = this.#startMs;
    this.#settle = options.settle ?? (() => settle());
    this.#owner = options.owner ?? (() => undefined);
    this.#maySkip = options.maySkip ?? (() => false);
  }

  /** The number of timers and sleeps that wait for time to pass. */
  get pending(): number {
    return this.#timers.size + this.#roles.size;
  }

  /** The due time of the next timer, in terms of `now()`; `undefined` when there is none. */
  get nextDueMs(): number | undefined {
    return this.#first?.dueMs;
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

  timer(ms: number, wake: () => void, role?: TimerRole): Disposable {
    // rounded, so that sums of times stay exact: a rest from rounding would never be reached
    const waitMs = ms > 0 ? Math.ceil(ms) : 0;
    const owner = this.#owner();
    if (owner !== undefined) owner.timers += 1;
    const timer = { dueMs: this.#nowMs + waitMs, sequence: this.#nextSequence++, wake, role, owner };
    if (waitMs === 0) this.#planDueRun();
    if (role !== undefined) return this.#roleTimer(timer);
    const entry = this.#timers.push(timer);
    return { [Symbol.dispose]: () => void (this.#timers.remove(entry) && released(timer)) };
  }

  /**
   * Advances time by `duration`, in milliseconds or as text ('90s', '30d'), and resolves once everything due has run.
   *
   * Overlapping calls run one after the other. Rejects with the error of a timer; time then stands at that timer.
   */
  advance(duration: Duration): Promise<void> {
    const ms = millisecondsOf(duration);
    if (!(ms >= 0 && ms < Infinity))
      throw new Error(`Cannot advance the clock by ${JSON.stringify(duration)}: time only goes forward`);
    const before = this.#advancing ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(() => this.#passTime(ms)); // an earlier failure is thrown to its caller only
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
    this.#quietSince = this.#nextSequence;
    while (this.#isFirstDue(targetMs)) {
      if (this.#first?.role !== undefined) this.#skipRounds(targetMs);
      this.#runFirst();
      await this.#settle();
    }
    this.#nowMs = targetMs;
  }

  #isFirstDue(atMs: number): boolean {
    const dueMs = this.nextDueMs;
    return dueMs !== undefined && dueMs <= atMs;
  }

  get #first(): VirtualTimer | undefined {
    const [timer, other] = [this.#timers.peek(), this.#roles.peek()];
    return timer === undefined || (other !== undefined && runsBefore(other, timer)) ? other : timer;
  }

  #runFirst(): void {
    const timer = this.#first as VirtualTimer;
    if (timer.role === undefined) {
      this.#timers.pop();
      this.#quietSince = this.#nextSequence;
    } else {
      this.#roles.pop();
      for (const place of this.#places) if (place.entry.item === timer) this.#places.delete(place);
    }
    this.#nowMs = timer.dueMs;
    released(timer);
    timer.wake();
  }

  #roleTimer(timer: VirtualTimer): Disposable {
    const place = { entry: this.#roles.push(timer) };
    this.#places.add(place);
    return {
      [Symbol.dispose]: () => {
        this.#places.delete(place);
        if (this.#roles.remove(place.entry)) released(timer);
      },
    };
  }

  /** Moves beats to their last round before any other event, and watchdogs behind them. */
  #skipRounds(targetMs: number): void {
    const places = [...this.#places];
    const beating = new Set(places.flatMap(({ entry }) => this.#beatOf(entry.item)));
    const canWait = ({ role, sequence }: VirtualTimer): boolean => {
      if (role?.type === 'watchdog') return role.beats.every((beat) => beating.has(beat));
      return role !== undefined && sequence >= this.#quietSince && this.#maySkip(role.name);
    };
    const waiting = places.filter(({ entry }) => canWait(entry.item));
    const others = places.filter((place) => !waiting.includes(place)).map(({ entry }) => entry.item.dueMs);
    const untilMs = Math.min(targetMs, this.#timers.peek()?.dueMs ?? Infinity, ...others);
    for (const place of waiting) {
      const timer = place.entry.item;
      if (timer.dueMs >= untilMs) continue;
      this.#roles.remove(place.entry);
      place.entry = this.#roles.push(this.#moved(timer, untilMs));
    }
  }

  #beatOf({ role }: VirtualTimer): readonly string[] {
    return role?.type === 'beat' ? [role.name] : [];
  }

  #moved(timer: VirtualTimer, untilMs: number): VirtualTimer {
    const { role, dueMs } = timer;
    if (role?.type !== 'beat') return { ...timer, dueMs: untilMs, sequence: this.#nextSequence++ };
    const rounds = Math.floor((untilMs - dueMs) / role.periodMs);
    return { ...timer, dueMs: dueMs + rounds * role.periodMs };
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

function released({ owner }: VirtualTimer): void {
  if (owner !== undefined) owner.timers -= 1;
}

function runsBefore(left: VirtualTimer, right: VirtualTimer): boolean {
  return left.dueMs === right.dueMs ? left.sequence < right.sequence : left.dueMs < right.dueMs;
}
