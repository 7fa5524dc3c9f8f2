/** A number at a time. */
interface Sample {
  readonly value: number;
  readonly atMs: number;
}

/** What was recommended and done lately for one autoscaler. Samples that no window reaches any more are given up. */
export class ScaleHistory {
  #recommendations: readonly Sample[];
  #ups: readonly Sample[] = [];
  #downs: readonly Sample[] = [];

  /** Begins with what there is: it counts as the first recommendation. */
  constructor(current: number, nowMs: number) {
    this.#recommendations = [{ value: current, atMs: nowMs }];
  }

  /** Recommendations since a time; those at that very time only if they are to be included. */
  since(cutoffMs: number, options: { readonly isInclusive?: boolean } = {}): readonly number[] {
    const { isInclusive = false } = options;
    return this.#recommendations
      .filter(({ atMs }) => atMs > cutoffMs || (isInclusive && atMs === cutoffMs))
      .map(({ value }) => value);
  }

  recommend(value: number, nowMs: number, windowMs: number): void {
    const kept = this.#recommendations.filter(({ atMs }) => atMs >= nowMs - windowMs);
    this.#recommendations = [...kept, { value, atMs: nowMs }];
  }

  /** Replicas were added, or removed when the change is negative. */
  changed(by: number, nowMs: number, periodMs: number): void {
    const add = (samples: readonly Sample[]): readonly Sample[] => [
      ...samples.filter(({ atMs }) => atMs >= nowMs - periodMs),
      { value: Math.abs(by), atMs: nowMs },
    ];
    if (by > 0) this.#ups = add(this.#ups);
    else this.#downs = add(this.#downs);
  }

  /** By how much the number of replicas has grown since a time; negative when it has shrunk. */
  growthSince(cutoffMs: number): number {
    const sum = (samples: readonly Sample[]): number =>
      samples.reduce((total, { value, atMs }) => (atMs > cutoffMs ? total + value : total), 0);
    return sum(this.#ups) - sum(this.#downs);
  }
}
