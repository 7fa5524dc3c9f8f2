/** Accumulates CPU time from a usage that changes; the total never goes down. */
export class ProcessorMeter {
  #atMs: number;
  #nanoseconds = 0;

  constructor(sinceMs: number) {
    this.#atMs = sinceMs;
  }

  /** The total, if `cores` were in use since the last reading. */
  read(cores: number, nowMs: number): number {
    const elapsedMs = Math.max(0, nowMs - this.#atMs);
    this.#nanoseconds += Math.round(cores * elapsedMs * 1e6);
    this.#atMs += elapsedMs;
    return this.#nanoseconds;
  }
}
