import type { Quantity } from '../../api/index.ts';
import type { PodSpec, ResourceRequirements } from '../../api/types/core/v1.d.ts';
import { amount } from './resource-list.ts';

const COUNTED = ['cpu', 'memory'] as const;

/** The QoS class of a pod, by whether all, some or none of its resources are limited and fully requested. */
export function qosClass(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
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

/** Pod-level resources replace those of the containers. */
function ownersOf(spec: PodSpec): ResourceRequirements[] {
  if (spec.resources !== undefined) return [spec.resources];
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources ?? {});
}

function isLimited(limits: Readonly<Record<string, string>> | undefined, isPodLevel: boolean): boolean {
  if (isPodLevel && Object.keys(limits ?? {}).length === 0) return true;
  return COUNTED.every((name) => limits?.[name] !== undefined && amount(limits[name]).sign > 0);
}

function totals(lists: readonly (Readonly<Record<string, string>> | undefined)[]): Map<string, Quantity> {
  const sums = new Map<string, Quantity>();
  for (const list of lists) {
    for (const name of COUNTED) {
      const text = list?.[name];
      if (text === undefined) continue;
      const more = amount(text);
      if (more.sign > 0) sums.set(name, sums.get(name)?.add(more) ?? more);
    }
  }
  return sums;
}
