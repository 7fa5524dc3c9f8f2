import type { DeepReadonly } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

type Taint = DeepReadonly<core.Taint>;
type Toleration = DeepReadonly<core.Toleration>;

/** Whether a pod with these tolerations may stay on a node with these taints. */
export function toleratesExecution(taints: readonly Taint[], tolerations: readonly Toleration[]): boolean {
  return taints
    .filter(({ effect }) => effect === 'NoExecute')
    .every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

function tolerates({ key = '', operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return operator === 'Equal' && key !== '' && value === (taint.value ?? '');
}
