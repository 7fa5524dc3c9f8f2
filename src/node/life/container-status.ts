// What a pod reports of its containers.
import { isSidecar } from '../../api/meaning/index.ts';
import { resourcesInForce } from './resources-in-force.ts';
import { shouldRestart } from './restart-rules.ts';
import {
  type ContainerSpec,
  type ContainerView,
  newestContainer,
  type PodContainerStatus,
  type PodView,
  runsOf,
  statusNamed,
  timeText,
} from './pod-view.ts';

export type ContainerKind = 'init' | 'regular' | 'ephemeral';

type State = NonNullable<PodContainerStatus['state']>;
type Terminated = NonNullable<State['terminated']>;

/** Exit code reported when the real one is unknown: that of a killed process. */
const UNKNOWN_EXIT_CODE = 137;
const LOST_REASON = 'ContainerStatusUnknown';

/** The statuses of one kind of containers: init containers in their order, others by name. */
export function containerStatuses(view: PodView, kind: ContainerKind): PodContainerStatus[] {
  const statuses = containersOf(view, kind).map((container) => containerStatus(view, container, kind));
  return kind === 'init' ? statuses : statuses.sort((left, right) => (left.name < right.name ? -1 : 1));
}

export function containersOf({ pod }: PodView, kind: ContainerKind): readonly ContainerSpec[] {
  switch (kind) {
    case 'init':
      return pod.spec?.initContainers ?? [];
    case 'regular':
      return pod.spec?.containers ?? [];
    case 'ephemeral':
      return (pod.spec?.ephemeralContainers ?? []) as readonly ContainerSpec[];
  }
}

/** Whether the container has to be started: it never ran, or it ended and its restart policy applies. */
export function isToBeStarted(view: PodView, container: ContainerSpec): boolean {
  if (view.pod.metadata.deletionTimestamp !== undefined || view.pod.spec === undefined) return false;
  const newest = newestContainer(view, container.name);
  switch (newest?.state) {
    case undefined:
    case 'CONTAINER_CREATED':
    case 'CONTAINER_UNKNOWN':
      return true;
    case 'CONTAINER_RUNNING':
      return false;
    case 'CONTAINER_EXITED':
      return shouldRestart(container, view.pod.spec, newest.exitCode);
  }
}

function containerStatus(view: PodView, container: ContainerSpec, kind: ContainerKind): PodContainerStatus {
  const old = oldStatus(view, container.name, kind);
  const [newest, previous] = runsOf(view, container.name);
  const seen =
    newest === undefined
      ? withoutContainer(view, container, old)
      : withContainer(view, { container, newest, previous, old });
  const known = kind === 'regular' ? withDevices(view, seen) : seen;
  const shown = withFailure(view, { container, kind, newest }, known);
  return { ...shown, ...readiness(container, kind, { status: shown, newest }) };
}

/** For a container that the runtime does not have: it waits for its first start, or was lost. */
function withoutContainer(
  view: PodView,
  container: ContainerSpec,
  old: PodContainerStatus | undefined,
): PodContainerStatus {
  if (old?.state?.terminated !== undefined) return old;
  const waiting: PodContainerStatus = {
    name: container.name,
    state: { waiting: { reason: firstWaitReason(view) } },
    lastState: old?.lastState ?? {},
    ready: false,
    restartCount: old?.restartCount ?? 0,
    image: container.image ?? '',
    imageID: '',
    started: undefined,
    volumeMounts: volumeMounts(view, container),
  };
  if (old?.state?.running === undefined || old.lastState?.terminated !== undefined) return waiting;
  return {
    ...waiting,
    lastState: {
      terminated: {
        exitCode: UNKNOWN_EXIT_CODE,
        reason: LOST_REASON,
        message: 'The container could not be located when the pod was deleted.  The container used to be Running',
      },
    },
    restartCount: waiting.restartCount + (view.pod.metadata.deletionTimestamp === undefined ? 1 : 0),
  };
}

interface ContainerParts {
  readonly container: ContainerSpec;
  readonly newest: ContainerView;
  readonly previous: ContainerView | undefined;
  readonly old: PodContainerStatus | undefined;
}

function withContainer(view: PodView, { container, newest, previous, old }: ContainerParts): PodContainerStatus {
  const containerID = `${view.runtimeName}://${newest.id}`;
  const requests = container.resources?.requests;
  return {
    name: container.name,
    state: stateOf(view, newest),
    lastState: previous === undefined ? lastStateFrom(old, containerID) : stateOf(view, previous),
    ready: false,
    restartCount: Math.max(newest.metadata.attempt, old?.restartCount ?? 0),
    image: newest.image.image,
    imageID: newest.imageRef,
    containerID,
    started: undefined,
    allocatedResources: requests,
    resources: resourcesInForce(view, container, { newest, old }),
    volumeMounts: volumeMounts(view, container),
    user: userOf(newest),
  };
}

/** Adds the health of the container's devices; init containers do not report it (KEP-4680). */
function withDevices(view: PodView, status: PodContainerStatus): PodContainerStatus {
  const devices = view.devicesOf?.(status.name) ?? [];
  if (devices.length === 0) return status;
  const resources = new Map<string, { resourceID: string; health: string; message?: string }[]>();
  for (const { resource, id, health, message } of devices) {
    const list = resources.get(resource) ?? [];
    list.push({ resourceID: id, health, ...(message === '' ? {} : { message }) });
    resources.set(resource, list);
  }
  return {
    ...status,
    allocatedResourcesStatus: [...resources].map(([name, list]) => ({ name, resources: list })),
  };
}

function userOf({ user }: ContainerView): PodContainerStatus['user'] {
  if (user?.linux === undefined) return user === undefined ? undefined : {};
  const { uid, gid, supplementalGroups } = user.linux;
  return { linux: { uid, gid, ...(supplementalGroups.length === 0 ? {} : { supplementalGroups }) } };
}

function lastStateFrom(old: PodContainerStatus | undefined, containerID: string): State {
  if (old?.state?.terminated !== undefined && old.containerID !== containerID)
    return { terminated: old.state.terminated };
  return old?.lastState?.terminated === undefined ? {} : { terminated: old.lastState.terminated };
}

function stateOf(view: PodView, container: ContainerView): State {
  switch (container.state) {
    case 'CONTAINER_RUNNING':
      return { running: { startedAt: timeText(container.startedAtMs ?? container.createdAtMs) } };
    case 'CONTAINER_EXITED':
      return { terminated: terminatedState(view, container) };
    case 'CONTAINER_CREATED':
    case 'CONTAINER_UNKNOWN':
      return { waiting: {} };
  }
}

/** Maximum total length of the termination messages of a pod. */
const MAX_MESSAGE_LENGTH = 12 * 1024;

function terminatedState({ pod, runtimeName }: PodView, container: ContainerView): Terminated {
  const { id, exitCode, reason, startedAtMs, finishedAtMs } = container;
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const count = containers.length + initContainers.length + ephemeralContainers.length;
  const message = container.message.slice(0, Math.trunc(MAX_MESSAGE_LENGTH / Math.max(count, 1)));
  return {
    exitCode,
    reason,
    ...(message === '' ? {} : { message }),
    ...(startedAtMs === undefined ? {} : { startedAt: timeText(startedAtMs) }),
    ...(finishedAtMs === undefined ? {} : { finishedAt: timeText(finishedAtMs) }),
    containerID: `${runtimeName}://${id}`,
  };
}

/** For a container that could not be started: `waiting` has the reason, and its last end moves to `lastState`. */
function withFailure(
  view: PodView,
  about: {
    readonly container: ContainerSpec;
    readonly kind: ContainerKind;
    readonly newest: ContainerView | undefined;
  },
  status: PodContainerStatus,
): PodContainerStatus {
  const { container, kind, newest } = about;
  const hasSucceeded = kind === 'init' && newest?.state === 'CONTAINER_EXITED' && newest.exitCode === 0;
  const failure = view.memory.failures.get(container.name);
  if (failure === undefined || (hasSucceeded && !isSidecar(container)) || !isToBeStarted(view, container))
    return status;
  return {
    ...status,
    state: {
      waiting: { reason: failure.reason, ...(failure.message === '' ? {} : { message: failure.message }) },
    },
    lastState: status.state?.terminated === undefined ? (status.lastState ?? {}) : status.state,
  };
}

function readiness(
  container: ContainerSpec,
  kind: ContainerKind,
  { status, newest }: { readonly status: PodContainerStatus; readonly newest: ContainerView | undefined },
): { readonly ready: boolean; readonly started?: boolean } {
  if (kind === 'ephemeral') return { ready: false };
  const started = status.state?.running !== undefined && (newest?.probe?.isStarted ?? true);
  if (kind === 'init' && !isSidecar(container)) return { ready: status.state?.terminated?.exitCode === 0, started };
  return { ready: started && (newest?.probe?.isReady ?? true), started };
}

function volumeMounts(
  { hasRecursiveReadOnly = false }: PodView,
  { volumeMounts: mounts = [] }: ContainerSpec,
): PodContainerStatus['volumeMounts'] {
  if (mounts.length === 0) return undefined;
  return mounts.map(({ name, mountPath, readOnly, recursiveReadOnly: mode = 'Disabled' }) => {
    if (readOnly !== true) return { name, mountPath };
    const isRecursive = mode !== 'Disabled' && hasRecursiveReadOnly;
    return { name, mountPath, readOnly, recursiveReadOnly: isRecursive ? 'Enabled' : 'Disabled' };
  });
}

function firstWaitReason({ pod }: PodView): string {
  return (pod.spec?.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating';
}

function oldStatus({ memory }: PodView, name: string, kind: ContainerKind): PodContainerStatus | undefined {
  const { initContainerStatuses, containerStatuses: regular, ephemeralContainerStatuses } = memory.status;
  const statuses = kind === 'init' ? initContainerStatuses : kind === 'regular' ? regular : ephemeralContainerStatuses;
  return statusNamed(statuses, name);
}
