import type { DeepReadonly } from '../../base/index.ts';
import type { Container, ContainerStatus, Pod, ResourceRequirements } from '../types/core/v1.d.ts';
import { parseQuantity } from '../values/parse-quantity.ts';
import { type Quantity, quantityOf } from '../values/quantity.ts';
import { ValueError } from '../values/value-error.ts';
import { isSidecar } from './containers.ts';
import { isPodLevelResource } from './resource-names.ts';

/** Amounts by the names of their resources. */
export type ResourceAmounts = ReadonlyMap<string, Quantity>;
type Amounts = Map<string, Quantity>;
type AmountTexts = Readonly<Record<string, string>> | undefined;

/** A pod, or a part of one. Where the status is given, a resize under way counts as well (KEP-1287). */
type PodPart = DeepReadonly<Pick<Pod, 'spec' | 'status'>>;

export interface PodRequestsOptions {
  /** These count for containers that do not state a request for them; default nothing. */
  readonly forMissing?: ResourceAmounts;
  /** Leaves out what the pod as a whole asks for, so that its containers count. */
  readonly isPodLevelIgnored?: boolean;
}

const ZERO = quantityOf(0);

/**
 * What a pod needs on its node at any time: the sum of its containers, or more while its init containers run, plus overhead.
 *
 * Init containers run one after the other, so the largest counts; sidecars go on running and count for the init containers
 * behind them and beside the containers (KEP-753). What the pod asks for as a whole replaces the sum (KEP-2837). While a
 * resize is under way the larger of wish and reality counts (KEP-1287).
 *
 * Example: init containers of 2 and 1 CPU, a sidecar of 1 CPU between them, a container of 1 CPU:
 * max(2, 1, 1 + 1, 1 + 1) = 2 CPU.
 */
export function podRequests(pod: PodPart, options: PodRequestsOptions = {}): Amounts {
  const total = containerRequests(pod, options.forMissing);
  if (options.isPodLevelIgnored !== true) overrule(total, 'requests', pod);
  if (pod.spec?.overhead !== undefined) addTo(total, amountsOf(pod.spec.overhead));
  return total;
}

/** What a pod may use at most, as far as it or its containers have limits; overhead comes on top of limits above zero. */
export function podLimits(pod: PodPart): Amounts {
  const total = containerLimits(pod);
  overrule(total, 'limits', pod);
  for (const [name, amount] of amountsOf(pod.spec?.overhead)) {
    const limit = total.get(name);
    if (limit !== undefined && limit.sign !== 0) total.set(name, limit.add(amount));
  }
  return total;
}

/** What the containers of a pod ask for together, at the time when they ask for most. */
export function containerRequests(pod: PodPart, forMissing?: ResourceAmounts): Amounts {
  return atMost(pod, (container, status) => {
    const amounts = effective('requests', container, { pod, status });
    for (const [name, amount] of forMissing ?? []) if (!amounts.has(name)) amounts.set(name, amount);
    return amounts;
  });
}

/** What the containers of a pod may use together, likewise. */
export function containerLimits(pod: PodPart): Amounts {
  return atMost(pod, (container, status) => effective('limits', container, { pod, status }));
}

/** Whether the pod as a whole asks for resources. */
export function hasPodLevelRequests({ spec }: PodPart): boolean {
  return Object.keys(spec?.resources?.requests ?? {}).some(isPodLevelResource);
}

/** Amounts as objects carry them; what cannot be read is left out, and the API server lets no such text through. */
export function amountsOf(texts: AmountTexts): Amounts {
  const amounts: Amounts = new Map();
  for (const name in texts) {
    const quantity = parseQuantity(texts[name] as string);
    if (!(quantity instanceof ValueError)) amounts.set(name, quantity);
  }
  return amounts;
}

/** Amounts in the form in which objects carry them. */
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

/** What is said for the pod as a whole counts instead of the sum. */
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
  /** Of the container or of the pod: what it has now, and what was set aside for it. */
  readonly status: Pick<Status, 'resources' | 'allocatedResources'> | undefined;
}

/** The larger of what is wanted, what is in force and what is set aside; a wish that cannot be met does not count. */
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
