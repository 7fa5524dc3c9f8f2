import { type LabelMatcher, matchLabelSelector, ValueError } from '../../../api/values/index.ts';
import type { Observed, PodDisruptionBudget } from '../../../client/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';

/** A PodDisruptionBudget with its compiled selector. */
interface Budget {
  readonly namespace: string | undefined;
  readonly selector: LabelMatcher;
  readonly allowed: number;
  /** The names of evicted pods that the budget has counted already. */
  readonly disrupted: Readonly<Record<string, unknown>>;
}

/** The budgets whose selectors select anything. */
export function budgetsOf(all: readonly Observed<PodDisruptionBudget>[]): readonly Budget[] {
  return all.flatMap(({ metadata, spec, status }) => {
    const selector = matchLabelSelector(spec?.selector);
    if (selector instanceof ValueError || selector.isEmpty || selector.matchesNothing) return [];
    const { disruptionsAllowed: allowed = 0, disruptedPods: disrupted = {} } = status ?? {};
    return [{ namespace: metadata.namespace, selector, allowed, disrupted }];
  });
}

/**
 * Splits the pods into those whose eviction, one after the other in this order, violates a budget, and the others; both
 * keep the order.
 */
export function splitByBudgets(
  pods: readonly PodInfo[],
  budgets: readonly Budget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  if (budgets.length === 0) return { violating: [], others: pods };
  const left = budgets.map(({ allowed }) => allowed);
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    const { namespace, name, labels = {} } = pod.pod.metadata;
    let isViolating = false;
    for (const [index, budget] of budgets.entries()) {
      if (budget.namespace !== namespace || Object.keys(labels).length === 0) continue;
      if (!budget.selector.matches(labels) || Object.hasOwn(budget.disrupted, name)) continue;
      left[index]! -= 1;
      if (left[index]! < 0) isViolating = true;
    }
    (isViolating ? violating : others).push(pod);
  }
  return { violating, others };
}
