import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The room that the engine has for new objects. */
export interface EngineRoom {
  bytes(): number;
  /** Whether it may be made larger when much of what is in it lives on. */
  mayGrow(isAllowed: boolean): void;
  /** Calls the listener after each collection. */
  onCollected(listener: () => void): Disposable;
}

/** What Node.js 20 has at most. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Keeps the room for new objects as small as it was in Node.js 20. Later ones let it become four times as large, which a server has for good once it was under load, and is hardly
 * any faster with.
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

  /** It becomes smaller by itself when there is little to do, and then has to grow again. */
  #look(): void {
    const isFull = this.#room.bytes() >= MOST_BYTES;
    if (isFull || this.#isFull) this.#room.mayGrow(!isFull); // said again while it is full: another server of this process may have ended
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
