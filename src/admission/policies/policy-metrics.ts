import type { Clock, MetricRegistry } from '../../base/index.ts';

const SECONDS = [0.0000005, 0.001, 0.01, 0.1, 1];
const LABELS = ['policy', 'policy_binding', 'error_type'] as const;
const OUT_OF_BUDGET = 'validation failed due to running out of cost budget';

/** A check by one policy with one binding. */
export interface PolicyCheck {
  readonly policy: string;
  readonly binding: string;
  /** The problem found; absent: none. */
  readonly problem?: string;
}

export type EnforcementAction = 'allow' | 'deny' | 'audit' | 'warn';

/** The checks of ValidatingAdmissionPolicies, under upstream's names. */
export class ValidatingPolicyMetrics {
  readonly #clock: Clock;
  readonly #checks;
  readonly #seconds;

  constructor(metrics: MetricRegistry, clock: Clock) {
    const labels = [...LABELS, 'enforcement_action'] as const;
    this.#clock = clock;
    this.#checks = metrics.counter({
      name: 'apiserver_validating_admission_policy_check_total',
      help: 'Checks of validating policies that found something, and what was done about it.',
      labels,
    });
    this.#seconds = metrics.histogram({
      name: 'apiserver_validating_admission_policy_check_duration_seconds',
      help: 'How long checks of validating policies take that find something.',
      labels,
      buckets: SECONDS,
    });
  }

  /** The start time for `checked`. */
  now(): number {
    return this.#clock.monotonic();
  }

  checked({ policy, binding, problem }: PolicyCheck, action: EnforcementAction, start: number): void {
    const labels = { policy, policy_binding: binding, error_type: errorType(problem), enforcement_action: action };
    this.#checks.with(labels).add();
    this.#seconds.with(labels).observe((this.now() - start) / 1000);
  }
}

/** The mutations of MutatingAdmissionPolicies, under upstream's names. */
export class MutatingPolicyMetrics {
  readonly #clock: Clock;
  readonly #checks;
  readonly #seconds;

  constructor(metrics: MetricRegistry, clock: Clock) {
    this.#clock = clock;
    this.#checks = metrics.counter({
      name: 'apiserver_mutating_admission_policy_check_total',
      help: 'Mutations by policies, and how they ended.',
      labels: LABELS,
    });
    this.#seconds = metrics.histogram({
      name: 'apiserver_mutating_admission_policy_check_duration_seconds',
      help: 'How long mutations by policies take.',
      labels: LABELS,
      buckets: SECONDS,
    });
  }

  /** The start time for `mutated`. */
  now(): number {
    return this.#clock.monotonic();
  }

  mutated({ policy, binding, problem }: PolicyCheck, start: number): void {
    const labels = { policy, policy_binding: binding, error_type: errorType(problem) };
    this.#checks.with(labels).add();
    this.#seconds.with(labels).observe((this.now() - start) / 1000);
  }
}

/** Classified by message, as upstream does. A violated rule also counts as an error. */
function errorType(problem: string | undefined): string {
  if (problem === undefined) return 'no_error';
  if (problem.startsWith('compilation')) return 'compile_error';
  return problem.startsWith(OUT_OF_BUDGET) ? 'out_of_budget' : 'invalid_error';
}
