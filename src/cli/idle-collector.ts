import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../base/index.ts';

/** The memory of a process, and whether it has time to tidy up. */
export interface ProcessMemory {
  /** Bytes of objects and buffers, dead ones included. */
  usedBytes(): number;
  /** How busy the thread has been since the last time this was asked, from 0 to 1. */
  busyness(): number;
  collect(): void;
}

const LOOK_MS = 10_000;
const CALM = 0.1;
/** Less than this is not worth a pause of some tens of milliseconds. */
const WORTH_BYTES = 32 * 1024 * 1024;
const WORTH_FACTOR = 1.2;
/** What a burst has left in the history of a store dies later: looked for again after this, then after twice as long, and so on. */
const AGAIN_MS = 30_000;

/** Collects what a burst has left behind once the process is calm: the engine itself only does so when more is asked for. */
export class IdleCollector implements Disposable {
  readonly #clock: Clock;
  readonly #memory: ProcessMemory;
  /** What was alive at the last collection, and the least that ever was. */
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
 * Left to itself the engine lets old objects become up to four times as many as live on before it collects them. A server
 * under steady load has that much for good; this takes about a tenth more processor time, on other threads.
 */
const HEAP_GROWING_PERCENT = 60;

function ownMemory(): ProcessMemory {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
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
    collect,
  };
}
