import type { SuccessPolicy, SuccessPolicyRule } from '../../api/types/batch/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import { IndexSet } from './index-set.ts';

/** Describes the first success rule that the succeeded indexes meet; undefined when none is met. */
export function metSuccessRule(
  policy: DeepReadonly<SuccessPolicy> | undefined,
  succeeded: IndexSet,
  completions: number,
): string | undefined {
  if (succeeded.size === 0) return undefined;
  const position = policy?.rules.findIndex((rule) => isMet(rule, succeeded, completions)) ?? -1;
  return position < 0 ? undefined : `Matched rules at index ${position}`;
}

function isMet(
  { succeededIndexes, succeededCount = Infinity }: DeepReadonly<SuccessPolicyRule>,
  succeeded: IndexSet,
  completions: number,
): boolean {
  if (succeededIndexes === undefined) return succeeded.size >= succeededCount;
  const required = IndexSet.parse(succeededIndexes, completions);
  if (required.size === 0) return false;
  return required.overlap(succeeded) >= Math.min(required.size, succeededCount);
}
