import type { Observed, Pod } from '../../client/index.ts';
import { messageOf } from '../../base/index.ts';
import type { CgroupLimits, NodeBackend } from '../backend/index.ts';
import { linuxResources, podCgroupLimits } from '../config/index.ts';
import { amountOf } from './allocation.ts';
import type { ContainerResize, ResizePlan } from './resize-plan.ts';

type Resizable = 'cpu' | 'memory';

export interface ResizeWork {
  readonly plan: ResizePlan;
  readonly sandboxId: string;
  readonly signal: AbortSignal;
  /** Called after the resource of a container, or of the pod, is in force. */
  actuated(change: { readonly container: string | undefined; readonly resource: Resizable }): void;
}

/**
 * Changes the limits of a pod and of its running containers: first memory, then processors. The pod grows before its containers and
 * shrinks after them. Throws on the first failure; what was done is kept, and the rest is tried again.
 */
export async function carryOutResize(pod: Observed<Pod>, backend: NodeBackend, work: ResizeWork): Promise<void> {
  const { plan } = work;
  const current = await backend.resources.limits(pod);
  const desired = podCgroupLimits(pod, backend.machine.resourceRules);
  if (current !== undefined) await checkMemory(pod, { backend, work, current, desired });
  const isWhole = plan.isPodChanged || plan.restarts.length > 0;
  for (const resource of ['memory', 'cpu'] as const)
    if (isWhole || plan.updates[resource].length > 0)
      await resizeResource(pod, resource, { backend, work, current, desired });
}

interface Surroundings {
  readonly backend: NodeBackend;
  readonly work: ResizeWork;
  /** The limits of the pod's cgroup; undefined where pods have none. */
  readonly current: CgroupLimits | undefined;
  readonly desired: CgroupLimits;
}

async function resizeResource(pod: Observed<Pod>, resource: Resizable, around: Surroundings): Promise<void> {
  const { backend, work, current, desired } = around;
  const isCpu = resource === 'cpu';
  const limit = change(isCpu ? current?.cpuQuota : current?.memory, isCpu ? desired.cpuQuota : desired.memory);
  const request = isCpu ? change(current?.cpuShares, desired.cpuShares) : 'same';
  const setLimit = (): Promise<void> => backend.resources.setLimits(pod, limitOf(resource, desired));
  const setRequest = (): Promise<void> => backend.resources.setLimits(pod, sharesOf(desired));
  if (limit === 'grows') await setLimit();
  if (request === 'grows') await setRequest();
  for (const update of work.plan.updates[resource]) await resizeContainer(pod, resource, { backend, work, update });
  if (request === 'shrinks') await setRequest();
  if (limit === 'shrinks') await setLimit();
  work.actuated({ container: undefined, resource });
}

type Change = 'grows' | 'shrinks' | 'same';

/** A limit that the pod does not have is left as it is: limits cannot be removed by a resize. */
function change(now: number | undefined, wanted: number | undefined): Change {
  if (now === undefined || wanted === undefined || now === wanted) return 'same';
  const before = now < 0 ? Infinity : now;
  return wanted > before ? 'grows' : 'shrinks';
}

function limitOf(resource: Resizable, { cpuQuota, cpuPeriod, memory }: CgroupLimits): CgroupLimits {
  if (resource === 'memory') return memory === undefined ? {} : { memory };
  return {
    ...(cpuPeriod === undefined ? {} : { cpuPeriod }),
    ...(cpuQuota === undefined ? {} : { cpuQuota }),
  };
}

function sharesOf({ cpuShares }: CgroupLimits): CgroupLimits {
  return cpuShares === undefined ? {} : { cpuShares };
}

/** Sets one resource of a container; the other one stays as it is in force. Amounts that are not set are set to zero, as a kubelet does. */
async function resizeContainer(
  pod: Observed<Pod>,
  resource: Resizable,
  { backend, work, update }: Pick<Surroundings, 'backend' | 'work'> & { readonly update: ContainerResize },
): Promise<void> {
  const { container, current, desired, id } = update;
  // memory is changed before processors: it is in force by now
  const before = resource === 'cpu' && isPlanned(work.plan, 'memory', update) ? desired : current;
  const [cpu, memory] = resource === 'cpu' ? [desired, before] : [before, desired];
  const amounts = (list: 'requests' | 'limits'): Record<string, string> => ({
    ...container.resources?.[list],
    cpu: cpu[list]?.['cpu'] ?? '0',
    memory: memory[list]?.['memory'] ?? '0',
  });
  const resources = { ...container.resources, requests: amounts('requests'), limits: amounts('limits') };
  const { capacity, resourceRules: rules } = backend.machine;
  const limits = linuxResources(pod, { ...container, resources }, { capacity, rules });
  await backend.runtime.updateContainerResources(id, limits, { signal: work.signal });
  work.actuated({ container: container.name, resource });
}

function isPlanned({ updates }: ResizePlan, resource: Resizable, { container }: ContainerResize): boolean {
  return updates[resource].some((each) => each.container.name === container.name);
}

/** Refuses limits below the memory that is in use: the kernel would kill processes, or refuse the limit half-way. */
async function checkMemory(pod: Observed<Pod>, { backend, work, current, desired }: Surroundings): Promise<void> {
  const { updates, restarts } = work.plan;
  if (updates.memory.length === 0 && restarts.length === 0) return;
  const podShrinks = change(current?.memory, desired.memory) === 'shrinks';
  const shrinking = updates.memory.filter(({ current: before, desired: after }) => {
    const [was, becomes] = [amountOf(before.limits, 'memory'), amountOf(after.limits, 'memory')];
    return becomes !== 0 && (was === 0 || becomes < was);
  });
  if (!podShrinks && shrinking.length === 0) return;
  const problems: string[] = [];
  const inPod = await backend.resources.memoryUsage(pod);
  if (podShrinks) {
    const limit = desired.memory ?? 0;
    if (inPod === undefined) problems.push('missing pod memory usage');
    else if (inPod >= limit)
      problems.push(`attempting to set pod memory limit (${limit}) below current usage (${inPod})`);
  }
  const stats = await statsOf(work.sandboxId, { backend, signal: work.signal });
  for (const { id, container, desired: after } of shrinking) {
    const used = stats.get(id);
    const limit = amountOf(after.limits, 'memory');
    if (used === undefined) problems.push(`missing container "${container.name}" memory usage`);
    else if (used >= limit)
      problems.push(
        `attempting to set container "${container.name}" memory limit (${limit}) below current usage (${inPod ?? used})`,
      );
  }
  if (problems.length === 0) return;
  const words = problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
  throw new Error(`cannot decrease memory limits: ${words}`);
}

/** Memory in use by container id. */
async function statsOf(
  podSandboxId: string,
  { backend, signal }: { readonly backend: NodeBackend; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, number>> {
  try {
    const stats = await backend.runtime.containerStats({ podSandboxId }, { signal });
    return new Map(stats.map(({ id, workingSetBytes }) => [id, workingSetBytes]));
  } catch (error) {
    throw new Error(`unable to read memory usage: ${messageOf(error)}`, { cause: error });
  }
}
