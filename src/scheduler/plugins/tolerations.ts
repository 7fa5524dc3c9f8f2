import type { DeepReadonly } from '../../base/index.ts';
import type { Taint, Toleration } from '../../api/types/core/v1.d.ts';

export type Taints = readonly DeepReadonly<Taint>[];
export type Tolerations = readonly DeepReadonly<Toleration>[];

/** Whether one of the tolerations is about the taint. */
export function isTolerated(taint: DeepReadonly<Taint>, tolerations: Tolerations | undefined): boolean {
  if (tolerations === undefined) return false;
  for (const toleration of tolerations) {
    if (tolerates(toleration, taint)) return true;
  }
  return false;
}

/** Whether a taint that keeps pods off the node is not tolerated. */
export function hasUntolerated(taints: Taints | undefined, tolerations: Tolerations | undefined): boolean {
  if (taints === undefined) return false;
  for (const taint of taints) {
    if (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') continue;
    if (!isTolerated(taint, tolerations)) return true;
  }
  return false;
}

/** `Lt` and `Gt` are behind a feature gate that is off by default in 1.36, and tolerate nothing. */
function tolerates({ effect, key, operator, value }: DeepReadonly<Toleration>, taint: DeepReadonly<Taint>): boolean {
  if (isSet(effect) && effect !== taint.effect) return false;
  if (isSet(key) && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (!isSet(operator) || operator === 'Equal') && (value ?? '') === (taint.value ?? '');
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '';
}
