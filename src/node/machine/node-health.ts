// The conditions of a node, from what its machine and its runtime say.
import type { MachinePressure, NodeBackend } from '../backend/index.ts';
import type { RuntimeCondition, RuntimeStatus } from '../runtime/index.ts';

export interface HealthCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  /** The reason of the event that is recorded when the condition changes to this status. */
  readonly event: string;
}

export interface NodeHealth {
  /** In the order in which nodes report them. */
  readonly conditions: readonly HealthCondition[];
  /** Why no container can be started; undefined when the runtime is ready. */
  readonly runtimeProblem: string | undefined;
  /** Why pods get no network. */
  readonly networkProblem: string | undefined;
  /** Undefined when the runtime does not answer. */
  readonly runtime: RuntimeStatus | undefined;
}

export const PRESSURES = ['MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

/** Reads the health of machine and runtime. */
export async function readHealth(
  { machine, runtime }: Pick<NodeBackend, 'machine' | 'runtime'>,
  {
    pressure: found,
    problem,
  }: { readonly pressure?: MachinePressure | undefined; readonly problem?: string | undefined } = {},
): Promise<NodeHealth> {
  const pressure = found ?? (await machine.pressure());
  const status = await runtime.status().catch(() => undefined);
  const find = (type: string): RuntimeCondition | undefined => status?.conditions.find((each) => each.type === type);
  const runtimeProblem =
    status === undefined ? 'container runtime is down' : problemOf('container runtime not ready', find('RuntimeReady'));
  const networkProblem =
    status === undefined ? undefined : problemOf('container runtime network not ready', find('NetworkReady'));
  const problems = [runtimeProblem, networkProblem, problem].filter((each) => each !== undefined);
  return {
    conditions: [
      pressure.memory
        ? condition('MemoryPressure', 'KubeletHasInsufficientMemory', 'kubelet has insufficient memory available')
        : NO_MEMORY_PRESSURE,
      pressure.disk
        ? condition('DiskPressure', 'KubeletHasDiskPressure', 'kubelet has disk pressure')
        : NO_DISK_PRESSURE,
      pressure.pid
        ? condition('PIDPressure', 'KubeletHasInsufficientPID', 'kubelet has insufficient PID available')
        : NO_PID_PRESSURE,
      problems.length === 0 ? READY : notReady(problems),
    ],
    runtimeProblem,
    networkProblem,
    runtime: status,
  };
}

/** Whether a handler of the runtime can make everything below a mount read-only; the default handler has an empty name. */
export function hasRecursiveReadOnly(health: NodeHealth | undefined, runtimeHandler: string): boolean {
  const handlers = health?.runtime?.runtimeHandlers ?? [];
  return handlers.find(({ name }) => name === runtimeHandler)?.features.recursiveReadOnlyMounts === true;
}

function condition(type: string, reason: string, message: string): HealthCondition {
  return { type, status: 'True', reason, message, event: reason.replace('Kubelet', 'Node') };
}

const NO_MEMORY_PRESSURE: HealthCondition = {
  ...condition('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
  status: 'False',
};
const NO_DISK_PRESSURE: HealthCondition = {
  ...condition('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
  status: 'False',
};
const NO_PID_PRESSURE: HealthCondition = {
  ...condition('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
  status: 'False',
};
const READY = condition('Ready', 'KubeletReady', 'kubelet is posting ready status');

function notReady(problems: readonly string[]): HealthCondition {
  const message = problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
  return { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message, event: 'NodeNotReady' };
}

/** The kubelet's message; a condition that the runtime does not report counts as false. */
function problemOf(title: string, found: RuntimeCondition | undefined): string | undefined {
  if (found?.status === true) return undefined;
  if (found === undefined) return `${title}: <nil>`;
  return `${title}: ${found.type}=false reason:${found.reason} message:${found.message}`;
}
