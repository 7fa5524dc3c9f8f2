import { hasUntolerated, requiredNodes } from '../../../api/meaning/index.ts';
import { LabelMatcher, matchLabels, matchLabelSelector, matchNothing, ValueError } from '../../../api/values/index.ts';
import type { TopologySpreadConstraint } from '../../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../../base/index.ts';
import type { Node, Observed, Pod } from '../../../client/index.ts';
import { textOf } from '../../cache/affinity-terms.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { TopologyQuery } from '../../cache/topology-counts.ts';
import type { PodSelector } from './default-selector.ts';
import type { SpreadDefaults } from './spread-args.ts';

export type SpreadAction = 'DoNotSchedule' | 'ScheduleAnyway';

/** A compiled topology spread constraint. */
export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: LabelMatcher;
  /** Excludes nodes that the pod's node affinity rules out. */
  readonly honorsAffinity: boolean;
  /** Excludes nodes whose taints the pod does not tolerate. */
  readonly honorsTaints: boolean;
}

type Given = DeepReadonly<Pick<TopologySpreadConstraint, 'maxSkew' | 'topologyKey' | 'whenUnsatisfiable'>> &
  DeepReadonly<Partial<TopologySpreadConstraint>>;

/** The pod's constraints with this `whenUnsatisfiable`, or the default ones when the pod has no constraints at all. */
export function constraintsOf(
  pod: Observed<Pod>,
  action: SpreadAction,
  { defaults, selectorFor }: { readonly defaults: SpreadDefaults; readonly selectorFor: PodSelector },
): readonly SpreadConstraint[] {
  const own: readonly Given[] = pod.spec?.topologySpreadConstraints ?? [];
  const compile = (given: Given): SpreadConstraint => compileConstraint(given, pod);
  if (own.length > 0) return own.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action).map(compile);
  const byDefault = defaults.constraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action);
  if (byDefault.length === 0) return [];
  const selector = selectorFor(pod);
  return selector.isEmpty ? [] : byDefault.map((given) => ({ ...compile(given), selector }));
}

function compileConstraint(given: Given, pod: Observed<Pod>): SpreadConstraint {
  const { topologyKey, maxSkew, minDomains = 1, nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = given;
  const honorsAffinity = nodeAffinityPolicy === 'Honor';
  const honorsTaints = nodeTaintsPolicy === 'Honor';
  return { topologyKey, maxSkew, minDomains, selector: selectorOf(given, pod), honorsAffinity, honorsTaints };
}

/** The label selector, with the pod's values for `matchLabelKeys` added. */
function selectorOf({ labelSelector, matchLabelKeys = [] }: Given, { metadata }: Observed<Pod>): LabelMatcher {
  const matcher = matchLabelSelector(labelSelector);
  if (matcher instanceof ValueError) return matchNothing();
  const keys = matchLabelKeys.filter((key) => metadata.labels?.[key] !== undefined);
  if (keys.length === 0 || matcher.matchesNothing) return matcher;
  const own = matchLabels(Object.fromEntries(keys.map((key) => [key, metadata.labels?.[key] ?? ''])));
  return new LabelMatcher([...own.requirements, ...matcher.requirements]);
}

/** Whether the node has the topology labels of all constraints. */
export function hasAllKeys(node: Observed<Node>, constraints: readonly SpreadConstraint[]): boolean {
  const { labels } = node.metadata;
  for (const { topologyKey } of constraints) if (labels?.[topologyKey] === undefined) return false;
  return true;
}

/**
 * The topology query of each constraint: counts the selected pods of the namespace that are not being deleted, on
 * eligible nodes.
 */
export function spreadQueries(
  { pod }: PodInfo,
  constraints: readonly SpreadConstraint[],
  { needsAllKeys }: { readonly needsAllKeys: boolean },
): readonly TopologyQuery[] {
  const { namespace = '' } = pod.metadata;
  const { nodeSelector, affinity, tolerations } = pod.spec ?? {};
  const isAllowed = requiredNodes(pod);
  const keys = needsAllKeys ? constraints.map(({ topologyKey }) => topologyKey).join() : '';
  const affinityText = isAllowed === undefined ? '' : JSON.stringify([nodeSelector, affinity?.nodeAffinity]);
  return constraints.map(({ topologyKey, selector, honorsAffinity, honorsTaints }) => {
    const nodes = [honorsAffinity ? affinityText : '', honorsTaints ? JSON.stringify(tolerations ?? []) : ''].join(
      '\n',
    );
    return {
      key: ['spread', namespace, topologyKey, textOf(selector), keys, nodes].join('\n'),
      topologyKey,
      matches: ({ pod: { metadata } }) =>
        metadata.namespace === namespace &&
        metadata.deletionTimestamp === undefined &&
        !selector.isEmpty &&
        selector.matches(metadata.labels),
      isEligible: (node) =>
        (!needsAllKeys || hasAllKeys(node, constraints)) &&
        (!honorsAffinity || isAllowed?.(node) !== false) &&
        (!honorsTaints || !hasUntolerated(node.spec?.taints, tolerations)),
    };
  });
}
