import type { Affinity, PodAffinityTerm, PodSpec, TopologySpreadConstraint } from '../../api/types/core/v1.d.ts';
import type { LabelSelector } from '../../api/types/meta/v1.d.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * Adds requirements for `matchLabelKeys` and `mismatchLabelKeys` to the label selectors beside them, with the values of the
 * new pod's labels (KEP-3633, KEP-3243).
 */
export function withLabelKeys(spec: PodSpec, labels: Labels | undefined): PodSpec {
  const { affinity, topologySpreadConstraints } = spec;
  if (labels === undefined || (affinity === undefined && topologySpreadConstraints === undefined)) return spec;
  return {
    ...spec,
    ...(affinity === undefined ? {} : { affinity: withAffinityKeys(affinity, labels) }),
    ...(topologySpreadConstraints === undefined
      ? {}
      : { topologySpreadConstraints: topologySpreadConstraints.map((item) => withConstraintKeys(item, labels)) }),
  };
}

function withAffinityKeys(affinity: Affinity, labels: Labels): Affinity {
  const { podAffinity, podAntiAffinity } = affinity;
  return {
    ...affinity,
    ...(podAffinity === undefined ? {} : { podAffinity: withTerms(podAffinity, labels) }),
    ...(podAntiAffinity === undefined ? {} : { podAntiAffinity: withTerms(podAntiAffinity, labels) }),
  };
}

function withTerms(
  affinity: NonNullable<Affinity['podAffinity']>,
  labels: Labels,
): NonNullable<Affinity['podAffinity']> {
  const { requiredDuringSchedulingIgnoredDuringExecution: required } = affinity;
  const { preferredDuringSchedulingIgnoredDuringExecution: preferred } = affinity;
  return {
    ...affinity,
    ...(required === undefined
      ? {}
      : { requiredDuringSchedulingIgnoredDuringExecution: required.map((term) => withTermKeys(term, labels)) }),
    ...(preferred === undefined
      ? {}
      : {
          preferredDuringSchedulingIgnoredDuringExecution: preferred.map((item) => ({
            ...item,
            podAffinityTerm: withTermKeys(item.podAffinityTerm, labels),
          })),
        }),
  };
}

function withTermKeys(term: PodAffinityTerm, labels: Labels): PodAffinityTerm {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  if (labelSelector === undefined || (matchLabelKeys.length === 0 && mismatchLabelKeys.length === 0)) return term;
  const matched = withKeys(labelSelector, 'In', { keys: matchLabelKeys, labels });
  return { ...term, labelSelector: withKeys(matched, 'NotIn', { keys: mismatchLabelKeys, labels }) };
}

function withConstraintKeys(constraint: TopologySpreadConstraint, labels: Labels): TopologySpreadConstraint {
  const { labelSelector, matchLabelKeys: keys = [] } = constraint;
  if (labelSelector === undefined || keys.length === 0) return constraint;
  return { ...constraint, labelSelector: withKeys(labelSelector, 'In', { keys, labels }) };
}

function withKeys(
  selector: LabelSelector,
  operator: 'In' | 'NotIn',
  { keys, labels }: { readonly keys: readonly string[]; readonly labels: Labels },
): LabelSelector {
  const known = keys.filter((key) => labels[key] !== undefined);
  if (known.length === 0) return selector;
  const added = known.map((key) => ({ key, operator, values: [labels[key] ?? ''] }));
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] };
}
