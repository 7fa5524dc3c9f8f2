// What a node reports of a pod, from what is in the runtime and what was reported before.
import { containersOf, containerStatuses } from './container-status.ts';
import { podConditions } from './pod-conditions.ts';
import { type PodPhase, phaseOf } from './pod-phase.ts';
import { amountTexts, isSidecar, isTerminalPhase, podLimits, podRequests } from '../../api/meaning/index.ts';
import { podResourcesInForce } from './resources-in-force.ts';
import { couldRestartAll } from './restart-rules.ts';
import {
  type Eviction,
  type PodContainerStatus,
  type PodSpec,
  type PodStatus,
  type PodView,
  timeText,
} from './pod-view.ts';

export interface StatusFacts {
  /** Nothing will be started any more and all has stopped. */
  readonly isTerminal: boolean;
  /** Why the node stops the pod. */
  readonly eviction?: Eviction | undefined;
  /** A container's rule restarts all containers. */
  readonly isRestartingAll: boolean;
}

/** The pod's status. Its phase may be terminal while something still runs: `withheld` keeps that back. */
export function podStatus(view: PodView, facts: StatusFacts): PodStatus {
  const { pod, memory } = view;
  const spec = pod.spec ?? { containers: [] };
  const init = containerStatuses(view, 'init');
  const regular = containerStatuses(view, 'regular');
  const ephemeral = containerStatuses(view, 'ephemeral');
  const hasInitialized = spec.containers.some(({ name }) =>
    view.containers.some(({ metadata }) => metadata.name === name),
  );
  const computed = phaseOf(spec, { statuses: [...init, ...regular], isTerminal: facts.isTerminal, hasInitialized });
  const phase = keepTerminal(view, facts.eviction === undefined ? computed : 'Failed');
  const why: Reason = facts.eviction ?? (phase === memory.status.phase ? memory.status : {});
  // written together with the terminal phase
  const disruption =
    facts.isTerminal && facts.eviction?.isDisruption === true
      ? (facts.eviction.disruption ?? facts.eviction.message)
      : undefined;
  const isRestartingAll = couldRestartAll(spec) ? facts.isRestartingAll : undefined;
  const { generation } = pod.metadata;
  const { hostIP, hostIPs, podIP, podIPs } = addresses(view);
  const { resources, allocatedResources } = podLevelResources(view, spec);
  // one literal, with members that may be undefined: this runs at every step of every pod, and spreading is slow
  return {
    observedGeneration: generation,
    phase,
    conditions: podConditions(view, { phase, init, regular, isRestartingAll, disruption }),
    reason: why.reason,
    message: why.message,
    hostIP,
    hostIPs,
    podIP,
    podIPs,
    startTime: memory.status.startTime ?? timeText(view.nowMs),
    initContainerStatuses: init.length === 0 ? undefined : init,
    containerStatuses: regular,
    ephemeralContainerStatuses: ephemeral.length === 0 ? undefined : ephemeral,
    qosClass: pod.status?.qosClass,
    resources,
    allocatedResources,
  };
}

/** The same status with the previous phase: a terminal phase is not reported while a container may run. */
export function withheld(view: PodView, status: PodStatus): PodStatus {
  const { phase, reason: _reason, message: _message, ...rest } = status;
  if (!isTerminalPhase(phase) || isTerminalPhase(view.memory.status.phase)) return status;
  return { ...rest, phase: view.memory.status.phase ?? 'Pending', ...reasonOf(view.memory.status) };
}

/** The last status of a pod that is gone from the runtime: containers not known to have succeeded have failed. */
export function finalStatus(view: PodView, status: PodStatus): PodStatus {
  const init = status.initContainerStatuses ?? [];
  const lastTouched = init.findLastIndex(({ state, lastState }) => {
    return state?.waiting === undefined || lastState?.terminated !== undefined;
  });
  const closeRegular = hasInitialized(view, status);
  const phase = isTerminalPhase(status.phase) ? status.phase : 'Failed';
  const closed: PodStatus = {
    ...status,
    phase,
    ...(init.length === 0
      ? {}
      : { initContainerStatuses: init.map((each, index) => (index <= Math.max(lastTouched, 0) ? ended(each) : each)) }),
    containerStatuses: (status.containerStatuses ?? []).map((each) => (closeRegular ? ended(each) : each)),
  };
  if (phase === status.phase) return closed;
  const { conditions = [] } = closed;
  const isReadiness = (type: string): boolean => type === 'Ready' || type === 'ContainersReady';
  return {
    ...closed,
    conditions: conditions.map((each) =>
      isReadiness(each.type) && each.status === 'True'
        ? { ...each, status: 'False', reason: 'PodFailed', lastTransitionTime: timeText(view.nowMs) }
        : each,
    ),
  };
}

function ended(status: PodContainerStatus): PodContainerStatus {
  if (status.state?.terminated !== undefined) return status;
  return {
    ...status,
    state: {
      terminated: {
        exitCode: 137,
        reason: 'ContainerStatusUnknown',
        message: 'The container could not be located when the pod was terminated',
      },
    },
  };
}

function hasInitialized(view: PodView, status: PodStatus): boolean {
  const init = containersOf(view, 'init');
  const last = init.at(-1);
  if (last === undefined) return true;
  const regular = status.containerStatuses ?? [];
  if (regular.some(({ state, lastState }) => lastState?.terminated !== undefined || state?.waiting === undefined))
    return true;
  const lastStatus = status.initContainerStatuses?.find(({ name }) => name === last.name);
  if (isSidecar(last)) return lastStatus?.state?.running !== undefined && lastStatus.started === true;
  return [lastStatus?.state, lastStatus?.lastState].some((state) => state?.terminated?.exitCode === 0);
}

/** A terminal phase never changes. */
function keepTerminal({ pod, memory }: PodView, phase: PodPhase): PodPhase {
  if (isTerminalPhase(pod.status?.phase)) return pod.status.phase;
  if (!isTerminalPhase(phase) && isTerminalPhase(memory.status.phase)) return memory.status.phase;
  return phase;
}

type Reason = Pick<PodStatus, 'reason' | 'message'>;

function reasonOf({ reason, message }: PodStatus): Reason {
  return { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) };
}

type Addresses = Pick<PodStatus, 'hostIP' | 'hostIPs' | 'podIP' | 'podIPs'>;

/** Addresses of a sandbox that has stopped are kept in the report. */
function addresses({ pod, sandbox, hostIps, memory }: PodView): Addresses {
  const { network } = sandbox ?? {};
  const own = network === undefined || network.ip === '' ? [] : [network.ip, ...network.additionalIps];
  const reported = memory.status.podIPs?.map(({ ip }) => ip ?? '') ?? [];
  const podIps = own.length > 0 ? own : reported.length > 0 ? reported : pod.spec?.hostNetwork === true ? hostIps : [];
  const [hostIP] = hostIps;
  const [podIP] = podIps;
  return {
    hostIP,
    hostIPs: hostIP === undefined ? undefined : hostIps.map((ip) => ({ ip })),
    podIP,
    podIPs: podIP === undefined ? undefined : podIps.map((ip) => ({ ip })),
  };
}

function podLevelResources(view: PodView, spec: PodSpec): Pick<PodStatus, 'resources' | 'allocatedResources'> {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const hasAny = spec.resources !== undefined || spec.overhead !== undefined;
  if (
    view.podLimits === undefined &&
    !hasAny &&
    all.every(({ resources }) => resources?.requests === undefined && resources?.limits === undefined)
  )
    return { resources: {} };
  const requests = amountTexts(podRequests({ spec }));
  const limits = amountTexts(podLimits({ spec }));
  const allocated = isEmpty(requests) ? {} : { allocatedResources: requests };
  if (view.pod.status?.phase === 'Running' && view.podLimits !== undefined)
    return { resources: podResourcesInForce(view, view.podLimits, requests), ...allocated };
  return {
    resources: { ...(isEmpty(requests) ? {} : { requests }), ...(isEmpty(limits) ? {} : { limits }) },
    ...allocated,
  };
}

function isEmpty(list: object): boolean {
  return Object.keys(list).length === 0;
}
