import { isSidecar, isTerminalPhase } from '../../api/meaning/index.ts';
import type { ContainerStatus, Pod, PodStatus } from '../../api/types/core/v1.d.ts';
import { ageSince } from './age.ts';
import { each } from './column.ts';

/** What the containers of a pod say about it, taken together. */
export interface PodSummary {
  readonly status: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** When a container was last restarted, in milliseconds since the epoch. */
  readonly restartedAt: number | undefined;
}

/** Sums a pod up: the first init container that is not through decides, then the containers, last one first. */
export function summarizePod(pod: Pod): PodSummary {
  const { status = {} } = pod;
  const inits = initSummary(pod);
  const sidecars = each(pod.spec?.initContainers).filter(isSidecar).length;
  const total = each(pod.spec?.containers).length + sidecars;
  const { ready } = inits;
  const before = inits.status ?? phaseOf(status);
  if (inits.status !== undefined && !hasCondition(status, 'Initialized')) {
    return {
      status: afterDeletion(pod, before),
      ready,
      total,
      ...restartsOf(each(status.initContainerStatuses).slice(0, inits.seen)),
    };
  }
  const containers = containerSummary(status, before);
  return {
    status: afterDeletion(pod, containers.status),
    ready: ready + containers.ready,
    total,
    ...restartsOf([...inits.sidecars, ...each(status.containerStatuses)]),
  };
}

export function formatRestarts({ restarts, restartedAt }: PodSummary, now: number): string {
  if (restarts === 0 || restartedAt === undefined) return String(restarts);
  return `${restarts} (${ageSince(new Date(restartedAt).toISOString(), now)} ago)`;
}

/** A gate holds scheduling back whatever the phase. */
function phaseOf(status: PodStatus): string {
  const isGated = each(status.conditions).some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  if (isGated) return 'SchedulingGated';
  return status.reason === undefined || status.reason === '' ? (status.phase ?? '') : status.reason;
}

interface InitSummary {
  /** Set while one of them is not through. */
  readonly status: string | undefined;
  /** Sidecars that are ready. */
  readonly ready: number;
  /** How many were looked at. */
  readonly seen: number;
  /** Of those, the sidecars. */
  readonly sidecars: readonly ContainerStatus[];
}

function initSummary({ spec, status }: Pod): InitSummary {
  const specs = new Map(each(spec?.initContainers).map((container) => [container.name, container]));
  const statuses = each(status?.initContainerStatuses);
  const sidecars: ContainerStatus[] = [];
  let ready = 0;
  for (const [index, container] of statuses.entries()) {
    const isRestartable = isSidecar(specs.get(container.name) ?? {});
    if (isRestartable) sidecars.push(container);
    if (container.state?.terminated?.exitCode === 0) continue;
    if (isRestartable && container.started === true) {
      if (container.ready) ready += 1;
      continue;
    }
    const progress = `${index}/${each(spec?.initContainers).length}`;
    return { status: `Init:${initReason(container) ?? progress}`, ready, seen: index + 1, sidecars };
  }
  return { status: undefined, ready, seen: statuses.length, sidecars };
}

function initReason({ state }: ContainerStatus): string | undefined {
  if (state?.terminated !== undefined) return endOf(state.terminated);
  const waiting = state?.waiting?.reason ?? '';
  return waiting === '' || waiting === 'PodInitializing' ? undefined : waiting;
}

function endOf(end: { readonly reason?: string; readonly signal?: number; readonly exitCode: number }): string {
  if (end.reason !== undefined && end.reason !== '') return end.reason;
  return end.signal === undefined || end.signal === 0 ? `ExitCode:${end.exitCode}` : `Signal:${end.signal}`;
}

function containerSummary(pod: PodStatus, before: string): { readonly status: string; readonly ready: number } {
  let status = before;
  let failure = '';
  let ready = 0;
  for (const container of each(pod.containerStatuses).toReversed()) {
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason !== undefined && waiting.reason !== '') status = waiting.reason;
    else if (terminated !== undefined) {
      status = endOf(terminated);
      if (terminated.exitCode !== 0) failure = status;
    } else if (container.ready && running !== undefined) ready += 1;
  }
  if (status !== 'Completed') return { status, ready };
  // Some containers are done; the pod is not while others run.
  if (ready > 0 && hasCondition(pod, 'Ready')) return { status: 'Running', ready };
  if (failure !== '') return { status: failure, ready };
  return { status: ready > 0 ? 'NotReady' : status, ready };
}

function afterDeletion({ metadata, status }: Pod, current: string): string {
  if (metadata?.deletionTimestamp === undefined) return current;
  if (status?.reason === 'NodeLost') return 'Unknown';
  return isTerminalPhase(status?.phase) ? current : 'Terminating';
}

function hasCondition(status: PodStatus, wanted: string): boolean {
  return each(status.conditions).find(({ type }) => type === wanted)?.status === 'True';
}

function restartsOf(statuses: readonly ContainerStatus[]): Pick<PodSummary, 'restarts' | 'restartedAt'> {
  let restarts = 0;
  let restartedAt: number | undefined;
  for (const { restartCount, lastState } of statuses) {
    restarts += restartCount;
    const finishedAt: string | null | undefined = lastState?.terminated?.finishedAt;
    if (finishedAt !== undefined && finishedAt !== null)
      restartedAt = Math.max(restartedAt ?? -Infinity, Date.parse(finishedAt));
  }
  return { restarts, restartedAt };
}
