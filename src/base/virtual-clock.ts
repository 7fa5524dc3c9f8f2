import { type Clock, sleepOn, type TimerRole } from './clock.ts';
import { type Duration, millisecondsOf } from './duration.ts';
import { Heap, type HeapEntry } from './heap.ts';
import { settle } from './settle.ts';

interface VirtualTimer {
  readonly setMs: number;
  readonly dueMs: number;
  /** When it was due before it was moved. */
  readonly firstDueMs: number;
  /** Timers due at the same time run in the order they were set. */
  readonly sequence: number;
  readonly wake: () => void;
  /** Set for a beat that must run now, because its result is about to be used. */
  readonly isAwaited?: true;
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
  /**
   * A number that differs once work has changed something; a timer whose work left it the same does not make beats run.
   * Code that looks at the result of a beat must then call `catchUp` before. Default undefined: each timer changes something.
   */
  readonly changes?: () => number | undefined;
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
 * With `maySkip`, a beat that has come on time since anything else happened skips to its last round before the next timer
 * of another kind, and before the end: days of heartbeats cost as much as one. With `changes` as well, it skips timers that change
 * nothing, as long as a watchdog that waits for it does not miss it.
 *
 * Example: timers at 10 s and 20 s; the first sets another for 5 s. `advance('30s')` runs them at 10, 15 and 20 s.
 */
export class VirtualClock implements Clock {
  readonly #startMs: number;
  readonly #settle: () => Promise<void>;
  readonly #owner: () => { timers: number } | undefined;
  readonly #maySkip: (beat: string) => boolean;
  readonly #changes: () => number | undefined;
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
    this.#changes = options.changes ?? (() => undefined);
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
    const dueMs = this.#nowMs + waitMs;
    const timer = { setMs: this.#nowMs, dueMs, firstDueMs: dueMs, sequence: this.#nextSequence++, wake, role, owner };
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

  /**
   * Runs at once the beats among those asked for that left out rounds until now, and resolves when they have run; undefined when
   * none has. While time passes, this waits its turn as a timer does.
   */
  catchUp(isAsked: (beat: string) => boolean): Promise<void> | undefined {
    const isBehind = ({ role, dueMs, firstDueMs }: VirtualTimer): boolean =>
      role?.type === 'beat' && firstDueMs <= this.#nowMs && dueMs > this.#nowMs && isAsked(role.name);
    const behind = [...this.#places].filter(({ entry }) => isBehind(entry.item));
    for (const place of behind)
      this.#move(place, { ...place.entry.item, dueMs: this.#nowMs, sequence: this.#nextSequence++, isAwaited: true });
    return behind.length === 0 ? undefined : this.sleep(0);
  }

  async #passTime(ms: number): Promise<void> {
    await this.#settle();
    const targetMs = this.#nowMs + ms;
    this.#quietSince = this.#nextSequence;
    while (this.#isFirstDue(targetMs)) {
      if (this.#first?.role !== undefined) this.#skipRounds(targetMs);
      await this.#runAndSettle();
    }
    this.#nowMs = targetMs;
  }

  /** Runs the first timer. If it has no role and changed something, beats that wait run at their next round. */
  async #runAndSettle(): Promise<void> {
    const isPlain = this.#first?.role === undefined;
    const [sequence, before] = [this.#nextSequence, this.#changes()];
    this.#runFirst();
    await this.#settle();
    if (isPlain && (before === undefined || this.#changes() !== before)) this.#quietSince = sequence;
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

  /**
   * Moves beats to their last round before anything else happens, and watchdogs behind them; where the next thing to happen may well
   * change nothing, moves beats to their first round after it.
   */
  #skipRounds(targetMs: number): void {
    const places = [...this.#places];
    const beating = new Set(places.flatMap(({ entry }) => this.#beatOf(entry.item)));
    const canWait = ({ role, sequence, isAwaited }: VirtualTimer): boolean => {
      if (role?.type === 'watchdog') return role.beats.every((beat) => beating.has(beat));
      return role !== undefined && isAwaited === undefined && sequence >= this.#quietSince && this.#maySkip(role.name);
    };
    const waiting = new Set(places.filter(({ entry }) => canWait(entry.item)));
    const others = places.filter((place) => !waiting.has(place)).map(({ entry }) => entry.item.dueMs);
    const untilMs = others.reduce(
      (least, dueMs) => Math.min(least, dueMs),
      Math.min(targetMs, this.#timers.peek()?.dueMs ?? Infinity),
    );
    const canSkip = untilMs < targetMs && this.#changes() !== undefined;
    const early = [...waiting].filter(({ entry: { item } }) => item.dueMs < untilMs + (canSkip ? 1 : 0));
    const watchdogs = canSkip ? this.#watchdogs() : new Map<string, readonly VirtualTimer[]>();
    for (const place of early) {
      const timer = place.entry.item;
      const watching = this.#beatOf(timer).flatMap((beat) => watchdogs.get(beat) ?? []);
      const latestMs = Math.min(targetMs, ...watching.map((watchdog) => patienceEnd(watchdog, timer)));
      this.#move(place, (canSkip ? skipped(timer, untilMs, latestMs) : undefined) ?? this.#moved(timer, untilMs));
    }
  }

  #beatOf({ role }: VirtualTimer): readonly string[] {
    return role?.type === 'beat' ? [role.name] : [];
  }

  #move(place: Place, timer: VirtualTimer): void {
    this.#roles.remove(place.entry);
    place.entry = this.#roles.push(timer);
  }

  #moved(timer: VirtualTimer, untilMs: number): VirtualTimer {
    const { role } = timer;
    if (role?.type !== 'beat') return { ...timer, dueMs: untilMs, sequence: this.#nextSequence++ };
    return { ...timer, dueMs: lastRound(timer, role.periodMs, untilMs) };
  }

  #watchdogs(): ReadonlyMap<string, readonly VirtualTimer[]> {
    const byBeat = new Map<string, VirtualTimer[]>();
    for (const { entry } of this.#places) {
      const { role } = entry.item;
      if (role?.type !== 'watchdog') continue;
      for (const beat of role.beats) byBeat.set(beat, [...(byBeat.get(beat) ?? []), entry.item]);
    }
    return byBeat;
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

/** The last time at which a beat comes until then; its next one where that is later. */
function lastRound({ dueMs }: VirtualTimer, periodMs: number, untilMs: number): number {
  return dueMs + Math.max(0, Math.floor((untilMs - dueMs) / periodMs)) * periodMs;
}

/** A beat at its first round after `untilMs`; undefined for one that must come before, and for watchdogs. */
function skipped(timer: VirtualTimer, untilMs: number, latestMs: number): VirtualTimer | undefined {
  if (timer.role?.type !== 'beat') return undefined;
  const { periodMs } = timer.role;
  const dueMs = lastRound(timer, periodMs, untilMs) + periodMs;
  return dueMs > latestMs ? undefined : { ...timer, dueMs };
}

/** The latest time for a beat at which the watchdog does not miss it. */
function patienceEnd({ role, setMs, firstDueMs }: VirtualTimer, beat: VirtualTimer): number {
  const patienceMs = (role?.type === 'watchdog' ? role.patienceMs : undefined) ?? firstDueMs - setMs;
  const hasComeSince = beat.setMs >= setMs; // the watchdog will see it, and wait again
  return (hasComeSince ? beat.setMs + patienceMs : firstDueMs) - 1;
}

function released({ owner }: VirtualTimer): void {
  if (owner !== undefined) owner.timers -= 1;
}

function runsBefore(left: VirtualTimer, right: VirtualTimer): boolean {
  return left.dueMs === right.dueMs ? left.sequence < right.sequence : left.dueMs < right.dueMs;
}
