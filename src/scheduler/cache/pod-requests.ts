import type { DeepReadonly } from '../../base/index.ts';
import type { Container, ContainerStatus, Pod } from '../../api/types/core/v1.d.ts';
import { readAmounts, type ResourceList } from './resources.ts';

/** Amounts by resource name, in the units of `Resources`. */
export type Amounts = Map<string, number>;

export interface PodRequestsOptions {
  /** Counts these for containers that do not say; nothing unless given. */
  readonly forMissing?: ReadonlyMap<string, number>;
  /** Leaves out what the pod as a whole asks for, so that its containers count. */
  readonly isPodLevelIgnored?: boolean;
}

/**
 * What a pod needs on its node at any time: the sum of its containers, or more while its init containers run, plus overhead.
 *
 * Init containers run one after the other, so the largest counts; sidecars (those that restart always) go on running and
 * count for the init containers behind them and beside the containers (KEP-753). What the pod asks for as a whole replaces
 * the sum (KEP-2837). While a resize is under way the larger of wish and reality counts (KEP-1287).
 *
 * Example: init containers of 2 and 1 CPU, a sidecar of 1 CPU between them, a container of 1 CPU:
 * max(2, 1, 1 + 1, 1 + 1) = 2 CPU.
 */
export function podRequests(pod: DeepReadonly<Pod>, options: PodRequestsOptions = {}): Amounts {
  const total = containerRequests(pod, options.forMissing);
  if (options.isPodLevelIgnored !== true) {
    for (const [name, amount] of readAmounts(pod.spec?.resources?.requests)) {
      if (isPodLevelResource(name)) total.set(name, amount);
    }
  }
  addTo(total, readAmounts(pod.spec?.overhead));
  return total;
}

/** Whether the pod as a whole asks for resources. */
export function hasPodLevelRequests(pod: DeepReadonly<Pod>): boolean {
  return Object.keys(pod.spec?.resources?.requests ?? {}).some(isPodLevelResource);
}

function containerRequests(pod: DeepReadonly<Pod>, forMissing: ReadonlyMap<string, number> | undefined): Amounts {
  const total: Amounts = new Map();
  for (const container of pod.spec?.containers ?? []) addTo(total, effective(pod, container, forMissing));
  const initContainers = pod.spec?.initContainers ?? [];
  if (initContainers.length === 0) return total;
  const sidecars: Amounts = new Map();
  const whileStarting: Amounts = new Map();
  for (const container of initContainers) {
    const own = effective(pod, container, forMissing);
    if (container.restartPolicy === 'Always') {
      addTo(total, own);
      addTo(sidecars, own);
      raiseTo(whileStarting, sidecars);
    } else {
      addTo(own, sidecars);
      raiseTo(whileStarting, own);
    }
  }
  raiseTo(total, whileStarting);
  return total;
}

function effective(
  pod: DeepReadonly<Pod>,
  container: DeepReadonly<Container>,
  forMissing: ReadonlyMap<string, number> | undefined,
): Amounts {
  const amounts = requestsOf(pod, container);
  if (forMissing === undefined) return amounts;
  for (const [name, amount] of forMissing) {
    if (!amounts.has(name)) amounts.set(name, amount);
  }
  return amounts;
}

function requestsOf(pod: DeepReadonly<Pod>, container: DeepReadonly<Container>): Amounts {
  const asked: ResourceList | undefined = container.resources?.requests;
  const status = statusOf(pod, container);
  if (status?.resources === undefined) return readAmounts(asked);
  const amounts = readAmounts(status.resources.requests);
  raiseTo(amounts, readAmounts(status.allocatedResources));
  if (!isResizeInfeasible(pod)) raiseTo(amounts, readAmounts(asked));
  return amounts;
}

function statusOf(
  pod: DeepReadonly<Pod>,
  container: DeepReadonly<Container>,
): DeepReadonly<ContainerStatus> | undefined {
  const { containerStatuses, initContainerStatuses } = pod.status ?? {};
  const isNamed = ({ name }: { readonly name: string }): boolean => name === container.name;
  if (container.restartPolicy === 'Always') {
    const sidecar = initContainerStatuses?.find(isNamed);
    if (sidecar !== undefined) return sidecar;
  }
  return containerStatuses?.find(isNamed);
}

function isResizeInfeasible(pod: DeepReadonly<Pod>): boolean {
  return pod.status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';
}

function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

function addTo(total: Amounts, more: Amounts): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? 0) + amount);
}

function raiseTo(total: Amounts, least: Amounts): void {
  for (const [name, amount] of least) {
    const known = total.get(name);
    if (known === undefined || known < amount) total.set(name, amount);
  }
}
