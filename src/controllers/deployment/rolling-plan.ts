import type { DeploymentView } from './deployment-view.ts';
import { activeSets, byAge, type ReplicaSetObject, sizeOf, totalOf, totalSize } from './replica-sets.ts';

/** A ReplicaSet and its new size. Later entries for the same ReplicaSet build on earlier ones. */
export interface Resize {
  readonly set: ReplicaSetObject;
  readonly replicas: number;
}

/** The new size of the current ReplicaSet: as close to the Deployment's size as maxSurge allows. */
export function currentSetSize(deployment: DeploymentView, allSize: number, currentSize: number): number {
  const { replicas, maxSurge, isRolling } = deployment;
  if (!isRolling || currentSize >= replicas) return replicas;
  const room = replicas + maxSurge - allSize;
  return room <= 0 ? currentSize : currentSize + Math.min(room, replicas - currentSize);
}

/**
 * Scales down the old ReplicaSets: first their unavailable pods, so that these cannot block the rollout, then available
 * ones beyond the minimum.
 *
 * Unavailable pods of the current ReplicaSet count as missing, so that a template that never works does not replace all
 * working pods.
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
  // A ReplicaSet with more pods than its size is about to delete some: they must not be counted.
  if (cleaned.left > 0 && sets.some((set) => unavailableIn(set, sizeOf(set)) < 0)) return cleaned.steps;
  const available = totalOf([...sets, current], 'availableReplicas');
  return [...cleaned.steps, ...shrink(sizes, available - minAvailable, (_, size) => size).steps];
}

/** Whether its status does not reflect the last resize yet. */
function isBehind({ metadata, status }: ReplicaSetObject): boolean {
  return (metadata.generation ?? 0) > (status?.observedGeneration ?? 0);
}

function unavailableIn({ status }: ReplicaSetObject, size: number): number {
  return size - (status?.availableReplicas ?? 0);
}

/**
 * Removes up to `budget` pods, from each ReplicaSet as many as `removable` allows; returns the steps and the rest of
 * the budget.
 */
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
