// The inputs of the pod's state machine, which needs neither a clock nor I/O.
import { ByName } from './by-name.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import type { ContainerStatus, PodSandboxStatus } from '../runtime/index.ts';
import type { BackOff } from './back-off.ts';
import type { ResizeState } from './resize-state.ts';

export type PodStatus = DeepReadonly<core.PodStatus>;
export type PodSpec = DeepReadonly<core.PodSpec>;
export type PodContainerStatus = DeepReadonly<core.ContainerStatus>;
export type PodCondition = DeepReadonly<core.PodCondition>;
/** A container of a pod's spec; ephemeral ones have what matters here in common with the others. */
export type ContainerSpec = DeepReadonly<core.Container>;

/** What probes say of a running container. */
export interface ProbeResult {
  /** Its startup probe has succeeded, or it has none. */
  readonly isStarted: boolean;
  /** Its readiness probe succeeds, or it has none. */
  readonly isReady: boolean;
  /** When to ask again, if time alone may change the answer. */
  readonly changesAtMs?: number;
  /** The probe for which the container is to be killed, and how long that may take if the probe says so. */
  readonly failed?: { readonly probe: string; readonly graceSeconds?: number };
}

/** A container in the runtime, and what probes say of it. */
export interface ContainerView extends ContainerStatus {
  readonly probe: ProbeResult | undefined;
}

/** Why a container could not be started, as shown in its status while it waits. */
export interface StartFailure {
  readonly reason: string;
  readonly message: string;
  /** Time of the next try; failures with a back-off have none here. */
  readonly retryAtMs?: number;
}

/** Why a node evicts a pod. */
export interface Eviction {
  readonly reason: string;
  readonly message: string;
  /** Time that its containers have to end; default what the pod says. */
  readonly graceSeconds?: number;
  /** Whether the pod gets the condition DisruptionTarget when it has ended; default false. */
  readonly isDisruption?: boolean;
  /** The message of that condition; default the one of the pod. */
  readonly disruption?: string;
  /** Whether the event was recorded already; default false. */
  readonly isRecorded?: boolean;
}

/** What a node remembers of a pod between two looks at it. */
export interface PodMemory {
  /** What was reported last, or what the API has. */
  readonly status: PodStatus;
  /** By container. */
  readonly failures: ReadonlyMap<string, StartFailure>;
  /** By `crashKey` and `pullKey`. */
  readonly backOffs: ReadonlyMap<string, BackOff>;
  /** Set when the sandbox could not be created; the next try is at `retryAtMs`. */
  readonly sandboxFailure?: { readonly retryAtMs: number } | undefined;
  /** When the node began to stop the pod. */
  readonly terminatingSinceMs?: number | undefined;
  /** Undefined for pods that were never resized. */
  readonly resize?: ResizeState | undefined;
  /** Set when the node ends the pod before its time. */
  readonly eviction?: Eviction | undefined;
  /** Set when admission rejected the pod. */
  readonly rejection?: { readonly reason: string; readonly message: string } | undefined;
}

/** A resize that has to be carried out. */
export interface ResizeView {
  /** Containers that start again with their new resources. */
  readonly restarts: readonly string[];
  /** Time of the next try after one has failed. */
  readonly retryAtMs: number | undefined;
}

export interface PodView {
  readonly pod: Observed<Pod>;
  readonly nowMs: number;
  /** The newest sandbox of the pod. */
  readonly sandbox: PodSandboxStatus | undefined;
  /** Of that sandbox, newest first. */
  readonly containers: readonly ContainerView[];
  /** The node's addresses, first the main one. */
  readonly hostIps: readonly string[];
  /** The part before `://` in container ids. */
  readonly runtimeName: string;
  /** Whether the runtime can make everything below a mount read-only; default it cannot. */
  readonly hasRecursiveReadOnly?: boolean;
  /** The longest delay before a container that has failed is started again; default 5m. */
  readonly maxRestartDelayMs?: number | undefined;
  readonly memory: PodMemory;
  readonly resize?: ResizeView | undefined;
  /** The limits of the pod as a whole that are in force; undefined where pods have none. */
  readonly podLimits?: PodLimitsView | undefined;
  /** The devices of plugins and claims that a container has; default none. */
  readonly devicesOf?: (container: string) => readonly DeviceView[];
}

export interface DeviceView {
  readonly resource: string;
  readonly id: string;
  readonly health: 'Healthy' | 'Unhealthy' | 'Unknown';
  /** More about the health, for people to read; empty for nothing. */
  readonly message: string;
}

/** As in cgroups: shares, microseconds and bytes; a negative amount is no limit. */
export interface PodLimitsView {
  readonly cpuShares?: number;
  readonly cpuQuota?: number;
  readonly cpuPeriod?: number;
  readonly memory?: number;
}

/** The newest container of that name in the runtime. */
export function newestContainer({ containers }: PodView, name: string): ContainerView | undefined {
  return runs.first(containers, name);
}

/** Its containers of that name in the runtime, newest first. */
export function runsOf({ containers }: PodView, name: string): readonly ContainerView[] {
  return runs.all(containers, name);
}

/** The status of a container in a list of them. */
export function statusNamed(
  statuses: readonly PodContainerStatus[] | undefined,
  name: string,
): PodContainerStatus | undefined {
  return statusesByName.first(statuses ?? [], name);
}

const runs = new ByName<ContainerView>(({ metadata }) => metadata.name);
const statusesByName = new ByName<PodContainerStatus>(({ name }) => name);

/** `name_namespace(uid)`: pods in messages. */
export function describePod({ metadata }: Observed<Pod>): string {
  return `${metadata.name}_${metadata.namespace ?? ''}(${metadata.uid})`;
}

/** A moment as the API writes it: whole seconds. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The moment an API time stands for. */
export function timeMs(text: string | undefined | null): number | undefined {
  if (text === undefined || text === null) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
