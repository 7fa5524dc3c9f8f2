import { type Clock, type Counter, exponentialBuckets, type Histogram, type MetricRegistry } from '../../base/index.ts';

type Decision = 'allowed' | 'denied';

interface Series {
  readonly attempts: Counter;
  readonly seconds: Histogram;
}

/** Counts and times impersonation, under upstream's metric names. */
export class ImpersonationMetrics {
  readonly #clock: Clock;
  readonly #attempts: (mode: string, decision: Decision) => Series;
  readonly #checks: (mode: string, decision: Decision) => Series;

  constructor(metrics: MetricRegistry, clock: Clock) {
    this.#clock = clock;
    const family = (name: string, what: string): ((mode: string, decision: Decision) => Series) => {
      const labels = ['mode', 'decision'] as const;
      const attempts = metrics.counter({
        name: `apiserver_impersonation_${name}_total`,
        help: `${what}, by mode and decision.`,
        labels,
      });
      const seconds = metrics.histogram({
        name: `apiserver_impersonation_${name}_duration_seconds`,
        help: `Time that they took: ${what.toLowerCase()}.`,
        labels,
        buckets: exponentialBuckets(0.001, 2, 15),
      });
      return (mode, decision) => ({
        attempts: attempts.with({ mode, decision }),
        seconds: seconds.with({ mode, decision }),
      });
    };
    this.#attempts = family('attempts', 'Requests that asked to act as another user');
    this.#checks = family('authorization_attempts', 'Questions to authorizers about impersonation');
  }

  /** The start time for the other two methods. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** `constraint` is the verb that allowed it, empty for the legacy verb; undefined when it was denied. */
  attempted(constraint: string | undefined, since: number): void {
    const mode = constraint === undefined ? '' : constraint === '' ? 'legacy' : modeOf(constraint);
    this.#count(this.#attempts(mode, constraint === undefined ? 'denied' : 'allowed'), since);
  }

  checked(verb: string, isAllowed: boolean, since: number): void {
    this.#count(this.#checks(modeOf(verb), isAllowed ? 'allowed' : 'denied'), since);
  }

  #count({ attempts, seconds }: Series, since: number): void {
    attempts.add();
    seconds.observe((this.now() - since) / 1000);
  }
}

/** `user-info` of `impersonate:user-info` and of `impersonate-on:user-info:list`. */
function modeOf(verb: string): string {
  return verb === 'impersonate' ? 'legacy' : (verb.split(':', 2)[1] ?? '');
}
