import type { DeepReadonly } from '../../base/index.ts';
import type { Taint, Toleration } from '../types/core/v1.d.ts';

export type Taints = readonly DeepReadonly<Taint>[];
export type Tolerations = readonly DeepReadonly<Toleration>[];

/** The fields of a taint that tolerations match; the same for nodes and devices. */
interface TaintFields {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** The fields of a toleration that select taints. */
interface TolerationFields extends Partial<TaintFields> {
  readonly operator?: string;
}

/** Keys of the taints that the control plane itself puts on nodes. */
export const NOT_READY_TAINT = 'node.kubernetes.io/not-ready';
export const UNREACHABLE_TAINT = 'node.kubernetes.io/unreachable';
export const UNSCHEDULABLE_TAINT = 'node.kubernetes.io/unschedulable';

/** Whether the list contains the taint, by key and effect; values do not matter. */
export function hasTaint(taints: Taints | undefined, wanted: DeepReadonly<Taint>): boolean {
  return taints?.some(({ key, effect }) => key === wanted.key && effect === wanted.effect) ?? false;
}

/** The effects that prevent scheduling. */
const KEEPS_OFF: readonly string[] = ['NoSchedule', 'NoExecute'];

/**
 * Whether the toleration matches the taint. No effect means every effect, no key every key; the value is still compared.
 *
 * `Lt` and `Gt` are behind a feature gate that is off by default in 1.36, and tolerate nothing.
 */
export function tolerates(toleration: TolerationFields, taint: TaintFields): boolean {
  const { effect, key, operator, value } = toleration;
  if (isSet(effect) && effect !== taint.effect) return false;
  if (isSet(key) && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (!isSet(operator) || operator === 'Equal') && (value ?? '') === (taint.value ?? '');
}

/** Whether one of the tolerations matches the taint. */
export function isTolerated(taint: TaintFields, tolerations: readonly TolerationFields[] | undefined): boolean {
  if (tolerations === undefined) return false;
  for (const toleration of tolerations) {
    if (tolerates(toleration, taint)) return true;
  }
  return false;
}

/** Whether a taint with one of the effects is not tolerated; default: the effects that prevent scheduling. */
export function hasUntolerated(
  taints: Taints | undefined,
  tolerations: Tolerations | undefined,
  effects: readonly string[] = KEEPS_OFF,
): boolean {
  if (taints === undefined) return false;
  for (const taint of taints) {
    if (effects.includes(taint.effect) && !isTolerated(taint, tolerations)) return true;
  }
  return false;
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '';
}
