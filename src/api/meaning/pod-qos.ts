import type { DeepReadonly } from '../../base/index.ts';
import type { Pod, PodSpec, ResourceRequirements } from '../types/core/v1.d.ts';
import { parseQuantity } from '../values/parse-quantity.ts';
import type { Quantity } from '../values/quantity.ts';
import { ValueError } from '../values/value-error.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';
type Spec = DeepReadonly<PodSpec>;
type Requirements = DeepReadonly<ResourceRequirements>;

const COUNTED = ['cpu', 'memory'] as const;

/** The QoS class of a pod, by whether all, some or none of its resources are limited and fully requested. */
export function qosClass(spec: Spec): QosClass {
  const owners = ownersOf(spec);
  const requests = totals(owners.map(({ requests }) => requests));
  const limits = totals(owners.map(({ limits }) => limits));
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const isAllLimited = owners.every(({ limits }, index) =>
    isLimited(limits, spec.resources !== undefined && index === 0),
  );
  if (!isAllLimited || requests.size !== limits.size) return 'Burstable';
  for (const [name, asked] of requests) {
    const limit = limits.get(name);
    if (limit === undefined || limit.compare(asked) !== 0) return 'Burstable';
  }
  return 'Guaranteed';
}

/** The class that the API server has written; computed for pods that have not come from there. */
export function qosClassOf({
  spec,
  status,
}: {
  readonly spec?: Spec;
  readonly status?: DeepReadonly<Pod>['status'];
}): QosClass {
  return (status?.qosClass as QosClass | undefined) ?? (spec === undefined ? 'BestEffort' : qosClass(spec));
}

/** Pod-level resources replace those of the containers. */
function ownersOf(spec: Spec): Requirements[] {
  if (spec.resources !== undefined) return [spec.resources];
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources ?? {});
}

function isLimited(limits: Readonly<Record<string, string>> | undefined, isPodLevel: boolean): boolean {
  if (isPodLevel && Object.keys(limits ?? {}).length === 0) return true;
  return COUNTED.every((name) => positive(limits?.[name]) !== undefined);
}

function totals(lists: readonly (Readonly<Record<string, string>> | undefined)[]): Map<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const list of lists) {
    for (const name of COUNTED) {
      const more = positive(list?.[name]);
      if (more !== undefined) sums.set(name, sums.get(name)?.add(more) ?? more);
    }
  }
  return sums;
}

function positive(text: string | undefined): Quantity | undefined {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return quantity === undefined || quantity instanceof ValueError || quantity.sign <= 0 ? undefined : quantity;
}
