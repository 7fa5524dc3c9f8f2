import {
  type Condition,
  type Finding,
  findCondition,
  newCondition,
  withCondition,
  withoutCondition,
} from './conditions.ts';
import { type Counts, countsOf, isComplete } from './deployment-status.ts';
import type { DeploymentView } from './deployment-view.ts';
import type { SetsOfDeployment } from './replica-sets.ts';

const COMPLETE = 'NewReplicaSetAvailable';
export const TIMED_OUT = 'ProgressDeadlineExceeded';

export interface ProgressInput {
  readonly deployment: DeploymentView;
  readonly sets: SetsOfDeployment;
  /** The current counts; the previous ones are in the Deployment's status. */
  readonly counts: Counts;
  readonly nowMs: number;
}

/** The conditions with an updated Progressing condition, if the Deployment has a deadline. */
export function withProgress(conditions: readonly Condition[], input: ProgressInput): readonly Condition[] {
  const { deployment, counts, sets, nowMs } = input;
  if (deployment.progressDeadlineSeconds === undefined) return withoutCondition(conditions, 'Progressing');
  const known = findCondition(conditions, 'Progressing');
  if (counts.replicas === counts.updatedReplicas && known?.reason === COMPLETE) return conditions;
  const { name } = sets.current?.metadata ?? deployment;
  const subject = `${sets.current === undefined ? 'Deployment' : 'ReplicaSet'} ${JSON.stringify(name)}`;
  const tell = (status: Finding['status'], reason: string, outcome: string): Condition =>
    newCondition({ type: 'Progressing', status, reason, message: `${subject} ${outcome}` }, nowMs);
  if (isComplete(deployment, counts)) {
    return withCondition(conditions, tell('True', COMPLETE, 'has successfully progressed.'));
  }
  if (isProgressing(countsOf(deployment), counts)) {
    return renewed(conditions, tell('True', 'ReplicaSetUpdated', 'is progressing.'));
  }
  if (hasTimedOut(deployment, known, nowMs)) {
    return withCondition(conditions, tell('False', TIMED_OUT, 'has timed out progressing.'));
  }
  return conditions;
}

/** Progress resets the deadline, so the condition is rewritten even when its reason stays the same. */
function renewed(conditions: readonly Condition[], condition: Condition): readonly Condition[] {
  const known = findCondition(conditions, 'Progressing');
  const since = known?.status === 'True' ? known.lastTransitionTime : undefined;
  const added = since === undefined ? condition : { ...condition, lastTransitionTime: since };
  return [...withoutCondition(conditions, 'Progressing'), added];
}

/** More updated pods, fewer old ones, or more ready or available ones. */
function isProgressing(before: Counts, now: Counts): boolean {
  return (
    now.updatedReplicas > before.updatedReplicas ||
    now.replicas - now.updatedReplicas < before.replicas - before.updatedReplicas ||
    now.readyReplicas > before.readyReplicas ||
    now.availableReplicas > before.availableReplicas
  );
}

/** A complete rollout cannot time out: its condition is just outdated. */
function hasTimedOut(deployment: DeploymentView, known: Condition | undefined, nowMs: number): boolean {
  if (known === undefined || known.reason === COMPLETE) return false;
  return known.reason === TIMED_OUT || deadlineMs(deployment, known) < nowMs;
}

/**
 * Milliseconds until the deadline must be checked; undefined without a deadline or after the rollout: later pod
 * failures do not count.
 *
 * Adds a second because condition times are whole seconds.
 */
export function progressCheckInMs(conditions: readonly Condition[], input: ProgressInput): number | undefined {
  const { deployment, counts, nowMs } = input;
  const known = findCondition(conditions, 'Progressing');
  if (deployment.progressDeadlineSeconds === undefined || known === undefined) return undefined;
  if (isComplete(deployment, counts) || known.reason === TIMED_OUT || known.reason === COMPLETE) return undefined;
  const leftMs = deadlineMs(deployment, known) - nowMs;
  return leftMs < 1000 ? Math.max(0, leftMs) + 1 : leftMs + 1000;
}

function deadlineMs({ progressDeadlineSeconds = 0 }: DeploymentView, { lastUpdateTime }: Condition): number {
  return Date.parse(lastUpdateTime ?? '1970-01-01T00:00:00Z') + progressDeadlineSeconds * 1000;
}

/**
 * Updates the Progressing condition on pause and resume, so that paused time does not count against the deadline. A
 * missed deadline stays reported.
 */
export function withPause(
  conditions: readonly Condition[],
  { isPaused, progressDeadlineSeconds }: DeploymentView,
  nowMs: number,
): readonly Condition[] {
  const known = findCondition(conditions, 'Progressing');
  if (progressDeadlineSeconds === undefined || known?.reason === TIMED_OUT) return conditions;
  if (isPaused === (known?.reason === 'DeploymentPaused')) return conditions;
  const [reason, message] = isPaused
    ? (['DeploymentPaused', 'Deployment is paused'] as const)
    : (['DeploymentResumed', 'Deployment is resumed'] as const);
  return withCondition(conditions, newCondition({ type: 'Progressing', status: 'Unknown', reason, message }, nowMs));
}

/** Copies the ReplicaFailure condition of a ReplicaSet, preferring the current one's. */
export function withReplicaFailure(
  conditions: readonly Condition[],
  { current, old }: SetsOfDeployment,
): readonly Condition[] {
  for (const set of current === undefined ? old : [current, ...old]) {
    const failure = set.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
    if (failure === undefined) continue;
    const { lastTransitionTime } = failure;
    return withCondition(conditions, { ...failure, ...(lastTransitionTime && { lastUpdateTime: lastTransitionTime }) });
  }
  return withoutCondition(conditions, 'ReplicaFailure');
}
