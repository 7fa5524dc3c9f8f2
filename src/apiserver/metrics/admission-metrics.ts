import type { Clock, Histogram, MetricRegistry } from '../../base/index.ts';

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** Times admission, by plugin and in total, under upstream's metric names. */
export class AdmissionMetrics {
  readonly #clock: Clock;
  readonly #plugins;
  readonly #steps;

  constructor(metrics: MetricRegistry, clock: Clock) {
    this.#clock = clock;
    this.#plugins = metrics.histogram({
      name: 'apiserver_admission_controller_admission_duration_seconds',
      help: 'How long an admission plugin takes, and whether it refused.',
      labels: ['name', 'type', 'operation', 'rejected'],
      buckets: SECONDS,
    });
    this.#steps = metrics.histogram({
      name: 'apiserver_admission_step_admission_duration_seconds',
      help: 'How long all admission plugins take together, and whether one refused.',
      labels: ['type', 'operation', 'rejected'],
      buckets: SECONDS,
    });
  }

  now(): number {
    return this.#clock.monotonic();
  }

  /** The timer of a plugin; without a name, of the whole step. */
  timer(type: 'admit' | 'validate', operation: string, name?: string): AdmissionTimer {
    const child = (rejected: string): Histogram => {
      const labels = { type, operation, rejected };
      return name === undefined ? this.#steps.with(labels) : this.#plugins.with({ ...labels, name });
    };
    return new AdmissionTimer(this, child);
  }
}

/** Records the time of one plugin or step. */
export class AdmissionTimer {
  readonly #metrics: AdmissionMetrics;
  readonly #child: (rejected: string) => Histogram;
  #accepted: Histogram | undefined;

  constructor(metrics: AdmissionMetrics, child: (rejected: string) => Histogram) {
    this.#metrics = metrics;
    this.#child = child;
  }

  now(): number {
    return this.#metrics.now();
  }

  ended(start: number, isRejected: boolean): void {
    const seconds = (this.now() - start) / 1000;
    if (isRejected) this.#child('true').observe(seconds);
    else (this.#accepted ??= this.#child('false')).observe(seconds);
  }
}
