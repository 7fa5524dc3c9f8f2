import type { MetricSpec, MetricStatus } from '../../api/types/autoscaling/v2.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { MetricContext, Proposal } from './metric-context.ts';
import { MetricError, propose } from './metric-proposal.ts';

/** The combined result of all metrics of an autoscaler. */
export interface Weighed {
  /** The largest proposal; undefined when nothing may be done, because unreadable metrics might have proposed more. */
  readonly best: Proposal | undefined;
  /** In the order of the metrics; unreadable ones have no type. */
  readonly statuses: readonly DeepReadonly<MetricStatus>[];
  readonly failures: readonly MetricError[];
  /** The error, if a metric failed. */
  readonly problem: string | undefined;
}

/** Evaluates all metrics in order. */
export async function weighMetrics(
  specs: readonly DeepReadonly<MetricSpec>[],
  context: MetricContext,
): Promise<Weighed> {
  const outcomes: (Proposal | MetricError)[] = [];
  for (const spec of specs) {
    outcomes.push(
      await propose(spec, context).catch((error: unknown) => {
        if (error instanceof MetricError) return error;
        throw error;
      }),
    );
  }
  const failures = outcomes.filter((outcome) => outcome instanceof MetricError);
  const proposals = outcomes.filter((outcome): outcome is Proposal => !(outcome instanceof MetricError));
  const statuses = outcomes.map((outcome) => (outcome instanceof MetricError ? { type: '' } : outcome.status));
  const best = proposals.reduce<Proposal | undefined>(
    (largest, each) =>
      largest === undefined || largest.replicas === 0 || each.replicas > largest.replicas ? each : largest,
    undefined,
  );
  const [first] = failures;
  if (first === undefined) return { best, statuses, failures, problem: undefined };
  const problem = `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first.summary}`;
  const mayScale = best !== undefined && best.replicas >= context.specReplicas;
  return { best: mayScale ? best : undefined, statuses, failures, problem };
}
