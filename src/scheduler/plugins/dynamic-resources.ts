import type { CycleKey } from '../framework/cycle.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable, unschedulable } from '../framework/rejection.ts';

const NAME = 'DynamicResources';
const NOTHING_TO_FREE = unschedulable(NAME, 'no new claims to deallocate');
const NO_WORD = unschedulable(NAME);
/** What kube-scheduler says when the pod was rejected before this plugin's turn to prepare. */
const NOT_PREPARED = unresolvable(NAME, 'not found');
const prepared: CycleKey<true> = { name: NAME };

/** PostFilter: a pod without resource claims cannot be helped by freeing one. Claims themselves are not looked at. */
export function dynamicResources(): Plugin {
  return {
    name: NAME,
    preFilter(cycle) {
      cycle.write(prepared, true);
      return 'skip';
    },
    postFilter(cycle) {
      if (!cycle.has(prepared)) return NOT_PREPARED;
      return (cycle.pod.pod.spec?.resourceClaims ?? []).length === 0 ? NOTHING_TO_FREE : NO_WORD;
    },
  };
}
