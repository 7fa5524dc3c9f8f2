/** Adds up the processor time of something whose use may change: the total never goes down. */
export class ProcessorMeter {
  #atMs: number;
  #nanoseconds = 0;

  constructor(sinceMs: number) {
    this.#atMs = sinceMs;
  }

  /** What has been used so far, if it used so many cores since it was last read. */
  read(cores: number, nowMs: number): number {
    const elapsedMs = Math.max(0, nowMs - this.#atMs);
    this.#nanoseconds += Math.round(cores * elapsedMs * 1e6);
    this.#atMs += elapsedMs;
    return this.#nanoseconds;
  }
}
