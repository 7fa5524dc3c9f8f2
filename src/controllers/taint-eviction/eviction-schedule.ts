import { type Clock, Heap, type HeapEntry } from '../../base/index.ts';

interface Appointment {
  readonly key: string;
  readonly madeMs: number;
  readonly dueMs: number;
}

/** When which pod is to go. Times are monotonic milliseconds. One timer serves all. */
export class EvictionSchedule implements Disposable {
  readonly #clock: Clock;
  readonly #onDue: (key: string) => void;
  readonly #heap = new Heap<Appointment>((left, right) => left.dueMs < right.dueMs);
  readonly #entries = new Map<string, HeapEntry<Appointment>>();
  #timer: Disposable | undefined;

  constructor(clock: Clock, onDue: (key: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#heap.size;
  }

  /** When the pod's appointment was made; undefined when it has none. */
  madeAt(key: string): number | undefined {
    return this.#entries.get(key)?.item.madeMs;
  }

  /** The pod is to go in so many milliseconds. */
  add(key: string, inMs: number): void {
    this.cancel(key);
    const madeMs = this.#clock.monotonic();
    this.#entries.set(key, this.#heap.push({ key, madeMs, dueMs: madeMs + inMs }));
    this.#plan();
  }

  /** The pod may stay. False: it had no appointment. */
  cancel(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#entries.delete(key);
    this.#heap.remove(entry);
    return true;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #plan(): void {
    this.#timer?.[Symbol.dispose]();
    const next = this.#heap.peek();
    if (next === undefined) return;
    this.#timer = this.#clock.timer(Math.max(0, next.dueMs - this.#clock.monotonic()), () => this.#wake());
  }

  #wake(): void {
    const nowMs = this.#clock.monotonic();
    for (let next = this.#heap.peek(); next !== undefined && next.dueMs <= nowMs; next = this.#heap.peek()) {
      this.cancel(next.key);
      this.#onDue(next.key);
    }
    this.#plan();
  }
}
