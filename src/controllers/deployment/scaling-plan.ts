import { DESIRED_REPLICAS, MAX_REPLICAS, sizeAnnotation } from './annotations.ts';
import type { DeploymentView } from './deployment-view.ts';
import { activeSets, byAge, type ReplicaSetObject, type SetsOfDeployment, sizeOf, totalSize } from './replica-sets.ts';
import type { Resize } from './rolling-plan.ts';

/** Whether the Deployment was scaled since its ReplicaSets were last resized. */
export function isScalingEvent({ replicas }: DeploymentView, { current, old }: SetsOfDeployment): boolean {
  const sets = current === undefined ? old : [...old, current];
  return activeSets(sets).some((set) => (sizeAnnotation(set, DESIRED_REPLICAS) ?? replicas) !== replicas);
}

/** The new sizes when a Deployment was scaled or is paused: the rollout itself makes no progress. */
export interface ScalingPlan {
  readonly resizes: readonly Resize[];
  /** Also writes ReplicaSets that keep their size, to update their size annotations. */
  readonly isForced: boolean;
}

/**
 * Distributes the Deployment's size over its ReplicaSets.
 *
 * - One active ReplicaSet, or none: that one, or the newest, gets all.
 * - The current one is complete: the others get nothing.
 * - During a rolling update: each in proportion to its size, so that scaling does not spread a bad template.
 */
export function planScaling(deployment: DeploymentView, { current, old }: SetsOfDeployment): ScalingPlan {
  const newestFirst = old.toSorted((left, right) => byAge(right, left));
  const active = activeSets(current === undefined ? newestFirst : [...newestFirst, current]);
  const single = active.length === 0 ? (current ?? newestFirst[0]) : active.length === 1 ? active[0] : undefined;
  if (single !== undefined) return lazily([{ set: single, replicas: deployment.replicas }]);
  if (active.length === 0) return lazily([]);
  if (isSaturated(deployment, current)) return lazily(activeSets(newestFirst).map((set) => ({ set, replicas: 0 })));
  if (!deployment.isRolling) return lazily([]);
  return { resizes: scaleProportionally(deployment, active), isForced: true };
}

function lazily(resizes: readonly Resize[]): ScalingPlan {
  return { resizes: resizes.filter(({ set, replicas }) => sizeOf(set) !== replicas), isForced: false };
}

/** Whether the current ReplicaSet has all replicas, available, and its size annotation agrees. */
function isSaturated({ replicas }: DeploymentView, current: ReplicaSetObject | undefined): boolean {
  if (current === undefined || sizeAnnotation(current, DESIRED_REPLICAS) !== replicas) return false;
  return sizeOf(current) === replicas && (current.status?.availableReplicas ?? 0) === replicas;
}

/**
 * Distributes a size change: largest first; among equals the newer when scaling up and the older when scaling down; the
 * rounding remainder goes to the first.
 *
 * Example: sizes 5 and 10 of at most 15, scaled to at most 30: 10 and 20.
 */
function scaleProportionally(deployment: DeploymentView, active: readonly ReplicaSetObject[]): readonly Resize[] {
  const allowed = deployment.replicas > 0 ? deployment.replicas + deployment.maxSurge : 0;
  const toAdd = allowed - totalSize(active);
  const direction = toAdd > 0 ? -1 : 1;
  const sets =
    toAdd === 0
      ? active
      : active.toSorted((left, right) => sizeOf(right) - sizeOf(left) || direction * byAge(left, right));
  let added = 0;
  const sizes = sets.map((set) => {
    const share = shareOf(set, deployment, toAdd - added);
    added += share;
    return sizeOf(set) + share;
  });
  sizes[0] = Math.max(0, (sizes[0] ?? 0) + toAdd - added);
  return sets.map((set, index) => ({ set, replicas: sizes[index] ?? 0 }));
}

function shareOf(set: ReplicaSetObject, deployment: DeploymentView, left: number): number {
  if (left === 0) return 0;
  const fraction = fractionOf(set, deployment);
  return left > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

/** The ReplicaSet's share of the size change in proportion to its size. */
function fractionOf(set: ReplicaSetObject, { replicas, maxSurge, status }: DeploymentView): number {
  const size = sizeOf(set);
  if (replicas === 0) return -size;
  const before = sizeAnnotation(set, MAX_REPLICAS) || (status.replicas ?? 0);
  if (before === 0) return 0;
  return Math.floor((size * (replicas + maxSurge)) / before + 0.5) - size;
}
