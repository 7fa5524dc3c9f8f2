import type { DeepReadonly } from '../../base/index.ts';
import { amountsOf } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

export type ResourceNeeds = DeepReadonly<core.ResourceRequirements>;

/** The resources that a node has given to a pod. They differ from the pod's spec while a resize has not been accepted. */
export interface PodAllocation {
  /** By container; ephemeral containers have no resources. */
  readonly containers: ReadonlyMap<string, ResourceNeeds>;
  /** Resources of the pod as a whole, if it has any. */
  readonly pod: ResourceNeeds | undefined;
}

const NONE: ResourceNeeds = {};
/** The resources that can be changed while a pod runs. */
export const RESIZABLE = ['cpu', 'memory'] as const;

/** What the pod's spec asks for. */
export function wantedBy({ spec }: Observed<Pod>): PodAllocation {
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return {
    containers: new Map(all.map(({ name, resources }) => [name, resources ?? NONE])),
    pod: spec?.resources,
  };
}

/** The pod with allocated resources in place of those that its spec asks for; the same object when they are equal. */
export function withAllocation(pod: Observed<Pod>, allocation: PodAllocation | undefined): Observed<Pod> {
  const { spec } = pod;
  if (allocation === undefined || spec === undefined || isSatisfied(pod, allocation)) return pod;
  const given = <T extends { readonly name: string; readonly resources?: ResourceNeeds }>(container: T): T => {
    const resources = allocation.containers.get(container.name);
    return resources === undefined ? container : { ...container, resources };
  };
  const { resources: _wanted, ...rest } = spec;
  return {
    ...pod,
    spec: {
      ...rest,
      containers: spec.containers.map(given),
      ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(given) }),
      ...(allocation.pod === undefined ? {} : { resources: allocation.pod }),
    },
  };
}

/** Whether the allocation is what the pod's spec asks for. */
export function isSatisfied(pod: Observed<Pod>, allocation: PodAllocation): boolean {
  const wanted = wantedBy(pod);
  if (!areSame(wanted.pod, allocation.pod)) return false;
  for (const [name, resources] of wanted.containers) {
    const given = allocation.containers.get(name);
    if (given !== undefined && !areSame(resources, given)) return false;
  }
  return true;
}

function areSame(left: ResourceNeeds | undefined, right: ResourceNeeds | undefined): boolean {
  if (left === right) return true;
  return isSameList(left?.requests, right?.requests) && isSameList(left?.limits, right?.limits);
}

type Amounts = Readonly<Record<string, string>> | undefined;

function isSameList(left: Amounts, right: Amounts): boolean {
  if (left === right) return true;
  const [before, after] = [amountsOf(left), amountsOf(right)];
  if (before.size !== after.size) return false;
  for (const [name, amount] of before) if (after.get(name)?.equals(amount) !== true) return false;
  return true;
}

/** Whether one of the resources that can be changed differs; an amount that is not set is zero. */
export function differsIn(
  resource: 'cpu' | 'memory',
  left: ResourceNeeds | undefined,
  right: ResourceNeeds | undefined,
): boolean {
  return (['requests', 'limits'] as const).some(
    (list) => amountOf(left?.[list], resource) !== amountOf(right?.[list], resource),
  );
}

/** In thousandths of a processor, or in bytes; 0 when it is not set. */
export function amountOf(amounts: Amounts, resource: 'cpu' | 'memory'): number {
  const amount = amountsOf(amounts).get(resource);
  return (resource === 'cpu' ? amount?.milliValue() : amount?.value()) ?? 0;
}

/** The resources of a container, with the limits of its pod where it has none itself. */
export function effectiveNeeds(needs: ResourceNeeds | undefined, pod: ResourceNeeds | undefined): ResourceNeeds {
  const limits: Record<string, string> = { ...needs?.limits };
  for (const resource of RESIZABLE) {
    const ofPod = pod?.limits?.[resource];
    if (amountOf(limits, resource) === 0 && ofPod !== undefined) limits[resource] = ofPod;
  }
  return { ...needs, ...(Object.keys(limits).length === 0 ? {} : { limits }) };
}
