/** A number with its labels, and the time at which it was measured. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  readonly atMs?: number;
  /** Added to the name of the family: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
}

/** A metric with all its series. */
export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** What a backend counts by itself, for the node's metrics. */
export interface BackendMetrics {
  families(): readonly Family[];
  /** How long images of a pod were pulled, which does not count as the time that its start took. */
  pullMs(podUid: string): number;
}
