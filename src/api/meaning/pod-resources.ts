import type { DeepReadonly } from '../../base/index.ts';
import type { Container, ContainerStatus, Pod, ResourceRequirements } from '../types/core/v1.d.ts';
import { parseQuantity } from '../values/parse-quantity.ts';
import { type Quantity, quantityOf } from '../values/quantity.ts';
import { ValueError } from '../values/value-error.ts';
import { isSidecar } from './containers.ts';
import { isPodLevelResource } from './resource-names.ts';

/** Amounts by resource name. */
export type ResourceAmounts = ReadonlyMap<string, Quantity>;
type Amounts = Map<string, Quantity>;
type AmountTexts = Readonly<Record<string, string>> | undefined;

/** A pod, or a part of one. With a status, a resize in progress is considered (KEP-1287). */
type PodPart = DeepReadonly<Pick<Pod, 'spec' | 'status'>>;

export interface PodRequestsOptions {
  /** Assumed for containers without a request for these resources; default nothing. */
  readonly forMissing?: ResourceAmounts;
  /** Ignores pod-level requests, so that the containers' count. */
  readonly isPodLevelIgnored?: boolean;
}

const ZERO = quantityOf(0);

/**
 * The requests of a pod: the sum of its containers, or more while its init containers run, plus overhead.
 *
 * Init containers run one after the other, so the largest counts; sidecars keep running and count for the init containers
 * after them and beside the containers (KEP-753). Pod-level requests replace the sum (KEP-2837). During a resize the larger
 * of desired and actual counts (KEP-1287).
 *
 * Example: init containers of 2 and 1 CPU, a sidecar of 1 CPU between them, a container of 1 CPU: max(2, 1, 1 + 1, 1 + 1) =
 * 2 CPU.
 */
export function podRequests(pod: PodPart, options: PodRequestsOptions = {}): Amounts {
  const total = containerRequests(pod, options.forMissing);
  if (options.isPodLevelIgnored !== true) overrule(total, 'requests', pod);
  if (pod.spec?.overhead !== undefined) addTo(total, amountsOf(pod.spec.overhead));
  return total;
}

/** The limits of a pod, as far as it or its containers have any; overhead is added to limits above zero. */
export function podLimits(pod: PodPart): Amounts {
  const total = containerLimits(pod);
  overrule(total, 'limits', pod);
  for (const [name, amount] of amountsOf(pod.spec?.overhead)) {
    const limit = total.get(name);
    if (limit !== undefined && limit.sign !== 0) total.set(name, limit.add(amount));
  }
  return total;
}

/** The sum of the containers' requests, at the time when it is largest. */
export function containerRequests(pod: PodPart, forMissing?: ResourceAmounts): Amounts {
  return atMost(pod, (container, status) => {
    const amounts = effective('requests', container, { pod, status });
    for (const [name, amount] of forMissing ?? []) if (!amounts.has(name)) amounts.set(name, amount);
    return amounts;
  });
}

/** The sum of the containers' limits, likewise. */
export function containerLimits(pod: PodPart): Amounts {
  return atMost(pod, (container, status) => effective('limits', container, { pod, status }));
}

/** Whether the pod has pod-level requests. */
export function hasPodLevelRequests({ spec }: PodPart): boolean {
  return Object.keys(spec?.resources?.requests ?? {}).some(isPodLevelResource);
}

/** Parses amounts as in objects; malformed ones, which the API server refuses, are skipped. */
export function amountsOf(texts: AmountTexts): Amounts {
  const amounts: Amounts = new Map();
  for (const name in texts) {
    const quantity = parseQuantity(texts[name] as string);
    if (!(quantity instanceof ValueError)) amounts.set(name, quantity);
  }
  return amounts;
}

/** Formats amounts as in objects. */
export function amountTexts(amounts: ResourceAmounts): Record<string, string> {
  return Object.fromEntries(Array.from(amounts, ([name, amount]) => [name, amount.toString()]));
}

type Status = DeepReadonly<ContainerStatus>;

function atMost(
  { spec, status }: PodPart,
  amountsFor: (container: DeepReadonly<Container>, status: Status | undefined) => Amounts,
): Amounts {
  const total: Amounts = new Map();
  for (const container of spec?.containers ?? [])
    addTo(total, amountsFor(container, named(status?.containerStatuses, container.name)));
  const initContainers = spec?.initContainers ?? [];
  if (initContainers.length === 0) return total;
  const sidecars: Amounts = new Map();
  const whileStarting: Amounts = new Map();
  for (const container of initContainers) {
    if (isSidecar(container)) {
      const own = amountsFor(container, named(status?.initContainerStatuses, container.name));
      addTo(total, own);
      addTo(sidecars, own);
      raiseTo(whileStarting, sidecars);
    } else {
      const own = amountsFor(container, undefined); // these cannot be resized
      addTo(own, sidecars);
      raiseTo(whileStarting, own);
    }
  }
  raiseTo(total, whileStarting);
  return total;
}

function named(statuses: readonly Status[] | undefined, wanted: string): Status | undefined {
  return statuses?.find(({ name }) => name === wanted);
}

/** Pod-level amounts replace the sum. */
function overrule(total: Amounts, what: 'requests' | 'limits', pod: PodPart): void {
  const stated = pod.spec?.resources;
  if (stated?.[what] === undefined) return;
  const amounts = effective(what, { resources: stated }, { pod, status: pod.status });
  for (const name of Object.keys(stated[what])) {
    if (isPodLevelResource(name)) total.set(name, amounts.get(name) ?? ZERO);
  }
}

interface Resized {
  readonly pod: PodPart;
  /** Of the container or of the pod: its actual and allocated resources. */
  readonly status: Pick<Status, 'resources' | 'allocatedResources'> | undefined;
}

/** The largest of desired, actual and allocated; an infeasible resize does not count. */
function effective(
  what: 'requests' | 'limits',
  { resources }: { readonly resources?: DeepReadonly<ResourceRequirements> },
  { pod, status }: Resized,
): Amounts {
  if (status?.resources === undefined) return amountsOf(resources?.[what]);
  const amounts = amountsOf(status.resources[what]);
  const aside = what === 'requests' ? status.allocatedResources : undefined;
  const wanted = resources?.[what];
  if (aside !== undefined) raiseTo(amounts, amountsOf(aside));
  if (wanted !== undefined && !isResizeInfeasible(pod)) raiseTo(amounts, amountsOf(wanted));
  return amounts;
}

function isResizeInfeasible({ status }: PodPart): boolean {
  return status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';
}

function addTo(total: Amounts, more: ResourceAmounts): void {
  for (const [name, amount] of more) total.set(name, total.get(name)?.add(amount) ?? amount);
}

function raiseTo(total: Amounts, least: ResourceAmounts): void {
  for (const [name, amount] of least) {
    const known = total.get(name);
    if (known === undefined || known.compare(amount) < 0) total.set(name, amount);
  }
}
