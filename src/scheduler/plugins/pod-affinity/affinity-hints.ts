import type { Node, Observed, Pod } from '../../../client/index.ts';
import { affinityTermsOf } from '../../cache/affinity-terms.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Change } from '../../framework/cluster-event.ts';
import { allTermsMatch } from './affinity-queries.ts';

/**
 * A pod that matches an affinity term was added, one that matches an anti-affinity term was removed, or the labels of
 * one of them or of the waiting pod changed.
 */
export function isAffinityChangedByPod(waiting: PodInfo, { old, now }: Change<Pod>): boolean {
  if (old !== undefined && now?.metadata.uid === waiting.uid) return true;
  if ([old, now].some((other) => other !== undefined && !isPlaced(other))) return false;
  const { required, requiredAnti } = waiting.terms;
  if (old === undefined) return now !== undefined && allTermsMatch(required, now);
  if (now === undefined)
    return allTermsMatch(requiredAnti, old) || allTermsMatch(affinityTermsOf(old).requiredAnti, waiting.pod);
  if (!allTermsMatch(required, old) && allTermsMatch(required, now)) return true;
  return allTermsMatch(requiredAnti, old) && !allTermsMatch(requiredAnti, now);
}

function isPlaced({ spec, status }: Observed<Pod>): boolean {
  return (spec?.nodeName ?? '') !== '' || (status?.nominatedNodeName ?? '') !== '';
}

/** A node was added, or a topology label that the pod's terms use changed. */
export function isAffinityChangedByNode({ terms }: PodInfo, { old, now }: Change<Node>): boolean {
  const labelsOf = (node: Observed<Node> | undefined): Readonly<Record<string, string>> => node?.metadata.labels ?? {};
  const isNearer = terms.required.some(({ topologyKey }) => {
    const value = labelsOf(now)[topologyKey];
    return value !== undefined && labelsOf(old)[topologyKey] !== value;
  });
  if (isNearer) return true;
  if (old === undefined) return terms.requiredAnti.length > 0;
  return terms.requiredAnti.some(({ topologyKey }) => {
    const before = labelsOf(old)[topologyKey];
    return before !== undefined && before !== labelsOf(now)[topologyKey];
  });
}
