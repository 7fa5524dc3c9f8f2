import type { DeepReadonly } from '../../../base/index.ts';
import type { ResourceQuota, ScopedResourceSelectorRequirement } from '../../types/core/v1.d.ts';

/** A rule on one scope of objects. */
export type ScopeRule = DeepReadonly<ScopedResourceSelectorRequirement>;

/** The rules that an object must all match to count for a quota; a plain scope must exist. */
export function scopeRules({ spec }: DeepReadonly<ResourceQuota>): readonly ScopeRule[] {
  const plain = (spec?.scopes ?? []).map((scopeName): ScopeRule => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** Whether a rule on names matches an object with this name, or without one. */
export function fitsName({ operator, values = [] }: ScopeRule, name: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return name !== undefined && values.includes(name);
    case 'NotIn':
      return name === undefined || !values.includes(name);
    case 'Exists':
      return name !== undefined;
    default:
      return name === undefined;
  }
}
