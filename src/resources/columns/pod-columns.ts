import type { ApiObject } from '../../api/index.ts';
import { isSidecar, isTerminalPhase } from '../../api/meaning/index.ts';
import type { ContainerStatus, Pod, PodStatus } from '../../api/types/core/v1.d.ts';
import type { Column, RowCondition } from '../../apiserver/index.ts';
import { ageSince } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, NONE, orElse, wide } from './column.ts';

/** Cached, because three columns need the summary of the same pod. */
const summaries = new WeakMap<Pod, PodSummary>();

function summaryOf(pod: Pod): PodSummary {
  const known = summaries.get(pod);
  if (known !== undefined) return known;
  const summary = summarizePod(pod);
  summaries.set(pod, summary);
  return summary;
}

export const podColumns: readonly Column<Pod>[] = [
  nameColumn,
  column(
    'Ready',
    'How many of the containers are ready for traffic',
    (pod) => `${summaryOf(pod).ready}/${summaryOf(pod).total}`,
  ),
  column('Status', 'What the containers are doing, taken together', (pod) => summaryOf(pod).status),
  column('Restarts', 'How often containers were restarted, and when the last time', (pod, now) =>
    formatRestarts(summaryOf(pod), now),
  ),
  ageColumn,
  wide('IP', 'First address of the pod', ({ status }) => orElse(each(status?.podIPs)[0]?.ip, NONE)),
  wide('Node', 'Node that the pod is bound to', ({ spec }) => orElse(spec?.nodeName, NONE)),
  wide('Nominated Node', 'Node where room is being made for the pod', ({ status }) =>
    orElse(status?.nominatedNodeName, NONE),
  ),
  wide(
    'Readiness Gates',
    'How many of the conditions hold that must hold besides, for the pod to be ready',
    readinessGates,
  ),
];

function readinessGates({ spec, status }: Pod): string {
  const gates = each(spec?.readinessGates);
  if (gates.length === 0) return NONE;
  const conditions = each(status?.conditions);
  const open = gates.filter((gate) => conditions.find(({ type }) => type === gate.conditionType)?.status === 'True');
  return `${open.length}/${gates.length}`;
}

const succeeded: readonly RowCondition[] = [
  { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
];
const failed: readonly RowCondition[] = [
  { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
];

/** Marks the row of a finished pod. */
export function podRowConditions(object: ApiObject): readonly RowCondition[] {
  const { status } = object as unknown as Pod;
  if (status?.phase === 'Succeeded') return succeeded;
  return status?.phase === 'Failed' ? failed : [];
}

/** The combined state of a pod's containers. */
interface PodSummary {
  readonly status: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** When a container was last restarted, in milliseconds since the epoch. */
  readonly restartedAt: number | undefined;
}

/** Summarizes a pod: the first unfinished init container decides, then the containers, last one first. */
function summarizePod(pod: Pod): PodSummary {
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

function formatRestarts({ restarts, restartedAt }: PodSummary, now: number): string {
  if (restarts === 0 || restartedAt === undefined) return String(restarts);
  return `${restarts} (${ageSince(new Date(restartedAt).toISOString(), now)} ago)`;
}

/** A scheduling gate is shown whatever the phase. */
function phaseOf(status: PodStatus): string {
  const isGated = each(status.conditions).some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  if (isGated) return 'SchedulingGated';
  return status.reason === undefined || status.reason === '' ? (status.phase ?? '') : status.reason;
}

interface InitSummary {
  /** Set while one of them is not finished. */
  readonly status: string | undefined;
  /** Sidecars that are ready. */
  readonly ready: number;
  /** How many were considered. */
  readonly seen: number;
  /** The sidecars among them. */
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
  // Some containers have completed, but the pod still runs.
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
