import { type Clock, type Counter, exponentialBuckets, type Histogram, type MetricRegistry } from '../../base/index.ts';
import type { ClientCertificate } from '../request/incoming-request.ts';

export type AuthenticationResult = 'success' | 'failure' | 'error';
export type AuthorizationResult = 'allowed' | 'denied' | 'no-opinion' | 'error';

const HOUR = 3600;
const DAY = 24 * HOUR;
const REMAINING = [
  0,
  HOUR / 2,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  4 * DAY,
  7 * DAY,
  30 * DAY,
  90 * DAY,
  180 * DAY,
  360 * DAY,
];
const FILTER_SECONDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5, 10, 15, 30];

/** The series of one step, by result. */
class StepMetrics<Result extends string> {
  readonly #series = new Map<Result, { readonly attempts: Counter; readonly seconds: Histogram }>();
  readonly #newSeries: (result: Result) => { readonly attempts: Counter; readonly seconds: Histogram };
  readonly #filter: Histogram;

  constructor(
    filter: Histogram,
    newSeries: (result: Result) => { readonly attempts: Counter; readonly seconds: Histogram },
  ) {
    this.#filter = filter;
    this.#newSeries = newSeries;
  }

  ended(result: Result, seconds: number): void {
    let series = this.#series.get(result);
    if (series === undefined) this.#series.set(result, (series = this.#newSeries(result)));
    series.attempts.add();
    series.seconds.observe(seconds);
    this.#filter.observe(seconds);
  }
}

/** Counts and times authentication and authorization, under upstream's metric names. */
export class AccessMetrics {
  readonly #clock: Clock;
  readonly #authentication: StepMetrics<AuthenticationResult>;
  readonly #authorization: StepMetrics<AuthorizationResult>;
  readonly #users: Counter;
  readonly #remaining: Histogram;

  constructor(metrics: MetricRegistry, clock: Clock) {
    this.#clock = clock;
    const buckets = exponentialBuckets(0.001, 2, 15);
    const labels = ['result'] as const;
    const filters = metrics.histogram({
      name: 'apiserver_request_filter_duration_seconds',
      help: 'How long the steps take that every request goes through.',
      labels: ['filter'],
      buckets: FILTER_SECONDS,
    });
    const step = <Result extends string>(
      filter: string,
      names: { readonly attempts: string; readonly seconds: string; readonly what: string },
    ): StepMetrics<Result> => {
      const attempts = metrics.counter({ name: names.attempts, help: `Requests by ${names.what}.`, labels });
      const seconds = metrics.histogram({
        name: names.seconds,
        help: `Time to find out ${names.what}.`,
        labels,
        buckets,
      });
      return new StepMetrics(filters.with({ filter }), (result) => ({
        attempts: attempts.with({ result }),
        seconds: seconds.with({ result }),
      }));
    };
    this.#authentication = step('authentication', {
      attempts: 'authentication_attempts',
      seconds: 'authentication_duration_seconds',
      what: 'whether their sender is known',
    });
    this.#authorization = step('authorization', {
      attempts: 'authorization_attempts_total',
      seconds: 'authorization_duration_seconds',
      what: 'whether they are allowed',
    });
    // As upstream: its list of user names that are reported has none that our clients use.
    this.#users = metrics
      .counter({
        name: 'authenticated_user_requests',
        help: 'Requests by their sender; names that no program of Kubernetes has are left out.',
        labels: ['username'],
      })
      .with({ username: 'other' });
    this.#remaining = metrics
      .histogram({
        name: 'apiserver_client_certificate_expiration_seconds',
        help: 'For how long the certificates that requests came with are still valid.',
        buckets: REMAINING,
      })
      .with();
  }

  /** The start time for `authenticated` and `authorized`. */
  now(): number {
    return this.#clock.monotonic();
  }

  authenticated(result: AuthenticationResult, since: number): void {
    this.#authentication.ended(result, (this.now() - since) / 1000);
    if (result === 'success') this.#users.add();
  }

  authorized(result: AuthorizationResult, since: number): void {
    this.#authorization.ended(result, (this.now() - since) / 1000);
  }

  showed({ endsMs }: ClientCertificate): void {
    if (endsMs !== undefined) this.#remaining.observe((endsMs - this.#clock.now()) / 1000);
  }
}
