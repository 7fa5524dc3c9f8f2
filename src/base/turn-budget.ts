import type { Clock } from './clock.ts';

/** Work goes on for this long in one turn of the event loop. */
const MAX_TURN_MS = 5;
/** Or for this many steps, if they take longer: on a busy machine time passes while other processes run. */
const MIN_TURN_STEPS = 16;
/** The same where a clock stands still meanwhile, as virtual clocks do: the order of work then depends on nothing but the work. */
const MAX_TURN_STEPS = 4096;
/** A client's request is read, processed and answered within this many turns. */
const TURNS_OF_OTHERS = 2;

/** Work that waits for its turns together: each of its steps for those before it, however many steps wait in other lanes. */
export interface TurnLane {
  /** For work whose steps follow one another, and so can never wait in numbers. */
  readonly isPreferred: boolean;
}

/** Waiting steps by lane; the lane at the front continues next. */
type Lanes = Map<TurnLane, (() => void)[]>;

/**
 * Lets work that never waits for anything outside the process, such as promises that settle each other, leave time for the rest of the
 * event loop: sockets, timers and signals.
 *
 * Guarantees: all work on one budget together goes on for a few milliseconds, then the event loop makes its turns. Until the budget is
 * spent, nothing waits, not even for a promise. Then lanes continue one after the other, the steps of one lane in the order in
 * which they came. While preferred lanes wait, every second step is one of theirs.
 */
export class TurnBudget {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #lanes: Lanes = new Map();
  readonly #preferred: Lanes = new Map();
  #isPreferredNext = false;
  /** A microtask runs among others, a tick that it asks for when all of them have run. */
  readonly #afterMicrotasks = (): void => process.nextTick(this.#goOn);
  readonly #goOn = (): void => (this.#isSpent() ? this.#continueLater() : this.#continueNext());
  #startMs: number;
  #loopCount = loopCount();
  /** Since the turn began, and since work last waited. */
  #turnSteps = 0;
  #steps = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.#startMs = clock.monotonic();
  }

  /** Undefined when the caller may go on at once; else resolves when it may. To be called before each step of the work. */
  take(lane: TurnLane): Promise<void> | undefined {
    if (!this.#isWaitedFor && !this.#isSpent()) return undefined;
    return new Promise((resolve) => {
      const isFirst = !this.#isWaitedFor;
      const lanes = lane.isPreferred ? this.#preferred : this.#lanes;
      const waiting = lanes.get(lane);
      if (waiting === undefined) lanes.set(lane, [resolve]);
      else waiting.push(resolve);
      if (isFirst) this.#continueLater();
    });
  }

  get #isWaitedFor(): boolean {
    return this.#lanes.size + this.#preferred.size > 0;
  }

  #isSpent(): boolean {
    this.#steps += 1;
    this.#turnSteps += 1;
    if (this.#steps > MAX_TURN_STEPS) return true;
    if (this.#turnSteps <= MIN_TURN_STEPS) return false;
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#startMs <= MAX_TURN_MS) return false;
    const count = loopCount();
    if (count === this.#loopCount) return true;
    this.#begin(count, nowMs); // the event loop went round by itself
    return false;
  }

  #begin(count: number, nowMs: number): void {
    this.#loopCount = count;
    this.#startMs = nowMs;
    this.#turnSteps = 0;
  }

  #continueLater(turns = TURNS_OF_OTHERS): void {
    setImmediate(() => {
      if (turns > 1) return this.#continueLater(turns - 1);
      this.#steps = 0;
      this.#begin(loopCount(), this.#clock.monotonic());
      this.#continueNext();
    });
  }

  /** Continues the first of the lane at the front, then the next lane when all promises that follow from it have settled. */
  #continueNext(): void {
    this.#isPreferredNext = !this.#isPreferredNext && this.#preferred.size > 0;
    const lanes = this.#isPreferredNext || this.#lanes.size === 0 ? this.#preferred : this.#lanes;
    for (const [lane, waiting] of lanes) {
      lanes.delete(lane);
      waiting.shift()?.();
      if (waiting.length > 0) lanes.set(lane, waiting);
      break;
    }
    if (this.#isWaitedFor) queueMicrotask(this.#afterMicrotasks);
  }
}

/** How often the event loop has gone round. */
function loopCount(): number {
  return (
    (performance.nodeTiming as { readonly uvMetricsInfo?: { readonly loopCount: number } }).uvMetricsInfo?.loopCount ??
    0
  );
}
