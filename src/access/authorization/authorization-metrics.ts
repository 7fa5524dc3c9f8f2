import type { Authorizer, AccessDecision } from '../../apiserver/index.ts';
import type { Clock, MetricRegistry } from '../../base/index.ts';

export type WebhookResult = 'success' | 'canceled' | 'timeout' | 'error';

const CONDITION_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

/** Counts authorizers' decisions and webhooks' calls, under upstream's metric names. */
export class AuthorizationMetrics {
  readonly clock: Clock;
  readonly #families: ReturnType<typeof familiesOf>;

  constructor(metrics: MetricRegistry, clock: Clock) {
    this.clock = clock;
    this.#families = familiesOf(metrics);
  }

  /** Wraps an authorizer to count its decisions; "no opinion" is not counted. */
  counted(type: string, name: string, authorizer: Authorizer): Authorizer {
    const { decisions } = this.#families;
    const allowed = decisions.with({ type, name, decision: 'allowed' });
    const denied = decisions.with({ type, name, decision: 'denied' });
    const count = (decision: AccessDecision): AccessDecision => {
      if (decision.verdict === 'allow') allowed.add();
      else if (decision.verdict === 'deny') denied.add();
      return decision;
    };
    return {
      name: authorizer.name ?? name,
      authorize(request) {
        const answer = authorizer.authorize(request);
        return answer instanceof Promise ? answer.then(count) : count(answer);
      },
    };
  }

  asked(name: string, result: WebhookResult, seconds: number): void {
    this.#families.evaluations.with({ name, result }).add();
    this.#families.seconds.with({ name, result }).observe(seconds);
  }

  /** Counts a failed webhook whose failure policy is NoOpinion. */
  failedOpen(name: string, result: WebhookResult): void {
    this.#families.failOpen.with({ name, result }).add();
  }

  /** Counts an evaluation of match conditions that began at monotonic time `since`. */
  conditionsJudged(name: string, verdict: 'match' | 'excluded' | 'error', since: number): void {
    const labels = { type: 'Webhook', name };
    this.#families.conditionSeconds.with(labels).observe((this.clock.monotonic() - since) / 1000);
    if (verdict === 'error') this.#families.conditionErrors.with(labels).add();
    else if (verdict === 'excluded') this.#families.exclusions.with(labels).add();
  }
}

function familiesOf(metrics: MetricRegistry) {
  const prefix = 'apiserver_authorization';
  const webhook = ['name', 'result'] as const;
  const authorizer = ['type', 'name'] as const;
  return {
    decisions: metrics.counter({
      name: `${prefix}_decisions_total`,
      help: 'Requests that an authorizer allowed or denied.',
      labels: ['type', 'name', 'decision'],
    }),
    evaluations: metrics.counter({
      name: `${prefix}_webhook_evaluations_total`,
      help: 'Calls of authorization webhooks, by result.',
      labels: webhook,
    }),
    seconds: metrics.histogram({
      name: `${prefix}_webhook_duration_seconds`,
      help: 'Time that authorization webhooks took to answer.',
      labels: webhook,
    }),
    failOpen: metrics.counter({
      name: `${prefix}_webhook_evaluations_fail_open_total`,
      help: 'Calls of authorization webhooks that failed and were ignored.',
      labels: webhook,
    }),
    conditionErrors: metrics.counter({
      name: `${prefix}_match_condition_evaluation_errors_total`,
      help: 'Requests for which match conditions of an authorizer failed.',
      labels: authorizer,
    }),
    exclusions: metrics.counter({
      name: `${prefix}_match_condition_exclusions_total`,
      help: 'Requests that match conditions excluded from an authorizer.',
      labels: authorizer,
    }),
    conditionSeconds: metrics.histogram({
      name: `${prefix}_match_condition_evaluation_seconds`,
      help: 'Time that match conditions of an authorizer took.',
      labels: authorizer,
      buckets: CONDITION_SECONDS,
    }),
  };
}
