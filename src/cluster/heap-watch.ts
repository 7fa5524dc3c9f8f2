import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { type Clock, collectGarbage } from '../base/index.ts';

/** V8's heap, without the room for new objects: that of old ones is what V8 ends the process for when it is full. */
export interface Heap {
  /** Bytes of objects, and the most that there may be before V8 ends the process. */
  use(): { readonly usedBytes: number; readonly limitBytes: number };
  /** Calls the listener after each collection of the whole heap. */
  onCollected(listener: () => void): Disposable;
  collect(): void;
}

/** Objects that survive a collection fill this part of the heap: soon V8 would end the process. */
const FULL = 0.75;
/** There is room again. */
const ROOMY = 0.6;
/** How often a full heap is collected to see whether there is room again: V8 itself waits until the program allocates more. */
const COLLECT_MS = 15_000;

export interface HeapListener {
  /** The heap is nearly full of live objects. */
  onFull(use: { readonly usedMb: number; readonly limitMb: number }): void;
  onRoomy(): void;
}

export interface HeapWatchOptions {
  readonly clock: Clock;
  /** Default that of this process. */
  readonly heap?: Heap;
}

/** Reports when live objects nearly fill the heap. It looks after collections only, when what is used is alive. */
export class HeapWatch implements Disposable {
  readonly #heap: Heap;
  readonly #listener: HeapListener;
  readonly #clock: Clock;
  readonly #subscription: Disposable;
  /** Collects again; undefined while there is room. */
  #timer: Disposable | undefined;

  constructor(listener: HeapListener, { clock, heap = ownHeap() }: HeapWatchOptions) {
    this.#heap = heap;
    this.#listener = listener;
    this.#clock = clock;
    this.#subscription = heap.onCollected(() => this.#look());
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
  }

  #look(): void {
    const { usedBytes, limitBytes } = this.#heap.use();
    const part = usedBytes / limitBytes;
    if (this.#timer === undefined && part >= FULL) {
      this.#timer = this.#collectLater();
      this.#listener.onFull({ usedMb: megabytes(usedBytes), limitMb: megabytes(limitBytes) });
    } else if (this.#timer !== undefined && part <= ROOMY) {
      this.#timer[Symbol.dispose]();
      this.#timer = undefined;
      this.#listener.onRoomy();
    }
  }

  #collectLater(): Disposable {
    return this.#clock.timer(COLLECT_MS, () => {
      this.#timer = this.#collectLater();
      this.#heap.collect();
    });
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / (1024 * 1024));
}

/** The part of the limit that is for new objects, which V8 does not tell: 16 MB three times, and since V8 13 64 MB. */
function youngLimitBytes(): number {
  const semiSpaceMb = Number.parseInt(process.versions.v8, 10) < 13 ? 16 : 64;
  return 3 * semiSpaceMb * 1024 * 1024;
}

function ownHeap(): Heap {
  return {
    use() {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      const young = getHeapSpaceStatistics().filter(({ space_name: name }) => name.startsWith('new_'));
      const youngBytes = young.reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
      return { usedBytes: used - youngBytes, limitBytes: Math.max(limit - youngLimitBytes(), limit / 4) };
    },
    onCollected(listener) {
      const isWhole = (entry: PerformanceEntry): boolean =>
        (entry as { readonly detail?: { readonly kind?: number } }).detail?.kind ===
        constants.NODE_PERFORMANCE_GC_MAJOR;
      const observer = new PerformanceObserver((list) => {
        if (list.getEntries().some(isWhole)) listener();
      });
      observer.observe({ entryTypes: ['gc'] });
      return { [Symbol.dispose]: () => observer.disconnect() };
    },
    collect: collectGarbage,
  };
}
