import { millisOfGoSeconds } from '../../api/client.ts';
import { tolerates } from '../../api/meaning/index.ts';
import type { Taint, Toleration } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';

/** How long a pod tolerates a node's taints: not at all, for some milliseconds, or forever. */
export type Tolerance =
  | { readonly type: 'none' }
  | { readonly type: 'for'; readonly ms: number }
  | { readonly type: 'ever' };

/** The shortest time among the first matching toleration of each taint; not at all if a taint has none. */
export function toleranceFor(
  taints: readonly DeepReadonly<Taint>[],
  tolerations: readonly DeepReadonly<Toleration>[],
): Tolerance {
  let shortestMs = Infinity;
  for (const taint of taints) {
    const toleration = tolerations.find((candidate) => tolerates(candidate, taint));
    if (toleration === undefined) return { type: 'none' };
    const { tolerationSeconds } = toleration;
    if (tolerationSeconds === undefined) continue;
    const ms = millisOfGoSeconds(tolerationSeconds);
    if (tolerationSeconds <= 0) shortestMs = 0;
    else if (ms >= 0) shortestMs = Math.min(shortestMs, ms); // a time that wraps around is forever
  }
  return shortestMs === Infinity ? { type: 'ever' } : { type: 'for', ms: shortestMs };
}
