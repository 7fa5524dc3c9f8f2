import type { DeepReadonly } from '../../base/index.ts';
import type { Taint } from '../types/core/v1.d.ts';

/** Keys of the taints that the control plane itself puts on nodes. */
export const NOT_READY_TAINT = 'node.kubernetes.io/not-ready';
export const UNREACHABLE_TAINT = 'node.kubernetes.io/unreachable';
export const UNSCHEDULABLE_TAINT = 'node.kubernetes.io/unschedulable';

/** Whether the list has the taint; key and effect tell taints apart, values do not. */
export function hasTaint(taints: readonly DeepReadonly<Taint>[] | undefined, wanted: DeepReadonly<Taint>): boolean {
  return taints?.some(({ key, effect }) => key === wanted.key && effect === wanted.effect) ?? false;
}
