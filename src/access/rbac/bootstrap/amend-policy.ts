import type { ApiObject } from '../../../api/index.ts';
import type { AggregationRule, PolicyRule, Subject } from '../../../api/types/rbac/v1.d.ts';
import { deepEqual } from '../../../base/index.ts';
import { missingFrom } from '../rule-coverage.ts';
import type { PolicyObject } from './read-policy.ts';

/** How to repair an existing object of the policy; undefined when nothing is missing. */
export type PolicyAmendment =
  | { readonly type: 'update'; readonly object: object }
  /** The binding is for another role, which cannot be changed: delete it and create it again. */
  | { readonly type: 'replace' };

const PROTECTED = 'rbac.authorization.kubernetes.io/autoupdate';

/**
 * Restores what an object lacks of the policy. What users have added stays, and objects whose annotation
 * `rbac.authorization.kubernetes.io/autoupdate` is "false" are not changed.
 */
export function amendPolicy({ object }: PolicyObject, current: ApiObject): PolicyAmendment | undefined {
  if (current.metadata.annotations?.[PROTECTED] === 'false') return undefined;
  if (object.roleRef !== undefined && !deepEqual(object.roleRef, current['roleRef'])) return { type: 'replace' };
  const content = object.roleRef === undefined ? amendedRole(object, current) : amendedBinding(object, current);
  const labels = { ...object.metadata.labels, ...current.metadata.labels };
  const annotations = { ...object.metadata.annotations, ...current.metadata.annotations };
  const amended = { ...current, metadata: { ...current.metadata, labels, annotations }, ...content };
  return deepEqual(amended, current) ? undefined : { type: 'update', object: amended };
}

type Content = Readonly<Record<string, unknown>>;

function amendedRole({ rules: wanted = [], aggregationRule }: PolicyObject['object'], current: ApiObject): Content {
  const rules = (current['rules'] ?? []) as readonly PolicyRule[];
  const missing = missingFrom(rules, wanted);
  if (missing === 'too many') throw new Error('Unreachable: the policy has few permissions');
  const known = current['aggregationRule'] as AggregationRule | undefined;
  return {
    ...(missing.length === 0 ? {} : { rules: [...rules, ...missing] }),
    ...(aggregationRule === undefined && known === undefined
      ? {}
      : { aggregationRule: amendedAggregation(aggregationRule, known) }),
  };
}

/** Removes the aggregation rule from a role that should not be aggregated. */
function amendedAggregation(
  wanted: AggregationRule | undefined,
  known: AggregationRule | undefined,
): AggregationRule | undefined {
  if (wanted === undefined) return undefined;
  const selectors = known?.clusterRoleSelectors ?? [];
  const missing = (wanted.clusterRoleSelectors ?? []).filter((each) => !selectors.some((own) => deepEqual(own, each)));
  return missing.length === 0 ? known : { ...known, clusterRoleSelectors: [...selectors, ...missing] };
}

function amendedBinding({ subjects: wanted = [] }: PolicyObject['object'], current: ApiObject): Content {
  const subjects = (current['subjects'] ?? []) as readonly Subject[];
  const missing = wanted.filter((each) => !subjects.some((own) => deepEqual(own, each)));
  return missing.length === 0 ? {} : { subjects: [...subjects, ...missing] };
}
