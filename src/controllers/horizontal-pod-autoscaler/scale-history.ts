/** A number with its time. */
interface Sample {
  readonly value: number;
  readonly atMs: number;
}

/** Recent recommendations and scale changes of one autoscaler. Samples outside of every window are dropped. */
export class ScaleHistory {
  #recommendations: readonly Sample[];
  #ups: readonly Sample[] = [];
  #downs: readonly Sample[] = [];

  /** The current replicas count as the first recommendation. */
  constructor(current: number, nowMs: number) {
    this.#recommendations = [{ value: current, atMs: nowMs }];
  }

  /** Recommendations after a time; `isInclusive` includes those exactly at it. */
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

  /** Records that replicas were added, or removed when the change is negative. */
  changed(by: number, nowMs: number, periodMs: number): void {
    const add = (samples: readonly Sample[]): readonly Sample[] => [
      ...samples.filter(({ atMs }) => atMs >= nowMs - periodMs),
      { value: Math.abs(by), atMs: nowMs },
    ];
    if (by > 0) this.#ups = add(this.#ups);
    else this.#downs = add(this.#downs);
  }

  /** The change of replicas since a time; negative when scaled down. */
  growthSince(cutoffMs: number): number {
    const sum = (samples: readonly Sample[]): number =>
      samples.reduce((total, { value, atMs }) => (atMs > cutoffMs ? total + value : total), 0);
    return sum(this.#ups) - sum(this.#downs);
  }
}
