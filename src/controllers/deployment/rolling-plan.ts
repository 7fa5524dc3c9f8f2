import type { DeploymentView } from './deployment-view.ts';
import { activeSets, byAge, type ReplicaSetObject, sizeOf, totalOf, totalSize } from './replica-sets.ts';

/** A ReplicaSet and the size it is to get. In a list, later ones of the same ReplicaSet build on earlier ones. */
export interface Resize {
  readonly set: ReplicaSetObject;
  readonly replicas: number;
}

/** How large the current ReplicaSet may be now: as close to the Deployment's size as the surge allows. */
export function currentSetSize(deployment: DeploymentView, allSize: number, currentSize: number): number {
  const { replicas, maxSurge, isRolling } = deployment;
  if (!isRolling || currentSize >= replicas) return replicas;
  const room = replicas + maxSurge - allSize;
  return room <= 0 ? currentSize : currentSize + Math.min(room, replicas - currentSize);
}

/**
 * How much the old ReplicaSets may shrink now: first by pods that are not available anyway, so that they cannot block the
 * rollout, then by as many as are available beyond the minimum.
 *
 * Pods of the current ReplicaSet that are not available yet count as missing, so that a template that never works does not
 * eat up what does.
 */
export function shrinkOldSets(
  deployment: DeploymentView,
  current: ReplicaSetObject,
  old: readonly ReplicaSetObject[],
): readonly Resize[] {
  const minAvailable = deployment.replicas - deployment.maxUnavailable;
  const currentUnavailable = sizeOf(current) - (current.status?.availableReplicas ?? 0);
  const removable = totalSize(old) + sizeOf(current) - minAvailable - currentUnavailable;
  const sets = activeSets(old).toSorted(byAge);
  if (sets.length === 0 || removable <= 0 || sets.some(isBehind)) return [];
  const sizes = new Map(sets.map((set) => [set, sizeOf(set)]));
  const cleaned = shrink(sizes, removable, unavailableIn);
  // One that has more than it should is about to lose pods: they must not be counted upon.
  if (cleaned.left > 0 && sets.some((set) => unavailableIn(set, sizeOf(set)) < 0)) return cleaned.steps;
  const available = totalOf([...sets, current], 'availableReplicas');
  return [...cleaned.steps, ...shrink(sizes, available - minAvailable, (_, size) => size).steps];
}

/** Whether it was resized a moment ago: its counts are those of before, and cannot be trusted yet. */
function isBehind({ metadata, status }: ReplicaSetObject): boolean {
  return (metadata.generation ?? 0) > (status?.observedGeneration ?? 0);
}

function unavailableIn({ status }: ReplicaSetObject, size: number): number {
  return size - (status?.availableReplicas ?? 0);
}

/** Takes up to `budget` pods away, from each ReplicaSet what `removable` allows; tells the steps, and what is left. */
function shrink(
  sizes: Map<ReplicaSetObject, number>,
  budget: number,
  removable: (set: ReplicaSetObject, size: number) => number,
): { readonly steps: readonly Resize[]; readonly left: number } {
  const steps: Resize[] = [];
  let left = budget;
  for (const [set, size] of sizes) {
    const removed = Math.min(left, removable(set, size));
    if (removed <= 0) continue;
    left -= removed;
    sizes.set(set, size - removed);
    steps.push({ set, replicas: size - removed });
  }
  return { steps, left };
}
