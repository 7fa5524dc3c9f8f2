import { type LabelMatcher, matchLabels } from '../../api/client.ts';
import { controllerOf, isActive, isAvailable, isReady, isTerminating } from '../../api/meaning/index.ts';
import type { Pod as PodObject } from '../../api/types/core/v1.d.ts';
import { type Observed, Pod, tally } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import type { WantedReplicas } from './replica-kind.ts';

/** The numbers of pods that match the selector. */
export interface PodCounts {
  readonly active: number;
  readonly terminating: number;
  /** Active pods with all labels of the template. */
  readonly fullyLabeled: number;
  readonly ready: number;
  readonly available: number;
  /** Whether the object controls active pods that its selector does not match and that it must release. */
  readonly hasUnmatched: boolean;
}

/** The properties by which pods are counted. */
type Group = readonly [state: 'active' | 'terminating' | 'ended', isReady: boolean, labels: Record<string, string>];

/** Pods by the uid of their controller, grouped. */
const ownPods = tally(Pod, {
  valueOf: (pod) => controllerOf(pod)?.uid,
  groupOf: (pod) => JSON.stringify([stateOf(pod), isReady(pod), pod.metadata.labels ?? {}] satisfies Group),
});

function stateOf(pod: Observed<PodObject>): Group[0] {
  if (isActive(pod)) return 'active';
  return isTerminating(pod) ? 'terminating' : 'ended';
}

export interface CountedFor {
  readonly uid: string;
  readonly wanted: WantedReplicas;
  readonly selector: LabelMatcher;
  readonly nowMs: number;
}

/** Counts from the groups without visiting every pod, unless minReadySeconds applies. */
export function countPods(
  pods: Pick<Objects<PodObject>, 'counts' | 'list'>,
  { uid, wanted, selector, nowMs }: CountedFor,
): PodCounts {
  const template = matchLabels(wanted.template?.metadata?.labels);
  const counts = { active: 0, terminating: 0, fullyLabeled: 0, ready: 0, available: 0, hasUnmatched: false };
  for (const [text, count] of pods.counts(ownPods, uid)) {
    const [state, ready, labels] = JSON.parse(text) as Group;
    const isMatching = selector.matches(labels);
    if (state === 'active' && !isMatching) counts.hasUnmatched = true;
    if (state === 'ended' || !isMatching) continue;
    counts[state] += count;
    if (state !== 'active') continue;
    if (template.matches(labels)) counts.fullyLabeled += count;
    if (ready) counts.ready += count;
  }
  const { minReadySeconds } = wanted;
  counts.available = minReadySeconds === 0 ? counts.ready : 0;
  if (minReadySeconds === 0 || counts.ready === 0) return counts;
  for (const pod of pods.list({ controlledBy: uid })) {
    if (isActive(pod) && selector.matches(pod.metadata.labels) && isAvailable(pod, minReadySeconds, nowMs))
      counts.available += 1;
  }
  return counts;
}
