// The life of a pod as one state machine: from the spec, the containers in the runtime and the time, to the next actions
// and the status to report. The functions here are pure.
import { activeDeadline, pastDeadline } from './active-deadline.ts';
import { type BackOff, crashKey, nextBackOff } from './back-off.ts';
import { changedContainers, changeMessage } from './changed-containers.ts';
import { type ContainerKind, containersOf, isToBeStarted } from './container-status.ts';
import { finishedAt, holdBack } from './hold-back.ts';
import { initStarts } from './init-starts.ts';
import { finalStatus, podStatus, withheld } from './pod-status.ts';
import { numberOfInt64 } from '../../api/client.ts';
import { isSidecar, isTerminalPhase } from '../../api/meaning/index.ts';
import { type ContainerRestart, NO_RESIZE, resizeSteps, type ResizeSteps } from './resize-steps.ts';
import { restartsAll, shouldRestart } from './restart-rules.ts';
import { earliest, probeChanges } from './wake-times.ts';
import {
  type ContainerSpec,
  type ContainerView,
  type Eviction,
  newestContainer,
  statusNamed,
  type PodStatus,
  type PodView,
  type StartFailure,
  timeText,
} from './pod-view.ts';

/** Something to be done in the runtime or, at the very end, to the pod. */
export type PodAction =
  | { readonly type: 'run sandbox'; readonly attempt: number }
  | {
      readonly type: 'start container';
      readonly container: ContainerSpec;
      readonly kind: ContainerKind;
      readonly attempt: number;
      /** The back-off that applies from this start on. */
      readonly backOff: BackOff | undefined;
    }
  /** The container may not be started yet: report why. */
  | { readonly type: 'hold back'; readonly container: ContainerSpec; readonly failure: StartFailure }
  | {
      readonly type: 'stop container';
      readonly container: ContainerView;
      readonly graceSeconds: number;
      /** Message of the event; default that the pod is stopping. */
      readonly message?: string;
    }
  /** Changes the limits of the pod and its running containers to what is allocated. */
  | { readonly type: 'resize pod' }
  | { readonly type: 'remove container'; readonly container: ContainerView }
  | { readonly type: 'stop sandbox'; readonly id: string }
  /** Releases volumes and devices; the worker does that before it deletes a pod whose drivers hold volumes. */
  | { readonly type: 'release' }
  | { readonly type: 'delete pod' };

/**
 * - `running`: missing containers are started.
 * - `ending`: the pod is deleted, past its deadline, or done; running containers are stopped step by step.
 * - `ended`: nothing of the pod runs any more.
 */
export type PodStage = 'running' | 'ending' | 'ended';

export interface PodPlan {
  readonly stage: PodStage;
  /** Reported before the actions are carried out. */
  readonly status: PodStatus;
  /** In order; containers are stopped concurrently. */
  readonly actions: readonly PodAction[];
  /** When to look again even if nothing happens. */
  readonly wakeAtMs: number | undefined;
  /** Why the node ends the pod, if it does. */
  readonly eviction: Eviction | undefined;
}

const DEFAULT_GRACE_SECONDS = 30;
/** Minimum grace period, applied even when the pod grants less. */
const MIN_STOP_SECONDS = 2;
/** The exit code of a container that is killed. */
const KILLED = 137;

export function planPod(view: PodView): PodPlan {
  if (view.memory.rejection !== undefined) return planRejected(view, view.memory.rejection);
  if (isTerminalPhase(view.memory.status.phase) && view.containers.length === 0 && view.sandbox === undefined)
    return ended(view, view.memory.status);
  const eviction = view.memory.eviction ?? pastDeadline(view);
  const isRestartingAll = wantsRestartOfAll(view);
  const status = podStatus(view, { isTerminal: false, isRestartingAll, eviction });
  const isDeleted = view.pod.metadata.deletionTimestamp !== undefined;
  if (isDeleted || isTerminalPhase(status.phase) || isDone(view)) return planEnd(view, status, eviction);
  return isRestartingAll ? planRestartOfAll(view, status) : planRun(view, status);
}

/** The node rejected the pod: it has failed without ever running. */
function planRejected(view: PodView, { reason, message }: Eviction): PodPlan {
  const { pod, memory, nowMs } = view;
  const { generation } = pod.metadata;
  return ended(view, {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: 'Failed',
    reason,
    message: `Pod was rejected: ${message}`,
    startTime: memory.status.startTime ?? timeText(nowMs),
    ...(pod.status?.qosClass === undefined ? {} : { qosClass: pod.status.qosClass }),
  });
}

// ---- ending

/** Stops regular containers, then sidecars from the last to the first, then the sandbox. */
function planEnd(view: PodView, status: PodStatus, eviction: Eviction | undefined): PodPlan {
  const ending = { stage: 'ending', status: withheld(view, status), wakeAtMs: undefined, eviction } as const;
  const running = view.containers.filter(({ state }) => state === 'CONTAINER_RUNNING');
  const stopped = nextToStop(view, running);
  const { sandbox } = view;
  const actions: PodAction[] = stopped.map((container) => stop(container, graceLeft(view)));
  if (stopped.length === running.length && sandbox?.state === 'SANDBOX_READY')
    actions.push({ type: 'stop sandbox', id: sandbox.id });
  if (actions.length > 0) return { ...ending, actions };
  return ended(
    view,
    finalStatus(view, podStatus(view, { isTerminal: true, isRestartingAll: false, eviction })),
    eviction,
  );
}

function ended(view: PodView, status: PodStatus, eviction?: Eviction): PodPlan {
  const isDeleted = view.pod.metadata.deletionTimestamp !== undefined;
  return { stage: 'ended', status, actions: isDeleted ? [{ type: 'delete pod' }] : [], wakeAtMs: undefined, eviction };
}

function nextToStop(view: PodView, running: readonly ContainerView[]): readonly ContainerView[] {
  const sidecars = containersOf(view, 'init').filter(isSidecar);
  const isSidecarOf = ({ metadata }: ContainerView): boolean => sidecars.some(({ name }) => name === metadata.name);
  const others = running.filter((container) => !isSidecarOf(container));
  if (others.length > 0) return others;
  const last = sidecars.findLast(({ name }) => running.some(({ metadata }) => metadata.name === name));
  return running.filter(({ metadata }) => metadata.name === last?.name);
}

function stop(container: ContainerView, graceSeconds: number): Extract<PodAction, { type: 'stop container' }> {
  return { type: 'stop container', container, graceSeconds };
}

/** What is left of the pod's grace period. */
function graceLeft({ pod, nowMs, memory }: PodView): number {
  const { eviction } = memory;
  const own = pod.metadata.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds;
  const granted = pod.metadata.deletionTimestamp === undefined ? (eviction?.graceSeconds ?? own) : own;
  const takenSeconds = Math.floor((nowMs - (memory.terminatingSinceMs ?? nowMs)) / 1000);
  return Math.max(numberOfInt64(granted ?? DEFAULT_GRACE_SECONDS) - takenSeconds, MIN_STOP_SECONDS);
}

/** Every regular container has ended for good: sidecars do not keep a pod alive. */
function isDone(view: PodView): boolean {
  const regular = containersOf(view, 'regular');
  return (
    regular.length > 0 &&
    regular.every((container) => {
      return newestContainer(view, container.name)?.state === 'CONTAINER_EXITED' && !isToBeStarted(view, container);
    })
  );
}

// ---- running

function planRun(view: PodView, status: PodStatus): PodPlan {
  const steps = hasSandbox(view) ? startsIn(view) : firstStarts(view);
  const resize = hasSandbox(view) ? resizeSteps(view) : NO_RESIZE;
  const changed = hasSandbox(view) ? changedContainers(view) : [];
  const wakeAtMs = earliest([...steps.wakeAtMs, resize.wakeAtMs, activeDeadline(view), ...probeChanges(view)]);
  const restarts = resize.restarts.filter(({ newest }) => !changed.some((each) => each.newest === newest));
  const actions = [
    ...kills(view).filter(({ container }) => !changed.some(({ newest }) => newest === container)),
    ...changed.flatMap((each) => restart(view, each, changeMessage(each))),
    ...resizeActions(view, { ...resize, restarts }),
    ...steps.actions,
  ];
  return { stage: 'running', status, actions, wakeAtMs, eviction: undefined };
}

/** Changes limits, and starts those containers again whose policy asks for it. */
function resizeActions(view: PodView, { isDue, restarts }: ResizeSteps): PodAction[] {
  if (!isDue) return [];
  const pairs = restarts.map((each) => restart(view, each, `Container ${each.container.name} resize requires restart`));
  return [...pairs.map(([stopped]) => stopped), { type: 'resize pod' }, ...pairs.map(([, started]) => started)];
}

/** Stops a running container, and starts it again whatever the restart policy says. */
function restart(
  { pod }: PodView,
  { container, kind, newest }: ContainerRestart,
  message: string,
): [PodAction, PodAction] {
  const granted = numberOfInt64(pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
  const attempt = newest.metadata.attempt + 1;
  return [
    { ...stop(newest, Math.max(granted, MIN_STOP_SECONDS)), message },
    { type: 'start container', container, kind, attempt, backOff: undefined },
  ];
}

/** Stops containers that fail their probes. The restart policy decides whether they start again. */
function kills(view: PodView): Extract<PodAction, { type: 'stop container' }>[] {
  const specs = [...containersOf(view, 'init'), ...containersOf(view, 'regular')];
  return view.containers.flatMap((container) => {
    const { probe, state, metadata } = container;
    if (probe?.failed === undefined || state !== 'CONTAINER_RUNNING') return [];
    const spec = specs.find(({ name }) => name === metadata.name);
    if (spec === undefined) return [];
    const restarts = shouldRestart(spec, view.pod.spec ?? { containers: [] }, KILLED);
    const message = `Container ${spec.name} failed ${probe.failed.probe} probe${restarts ? ', will be restarted' : ''}`;
    const granted = probe.failed.graceSeconds ?? view.pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
    return [{ ...stop(container, Math.max(numberOfInt64(granted), MIN_STOP_SECONDS)), message }];
  });
}

interface Steps {
  readonly actions: readonly PodAction[];
  readonly wakeAtMs: readonly (number | undefined)[];
}

function hasSandbox({ sandbox }: PodView): boolean {
  return sandbox?.state === 'SANDBOX_READY';
}

/** Creates the sandbox, and in it starts the first init container or, without any, all containers. */
function firstStarts(view: PodView): Steps {
  const retryAtMs = view.memory.sandboxFailure?.retryAtMs;
  if (retryAtMs !== undefined && view.nowMs < retryAtMs) return { actions: [], wakeAtMs: [retryAtMs] };
  const attempt = view.sandbox === undefined ? 0 : view.sandbox.metadata.attempt + 1;
  const starts = startsIn({ ...view, containers: [] });
  return { actions: [{ type: 'run sandbox', attempt }, ...starts.actions], wakeAtMs: starts.wakeAtMs };
}

function startsIn(view: PodView): Steps {
  const ephemeral = containersOf(view, 'ephemeral').filter(({ name }) => newestContainer(view, name) === undefined);
  const init = initStarts(view);
  const regular = init.isInitialized
    ? containersOf(view, 'regular').filter((container) => isToBeStarted(view, container))
    : [];
  const steps = [
    ...ephemeral.map((container) => startOrHold(view, container, 'ephemeral')),
    ...init.starts.map((container) => startOrHold(view, container, 'init')),
    ...regular.map((container) => startOrHold(view, container, 'regular')),
  ];
  return { actions: steps.flatMap(({ actions }) => actions), wakeAtMs: steps.flatMap(({ wakeAtMs }) => wakeAtMs) };
}

function startOrHold(view: PodView, container: ContainerSpec, kind: ContainerKind): Steps {
  const hold = holdBack(view, container);
  if (hold !== undefined) {
    const known = view.memory.failures.get(container.name);
    const isReported = known?.reason === hold.failure.reason && known.message === hold.failure.message;
    const action: PodAction = { type: 'hold back', container, failure: hold.failure };
    return { actions: isReported ? [] : [action], wakeAtMs: [hold.untilMs] };
  }
  const newest = newestContainer(view, container.name);
  const hasCrashed = newest?.state === 'CONTAINER_EXITED';
  const backOff = hasCrashed
    ? nextBackOff(view.memory.backOffs.get(crashKey(container.name)), {
        failedAtMs: finishedAt(newest),
        nowMs: view.nowMs,
        ...(view.maxRestartDelayMs === undefined ? {} : { maxMs: view.maxRestartDelayMs }),
      })
    : undefined;
  const attempt = newest === undefined ? firstAttempt(view, container.name) : newest.metadata.attempt + 1;
  return { actions: [{ type: 'start container', container, kind, attempt, backOff }], wakeAtMs: [] };
}

/** The number of the next run. A container that the runtime no longer has may have run before. */
function firstAttempt({ memory }: PodView, name: string): number {
  const { initContainerStatuses, containerStatuses: regular } = memory.status;
  const old = statusNamed(initContainerStatuses, name) ?? statusNamed(regular, name);
  if (old === undefined) return 0;
  return old.state?.terminated === undefined ? old.restartCount : old.restartCount + 1;
}

// ---- starting over

/** True from when a container's rule restarts all containers until all of them are removed. */
function wantsRestartOfAll(view: PodView): boolean {
  if (view.containers.length === 0 || view.pod.metadata.deletionTimestamp !== undefined) return false;
  const isUnderWay = view.memory.status.conditions?.some(
    ({ type, status }) => type === 'AllContainersRestarting' && status === 'True',
  );
  if (isUnderWay === true) return true;
  return [...containersOf(view, 'init'), ...containersOf(view, 'regular')].some((container) => {
    const newest = newestContainer(view, container.name);
    return newest?.state === 'CONTAINER_EXITED' && restartsAll(container, newest.exitCode);
  });
}

/** Stops what runs, then removes all containers: the pod begins again in the same sandbox. */
function planRestartOfAll(view: PodView, status: PodStatus): PodPlan {
  const running = view.containers.filter(({ state }) => state === 'CONTAINER_RUNNING');
  const actions: PodAction[] =
    running.length > 0
      ? nextToStop(view, running).map((container) => stop(container, graceLeft(view)))
      : view.containers.map((container) => ({ type: 'remove container', container }));
  return { stage: 'running', status, actions, wakeAtMs: undefined, eviction: undefined };
}
