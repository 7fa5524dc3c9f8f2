import { controllerOf } from '../../../api/meaning/index.ts';
import type { Pod } from '../../../api/types/core/v1.d.ts';
import { type Clock, compareUtf8, type Turns } from '../../../base/index.ts';
import type { Whole } from '../../kind.ts';
import { type PodEvaluator, reasonsOf } from './evaluate.ts';
import { describeLevel, type LevelVersion } from './policy.ts';

/** How many pods of a namespace a change of its labels checks, and for how long. */
const MAX_PODS = 3000;
const MAX_MS = 1000;
/** How many pods are checked before other work gets a turn. */
const SLICE = 100;

export interface ExistingPods {
  readonly namespace: string;
  readonly pods: readonly Whole<Pod>[];
  readonly isExempt: (pod: Whole<Pod>) => boolean;
}

export interface EvaluationParts {
  readonly evaluator: PodEvaluator;
  readonly clock: Clock;
  readonly turns: Turns;
}

/** Warnings about the existing pods of a namespace that violate the level to be enforced, one for each set of reasons. */
export async function warningsAbout(
  { namespace, pods, isExempt }: ExistingPods,
  enforce: LevelVersion,
  { evaluator, clock, turns }: EvaluationParts,
): Promise<readonly string[]> {
  const all = differentFirst(pods.filter((pod) => !isExempt(pod)));
  const violating = new Map<string, Group>();
  const deadlineMs = clock.monotonic() + MAX_MS;
  let checked = 0;
  for (const pod of all.slice(0, MAX_PODS)) {
    if (checked > 0 && checked % SLICE === 0) await turns.take(true);
    const { annotations = {}, name = '' } = pod.metadata;
    const reasons = reasonsOf(evaluator.violations(enforce, { annotations, spec: pod.spec }));
    checked += 1;
    if (reasons !== '') violating.set(reasons, withPod(violating.get(reasons), name));
    if (clock.monotonic() > deadlineMs) break;
  }
  const level = describeLevel(enforce);
  return [
    ...(checked < all.length
      ? [`new PodSecurity enforce level only checked against the first ${checked} of ${all.length} existing pods`]
      : []),
    ...(violating.size > 0
      ? [`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${level}"`]
      : []),
    ...Array.from(violating, ([reasons, group]) => `${describeGroup(group)}: ${reasons}`).sort(compareUtf8),
  ];
}

/** Pods of one controller resemble each other: the first of each controller comes before the others. */
function differentFirst(pods: readonly Whole<Pod>[]): readonly Whole<Pod>[] {
  const seen = new Set<string>();
  const first: Whole<Pod>[] = [];
  const others: Whole<Pod>[] = [];
  for (const pod of pods) {
    const uid = controllerOf(pod)?.uid;
    (uid !== undefined && seen.has(uid) ? others : first).push(pod);
    if (uid !== undefined) seen.add(uid);
  }
  return [...first, ...others];
}

/** Pods with the same violations. */
interface Group {
  /** The alphabetically first name. */
  readonly name: string;
  readonly count: number;
}

function withPod(group: Group | undefined, name: string): Group {
  if (group === undefined) return { name, count: 1 };
  return { name: compareUtf8(name, group.name) < 0 ? name : group.name, count: group.count + 1 };
}

function describeGroup({ name, count }: Group): string {
  if (count === 1) return name;
  return `${name} (and ${count - 1} other ${count === 2 ? 'pod' : 'pods'})`;
}
