import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { type Clock, collectGarbage } from '../base/index.ts';

/** The memory and load of a process. */
export interface ProcessMemory {
  /** Bytes of objects and buffers, dead ones included. */
  usedBytes(): number;
  /** The load of the thread since the last call, from 0 to 1. */
  busyness(): number;
  collect(): void;
}

const LOOK_MS = 10_000;
const CALM = 0.1;
/** Less garbage than this does not justify a pause of tens of milliseconds. */
const WORTH_BYTES = 32 * 1024 * 1024;
const WORTH_FACTOR = 1.2;
/**
 * The store's history keeps objects of a burst for a while: collects again after this time, then after twice as long,
 * and so on.
 */
const AGAIN_MS = 30_000;

/** Collects the garbage of a burst once the process is idle: V8 itself waits until the program allocates more. */
export class IdleCollector implements Disposable {
  readonly #clock: Clock;
  readonly #memory: ProcessMemory;
  /** The live bytes after the last collection, and their minimum. */
  #keptBytes: number;
  #leastBytes: number;
  #waitMs = AGAIN_MS;
  #waitedMs = 0;
  #timer: Disposable;

  constructor(clock: Clock, memory: ProcessMemory = ownMemory()) {
    this.#clock = clock;
    this.#memory = memory;
    this.#keptBytes = memory.usedBytes();
    this.#leastBytes = this.#keptBytes;
    this.#timer = this.#lookLater();
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #lookLater(): Disposable {
    return this.#clock.timer(LOOK_MS, () => {
      this.#look();
      this.#timer = this.#lookLater();
    });
  }

  #look(): void {
    this.#waitedMs += LOOK_MS;
    if (this.#memory.busyness() >= CALM) return;
    const hasGrown = isWorthIt(this.#memory.usedBytes(), this.#keptBytes);
    const mayHaveDied = this.#waitedMs >= this.#waitMs && isWorthIt(this.#keptBytes, this.#leastBytes);
    if (!hasGrown && !mayHaveDied) return;
    this.#memory.collect();
    this.#keptBytes = this.#memory.usedBytes();
    this.#leastBytes = Math.min(this.#leastBytes, this.#keptBytes);
    this.#waitMs = hasGrown ? AGAIN_MS : this.#waitMs * 2;
    this.#waitedMs = 0;
  }
}

function isWorthIt(bytes: number, before: number): boolean {
  return bytes >= before * WORTH_FACTOR + WORTH_BYTES;
}

/**
 * By default V8 lets the old generation grow to up to four times the live objects before it collects. A server under
 * steady load keeps that much memory; this limit costs about a tenth more processor time, on other threads.
 */
const HEAP_GROWING_PERCENT = 60;

function ownMemory(): ProcessMemory {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  let last = performance.eventLoopUtilization();
  return {
    usedBytes() {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
    busyness() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    collect: collectGarbage,
  };
}
