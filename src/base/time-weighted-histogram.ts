import type { Clock } from './clock.ts';
import { checkBounds, DEFAULT_BUCKETS } from './histogram.ts';
import { MetricFamily } from './metric-family.ts';
import type { HistogramOptions, MetricRegistry } from './metric-registry.ts';
import type { ChildSample } from './metric-text.ts';

const NANOSECONDS = 1e6;

/** Registers a histogram that counts how long, instead of how often, a value was in each bucket. */
export function timeWeightedHistogram<const Label extends string = never>(
  registry: MetricRegistry,
  options: HistogramOptions<Label>,
  clock: Pick<Clock, 'monotonic'>,
): MetricFamily<Label, TimeWeightedHistogram> {
  const bounds = checkBounds(options.name, options.buckets ?? DEFAULT_BUCKETS);
  return registry.register(
    options,
    new MetricFamily(options, 'histogram', () => new TimeWeightedHistogram(bounds, clock)),
  );
}

/**
 * How long a value was in each bucket, with one set of label values: equal to a histogram that observes the value at the end
 * of every nanosecond. The value starts at 0.
 */
export class TimeWeightedHistogram {
  readonly #bounds: Float64Array;
  /** Milliseconds that the value spent in each bucket. */
  readonly #durations: Float64Array;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #sum = 0;
  #value = 0;
  #range: number;
  #since: number;

  /** `bounds` may be shared between histograms; see `checkBounds`. */
  constructor(bounds: Float64Array, clock: Pick<Clock, 'monotonic'>) {
    this.#bounds = bounds;
    this.#durations = new Float64Array(bounds.length + 1);
    this.#clock = clock;
    this.#since = clock.monotonic();
    this.#range = this.#rangeOf(0);
  }

  /** Sets the value from now on; a caller that has just read the clock passes the reading. */
  set(value: number, now = this.#clock.monotonic()): void {
    this.#account(now);
    if (value === this.#value) return;
    this.#value = value;
    this.#range = this.#rangeOf(value);
  }

  samples(): readonly ChildSample[] {
    this.#account(this.#clock.monotonic());
    const samples: ChildSample[] = [];
    let cumulative = 0;
    for (let index = 0; index < this.#durations.length; index++) {
      cumulative += (this.#durations[index] as number) * NANOSECONDS;
      samples.push({ suffix: '_bucket', bound: this.#bounds[index] ?? Infinity, value: cumulative });
    }
    samples.push({ suffix: '_sum', value: this.#sum * NANOSECONDS }, { suffix: '_count', value: cumulative });
    return samples;
  }

  #account(now: number): void {
    const duration = now - this.#since;
    this.#since = now;
    this.#durations[this.#range] = (this.#durations[this.#range] as number) + duration;
    this.#sum += this.#value * duration;
  }

  #rangeOf(value: number): number {
    const bounds = this.#bounds;
    let range = 0;
    while (range < bounds.length && value > (bounds[range] as number)) range += 1;
    return range;
  }
}
