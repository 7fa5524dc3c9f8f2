// The phase of a pod, from what its containers do.
import { isSidecar } from '../../api/meaning/index.ts';
import { shouldRestart } from './restart-rules.ts';
import type { ContainerSpec, PodContainerStatus, PodSpec, PodStatus } from './pod-view.ts';

export type PodPhase = NonNullable<PodStatus['phase']>;

export interface PhaseFacts {
  /** Init and regular ones. */
  readonly statuses: readonly PodContainerStatus[];
  /** Nothing will be started any more. */
  readonly isTerminal: boolean;
  /** A regular container has been made in the present sandbox. */
  readonly hasInitialized: boolean;
}

export function phaseOf(spec: PodSpec, { statuses, isTerminal, hasInitialized }: PhaseFacts): PodPhase {
  const byName = new Map(statuses.map((status) => [status.name, status]));
  const init = (spec.initContainers ?? []).map((container) => initOutcome(container, spec, byName.get(container.name)));
  const regular = spec.containers.map((container) => outcome(container, spec, byName.get(container.name)));
  const sidecars = (spec.initContainers ?? [])
    .filter(isSidecar)
    .map((container) => sidecarOutcome(byName.get(container.name)));

  if (init.includes('failed for good')) return 'Failed';
  const isSidecarPending = sidecars.some(({ isPending }) => isPending) && !hasInitialized;
  const isWaiting = regular.includes('waiting') || sidecars.some(({ isWaiting }) => isWaiting);
  if (init.includes('pending') || isSidecarPending || isWaiting) return 'Pending';

  const isUnknown = regular.includes('unknown') || sidecars.some(({ isUnknown }) => isUnknown);
  if (isUnknown) return 'Pending';
  if (regular.includes('running') || sidecars.some(({ isRunning }) => isRunning)) return 'Running';
  if (regular.length === 0) return 'Pending';
  const isComingBack = regular.some((each) => each === 'succeeded, restarts' || each === 'failed, restarts');
  if (isComingBack && !isTerminal) return 'Running';
  return regular.every((each) => each.startsWith('succeeded')) ? 'Succeeded' : 'Failed';
}

type Outcome = 'unknown' | 'running' | 'waiting' | 'succeeded' | 'succeeded, restarts' | 'failed' | 'failed, restarts';

function outcome(container: ContainerSpec, spec: PodSpec, status: PodContainerStatus | undefined): Outcome {
  if (status === undefined) return 'unknown';
  const { state = {}, lastState = {} } = status;
  if (state.running !== undefined) return 'running';
  const ended = state.terminated ?? (state.waiting === undefined ? undefined : lastState.terminated);
  if (ended === undefined) return state.waiting === undefined ? 'unknown' : 'waiting';
  const restarts = shouldRestart(container, spec, ended.exitCode);
  // a container that waits for its restart counts as stopped, but not as succeeded
  const hasSucceeded = state.terminated !== undefined && ended.exitCode === 0;
  if (hasSucceeded) return restarts ? 'succeeded, restarts' : 'succeeded';
  return restarts ? 'failed, restarts' : 'failed';
}

function initOutcome(
  container: ContainerSpec,
  spec: PodSpec,
  status: PodContainerStatus | undefined,
): 'pending' | 'done' | 'failed' | 'failed for good' {
  if (isSidecar(container)) return 'done';
  const { state = {}, lastState = {} } = status ?? {};
  const ended = state.terminated ?? (state.waiting === undefined ? undefined : lastState.terminated);
  if (ended === undefined) return 'pending';
  if (ended.exitCode === 0) return 'done';
  return shouldRestart(container, spec, ended.exitCode) ? 'failed' : 'failed for good';
}

interface SidecarOutcome {
  readonly isPending: boolean;
  readonly isRunning: boolean;
  readonly isWaiting: boolean;
  readonly isUnknown: boolean;
}

/** Sidecars that have ended say nothing about the phase. */
function sidecarOutcome(status: PodContainerStatus | undefined): SidecarOutcome {
  const { state = {}, lastState = {}, started } = status ?? {};
  const isRunning = state.running !== undefined;
  const isWaiting = state.waiting !== undefined && lastState.terminated === undefined;
  const isUnknown = !isRunning && state.waiting === undefined && state.terminated === undefined;
  return { isRunning, isWaiting, isUnknown, isPending: (isRunning && started !== true) || isWaiting };
}
