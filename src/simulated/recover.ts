// Rebuilds from the status of pods what ran before the process restarted.
import type { Observed, Pod } from '../client/index.ts';
import { isTerminalPhase } from '../api/meaning/index.ts';
import {
  containerIdentity,
  type ContainerIdentity,
  type ContainerSpec,
  type Machine,
  type PodSandboxConfig,
  type PodStatus,
  sandboxConfig,
  timeMs,
} from '../node/index.ts';

export interface RememberedContainer {
  readonly id: string;
  readonly identity: ContainerIdentity;
  readonly spec: ContainerSpec;
  readonly startedAtMs: number | undefined;
  /** Undefined while it runs. */
  readonly ending:
    | {
        readonly exitCode: number;
        readonly reason: string;
        readonly message: string;
        readonly finishedAtMs: number;
      }
    | undefined;
}

export interface RememberedSandbox {
  readonly config: PodSandboxConfig;
  readonly createdAtMs: number;
  readonly ips: readonly string[];
  /** Oldest first. */
  readonly containers: readonly RememberedContainer[];
}

type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];
type State = NonNullable<ContainerStatus['state']>;

/** The sandbox of a pod that had one in a runtime of these names; undefined when it had none, or has ended. */
export function remembered(
  pod: Observed<Pod>,
  runtimeNames: readonly string[],
  machine: Machine,
): RememberedSandbox | undefined {
  const { status, spec } = pod;
  if (status === undefined || spec === undefined || isTerminalPhase(status.phase)) return undefined;
  const isReady = status.conditions?.some(
    (each) => each.type === 'PodReadyToStartContainers' && each.status === 'True',
  );
  const statuses = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const specs = [
    ...(spec.initContainers ?? []),
    ...spec.containers,
    ...((spec.ephemeralContainers ?? []) as readonly ContainerSpec[]),
  ];
  const containers = statuses.flatMap((each) => {
    const container = specs.find(({ name }) => name === each.name);
    return container === undefined ? [] : runsOf(pod, container, { status: each, runtimeNames });
  });
  if (isReady !== true && containers.length === 0) return undefined;
  return {
    config: sandboxConfig(pod, 0, machine),
    createdAtMs: timeMs(status.startTime) ?? timeMs(pod.metadata.creationTimestamp) ?? 0,
    ips: spec.hostNetwork === true ? [] : (status.podIPs ?? []).map(({ ip }) => ip ?? ''),
    containers,
  };
}

/** The last run, and the one before it. While a container waits, its last run has ended. */
function runsOf(
  pod: Observed<Pod>,
  container: ContainerSpec,
  { status, runtimeNames }: { readonly status: ContainerStatus; readonly runtimeNames: readonly string[] },
): RememberedContainer[] {
  const { state = {}, lastState = {}, restartCount, containerID } = status;
  const run = (of: State, attempt: number, fallbackId?: string): RememberedContainer[] => {
    const { running, terminated } = of;
    const fullId = terminated?.containerID ?? fallbackId;
    const prefix = runtimeNames.map((name) => `${name}://`).find((each) => fullId?.startsWith(each) === true);
    if (fullId === undefined || prefix === undefined || (running === undefined && terminated === undefined)) return [];
    return [
      {
        id: fullId.slice(prefix.length),
        identity: containerIdentity(pod, container, Math.max(attempt, 0)),
        spec: container,
        startedAtMs: timeMs(running?.startedAt ?? terminated?.startedAt),
        ending: terminated === undefined ? undefined : endingOf(terminated),
      },
    ];
  };
  if (state.waiting !== undefined) return run(lastState, restartCount);
  return [...run(lastState, restartCount - 1), ...run(state, restartCount, containerID)];
}

function endingOf(terminated: NonNullable<State['terminated']>): NonNullable<RememberedContainer['ending']> {
  const { exitCode, reason = '', message = '', finishedAt } = terminated;
  return { exitCode, reason, message, finishedAtMs: timeMs(finishedAt) ?? 0 };
}
