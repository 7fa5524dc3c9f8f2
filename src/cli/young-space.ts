import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** V8's young generation. */
export interface EngineRoom {
  bytes(): number;
  /** Sets whether V8 may enlarge it when many objects survive. */
  mayGrow(isAllowed: boolean): void;
  /** Calls the listener after each garbage collection. */
  onCollected(listener: () => void): Disposable;
}

/** The limit in Node.js 20. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Limits the young generation to its size in Node.js 20. Later versions let it grow four times as large, which a server
 * keeps after the first load and which makes it hardly faster.
 */
export class YoungSpaceLimit implements Disposable {
  readonly #room: EngineRoom;
  readonly #subscription: Disposable;
  #isFull = false;

  constructor(room: EngineRoom = ownRoom()) {
    this.#room = room;
    this.#subscription = room.onCollected(() => this.#look());
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
    if (this.#isFull) this.#room.mayGrow(true);
  }

  /** V8 shrinks it when there is little to do, and then it must grow again. */
  #look(): void {
    const isFull = this.#room.bytes() >= MAX_BYTES;
    if (isFull || this.#isFull) this.#room.mayGrow(!isFull); // repeated while it is full: another server of this process may have ended
    this.#isFull = isFull;
  }
}

function ownRoom(): EngineRoom {
  return {
    bytes: () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0,
    mayGrow: (isAllowed) => setFlagsFromString(`--semi-space-growth-factor=${isAllowed ? 2 : 1}`),
    onCollected(listener) {
      const observer = new PerformanceObserver(listener);
      observer.observe({ entryTypes: ['gc'] });
      return { [Symbol.dispose]: () => observer.disconnect() };
    },
  };
}
