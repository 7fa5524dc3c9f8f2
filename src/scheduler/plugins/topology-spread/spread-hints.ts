import { deepEqual } from '../../../base/index.ts';
import type { Node, Observed, Pod } from '../../../client/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Change } from '../../framework/cluster-event.ts';
import { hasAllKeys, type SpreadConstraint } from './spread-constraints.ts';

type ConstraintsOf = (pod: Observed<Pod>) => readonly SpreadConstraint[];

/** A matching pod was added, removed or relabelled, or the waiting pod itself tolerates more. */
export function isSpreadChangedByPod(
  waiting: PodInfo,
  { old, now }: Change<Pod>,
  constraintsOf: ConstraintsOf,
): boolean {
  if ([old, now].some((other) => other !== undefined && !mayCount(other, waiting.pod))) return false;
  const constraints = constraintsOf(waiting.pod);
  const matching = (pod: Observed<Pod>): boolean[] =>
    constraints.map(({ selector }) => selector.matches(pod.metadata.labels));
  if (old === undefined || now === undefined) {
    const only = old ?? now;
    return only !== undefined && matching(only).includes(true);
  }
  const isOwn = now.metadata.uid === waiting.uid;
  const toleratesMore = isOwn && !deepEqual(old.spec?.tolerations ?? [], now.spec?.tolerations ?? []);
  if (toleratesMore && constraints.some(({ honorsTaints }) => honorsTaints)) return true;
  return !deepEqual(matching(old), matching(now));
}

/** Pods of the same namespace count once they are bound to a node or nominated for one. */
function mayCount(other: Observed<Pod>, waiting: Observed<Pod>): boolean {
  if (other.metadata.uid === waiting.metadata.uid) return true;
  const isPlaced = (other.spec?.nodeName ?? '') !== '' || (other.status?.nominatedNodeName ?? '') !== '';
  return isPlaced && other.metadata.namespace === waiting.metadata.namespace;
}

/** A node with all topology labels was added or removed, moved to another domain, or its taints changed. */
export function isSpreadChangedByNode({ old, now }: Change<Node>, constraints: readonly SpreadConstraint[]): boolean {
  const had = old !== undefined && hasAllKeys(old, constraints);
  const has = now !== undefined && hasAllKeys(now, constraints);
  if (old === undefined || now === undefined || had !== has) return had || has;
  if (!has) return false;
  const isMoved = constraints.some(
    ({ topologyKey }) => old.metadata.labels?.[topologyKey] !== now.metadata.labels?.[topologyKey],
  );
  return isMoved || !deepEqual(old.spec?.taints ?? [], now.spec?.taints ?? []);
}
