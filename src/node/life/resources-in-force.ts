// The resources that containers and pods really have, which differ from what is allocated while a resize is carried out.
import type { DeepReadonly } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import { amountsOf } from '../../api/meaning/index.ts';
import { milliQuantityOf, quantityOf } from '../../api/values/index.ts';
import type { SetResources } from '../runtime/index.ts';
import type { ContainerSpec, ContainerView, PodContainerStatus, PodLimitsView, PodView } from './pod-view.ts';

type ResourceNeeds = DeepReadonly<core.ResourceRequirements>;
type Amounts = Record<string, string>;

const MIN_SHARES = 2;
const SHARES_PER_CPU = 1024;
/** The least limit that the kernel takes, in thousandths of a processor; lower ones are reported as they were asked for. */
const MIN_MILLI_LIMIT = 10;

/** The resources of a container as its status shows them: read from the runtime where it says them, in place of what is allocated. */
export function resourcesInForce(
  view: PodView,
  container: ContainerSpec,
  { newest, old }: { readonly newest: ContainerView; readonly old: PodContainerStatus | undefined },
): ResourceNeeds {
  const allocated = container.resources ?? {};
  if (newest.state !== 'CONTAINER_RUNNING') return allocated;
  if (newest.resources === undefined) return view.memory.resize?.actuated?.containers.get(container.name) ?? allocated;
  const isSameRun = old?.state?.running !== undefined && old.containerID === `${view.runtimeName}://${newest.id}`;
  const before: ResourceNeeds = isSameRun ? (old.resources ?? {}) : {};
  const { cpuLimit, cpuRequest, memoryLimit } = amountsIn(newest.resources);
  const { limits, requests } = allocated;
  return {
    ...allocated,
    ...(limits === undefined
      ? {}
      : {
          limits: shown(limits, before.limits, {
            cpu: isWorthShowing(cpuLimit, limits, MIN_MILLI_LIMIT) ? cpuText(cpuLimit) : undefined,
            isCpuKnown: cpuLimit !== undefined,
            memory: memoryLimit === undefined ? undefined : memoryText(memoryLimit),
          }),
        }),
    ...(requests === undefined
      ? {}
      : {
          requests: shown(requests, actuatedRequests(view, container) ?? before.requests, {
            cpu: isWorthShowing(cpuRequest, requests, MIN_SHARES) ? cpuText(cpuRequest) : undefined,
            isCpuKnown: cpuRequest !== undefined,
            memory: undefined,
          }),
        }),
  };
}

/** Runtimes do not know requests for memory: those in force are the agent's to remember. */
function actuatedRequests(view: PodView, { name, resources }: ContainerSpec): ResourceNeeds['requests'] {
  return (view.memory.resize?.actuated?.containers.get(name) ?? resources)?.requests;
}

/** The resources of a pod as a whole, read from its cgroup. */
export function podResourcesInForce(view: PodView, limits: PodLimitsView, requested: Readonly<Amounts>): ResourceNeeds {
  const { pod, memory } = view;
  const spec = pod.spec?.resources ?? {};
  const before: ResourceNeeds = memory.status.phase === 'Running' ? (memory.status.resources ?? {}) : {};
  const found = amountsIn({ ...limits, memoryLimitInBytes: limits.memory });
  const wanted: Amounts = {
    ...(requested['memory'] === undefined ? {} : { memory: requested['memory'] }),
    ...spec.requests,
  };
  const requests = shown(wanted, before.requests, {
    cpu: isWorthShowing(found.cpuRequest, wanted, MIN_SHARES) ? cpuText(found.cpuRequest) : undefined,
    isCpuKnown: found.cpuRequest !== undefined,
    memory: undefined,
  });
  const most = shown(spec.limits ?? {}, before.limits, {
    cpu: isWorthShowing(found.cpuLimit, spec.limits, MIN_MILLI_LIMIT) ? cpuText(found.cpuLimit) : undefined,
    isCpuKnown: found.cpuLimit !== undefined,
    memory: found.memoryLimit === undefined ? undefined : memoryText(found.memoryLimit),
  });
  return {
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
    ...(Object.keys(most).length === 0 ? {} : { limits: most }),
  };
}

interface Found {
  readonly cpu: string | undefined;
  /** Whether the runtime has said anything about processors. */
  readonly isCpuKnown: boolean;
  readonly memory: string | undefined;
}

/** What was found; what was not found is as it was reported before, or as it is allocated. */
function shown(allocated: Readonly<Amounts>, before: Readonly<Amounts> | undefined, found: Found): Amounts {
  const result: Amounts = { ...allocated };
  const cpu = found.cpu ?? (found.isCpuKnown ? undefined : before?.['cpu']);
  const memory = found.memory ?? before?.['memory'];
  if (cpu !== undefined) result['cpu'] = cpu;
  if (memory !== undefined) result['memory'] = memory;
  return result;
}

interface FoundAmounts {
  readonly cpuLimit: number | undefined;
  readonly cpuRequest: number | undefined;
  readonly memoryLimit: number | undefined;
}

function amountsIn({ cpuPeriod = 0, cpuQuota = 0, cpuShares = 0, memoryLimitInBytes = 0 }: SetResources): FoundAmounts {
  const limit = cpuPeriod > 0 && cpuQuota > 0 ? Math.trunc((cpuQuota * 1000) / cpuPeriod) : 0;
  return {
    cpuLimit: limit > 0 ? limit : undefined,
    cpuRequest: cpuShares >= MIN_SHARES ? Math.ceil((cpuShares * 1000) / SHARES_PER_CPU) : undefined,
    memoryLimit: memoryLimitInBytes > 0 ? memoryLimitInBytes : undefined,
  };
}

/** Amounts at the kernel's minimum are shown as they are allocated: both mean the same. */
function isWorthShowing(
  milliCpu: number | undefined,
  allocated: Readonly<Amounts> | undefined,
  least: number,
): milliCpu is number {
  if (milliCpu === undefined) return false;
  return milliCpu > least || (amountsOf(allocated).get('cpu')?.milliValue() ?? 0) > least;
}

function cpuText(milliCpu: number): string {
  return milliQuantityOf(milliCpu).toString();
}

function memoryText(bytes: number): string {
  return quantityOf(BigInt(bytes), 'BinarySI').toString();
}
