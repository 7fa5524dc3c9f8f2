import { millisOfGoSeconds } from '../../api/client.ts';
import type { JobStatus, SuccessPolicy, SuccessPolicyRule } from '../../api/types/batch/v1.d.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';
import { findTrue } from './conditions.ts';
import { judgeFailure } from './failure-policy.ts';
import { IndexSet } from './index-set.ts';
import type { IndexTally } from './index-tally.ts';
import { hasFailed } from './job-pod.ts';
import type { JobView } from './job-view.ts';
import type { PodTally } from './pod-tally.ts';

/** How and why a Job ends. */
export interface JobEnd {
  readonly outcome: 'succeeded' | 'failed';
  readonly reason: string;
  readonly message: string;
  /** Whether a condition already announces it. */
  readonly isAnnounced: boolean;
}

export interface EndFacts {
  readonly view: JobView;
  readonly tally: PodTally;
  readonly indexes: IndexTally | undefined;
  readonly status: DeepReadonly<JobStatus>;
  readonly nowMs: number;
}

type EndRule = (facts: EndFacts) => JobEnd | undefined;

/** The first rule that applies decides. An announced end stays; failures take precedence over success. */
const RULES: readonly EndRule[] = [
  announcedSuccess,
  announcedFailure,
  failedByPolicy,
  tooManyFailures,
  tooLong,
  tooManyFailedIndexes,
  noIndexLeft,
  enoughByPolicy,
];

/** Whether the Job must end, with or without running pods. */
export function jobEnd(facts: EndFacts): JobEnd | undefined {
  for (const rule of RULES) {
    const end = rule(facts);
    if (end !== undefined) return end;
  }
  return undefined;
}

/** The end of a Job with all its completions. */
export const COMPLETIONS_REACHED: JobEnd = {
  outcome: 'succeeded',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
  isAnnounced: false,
};

/** Milliseconds until activeDeadlineSeconds is over; undefined without a deadline. */
export function untilDeadlineMs({ view, status, nowMs }: EndFacts): number | undefined {
  const { activeDeadlineSeconds } = view.spec;
  if (activeDeadlineSeconds === undefined || status.startTime === undefined || view.isSuspended) return undefined;
  return Date.parse(status.startTime) + millisOfGoSeconds(activeDeadlineSeconds) - nowMs;
}

function failure(reason: string, message: string): JobEnd {
  return { outcome: 'failed', reason, message, isAnnounced: false };
}

function announcedSuccess({ status }: EndFacts): JobEnd | undefined {
  const condition = findTrue(status.conditions, 'SuccessCriteriaMet');
  if (condition === undefined) return undefined;
  return { outcome: 'succeeded', reason: condition.reason ?? '', message: condition.message ?? '', isAnnounced: true };
}

function announcedFailure({ status }: EndFacts): JobEnd | undefined {
  const condition = findTrue(status.conditions, 'FailureTarget');
  if (condition === undefined) return undefined;
  return { outcome: 'failed', reason: condition.reason ?? '', message: condition.message ?? '', isAnnounced: true };
}

function failedByPolicy({ view, tally }: EndFacts): JobEnd | undefined {
  const { podFailurePolicy } = view.spec;
  if (podFailurePolicy === undefined) return undefined;
  for (const pod of tally.pods) {
    const message = hasFailed(pod, view) ? judgeFailure(podFailurePolicy, pod).message : undefined;
    if (message !== undefined) return failure('PodFailurePolicy', message);
  }
  return undefined;
}

function tooManyFailures({ view, tally }: EndFacts): JobEnd | undefined {
  const { backoffLimit, spec } = view;
  const countsRestarts = spec.template?.spec?.restartPolicy === 'OnFailure';
  const restarts = countsRestarts ? tally.pods.reduce((sum, pod) => sum + restartsOf(pod), 0) : 0;
  if (tally.failed <= backoffLimit && (restarts === 0 || restarts < backoffLimit)) return undefined;
  return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
}

function restartsOf({ status }: Observed<Pod>): number {
  if (status?.phase !== 'Running' && status?.phase !== 'Pending') return 0;
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return containers.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
}

function tooLong(facts: EndFacts): JobEnd | undefined {
  const leftMs = untilDeadlineMs(facts);
  if (leftMs === undefined || leftMs > 0) return undefined;
  return failure('DeadlineExceeded', 'Job was active longer than specified deadline');
}

function tooManyFailedIndexes({ view, indexes }: EndFacts): JobEnd | undefined {
  const { maxFailedIndexes = Infinity } = view.spec;
  if ((indexes?.failed?.size ?? 0) <= maxFailedIndexes) return undefined;
  const message = 'Job has exceeded the specified maximal number of failed indexes';
  return failure('MaxFailedIndexesExceeded', message);
}

function noIndexLeft({ view, indexes }: EndFacts): JobEnd | undefined {
  const failed = indexes?.failed?.size ?? 0;
  const succeeded = indexes?.succeeded.size ?? 0;
  if (failed === 0 || failed + succeeded < (view.completions ?? 0)) return undefined;
  return failure('FailedIndexes', 'Job has failed indexes');
}

function enoughByPolicy({ view, indexes }: EndFacts): JobEnd | undefined {
  if (indexes === undefined) return undefined;
  const message = metSuccessRule(view.spec.successPolicy, indexes.succeeded, view.completions ?? 0);
  if (message === undefined) return undefined;
  return { outcome: 'succeeded', reason: 'SuccessPolicy', message, isAnnounced: false };
}

/** Describes the first success rule that the succeeded indexes meet; undefined when none is met. */
function metSuccessRule(
  policy: DeepReadonly<SuccessPolicy> | undefined,
  succeeded: IndexSet,
  completions: number,
): string | undefined {
  if (succeeded.size === 0) return undefined;
  const position = policy?.rules.findIndex((rule) => isMet(rule, succeeded, completions)) ?? -1;
  return position < 0 ? undefined : `Matched rules at index ${position}`;
}

function isMet(
  { succeededIndexes, succeededCount = Infinity }: DeepReadonly<SuccessPolicyRule>,
  succeeded: IndexSet,
  completions: number,
): boolean {
  if (succeededIndexes === undefined) return succeeded.size >= succeededCount;
  const required = IndexSet.parse(succeededIndexes, completions);
  if (required.size === 0) return false;
  return required.overlap(succeeded) >= Math.min(required.size, succeededCount);
}
