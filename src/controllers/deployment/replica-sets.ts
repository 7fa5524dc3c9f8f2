import type { ReplicaSet } from '../../api/types/apps/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { compareUtf8, deepEqual, type DeepReadonly } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';
import { revisionOf } from './annotations.ts';

export type ReplicaSetObject = Observed<ReplicaSet>;

/** The label that distinguishes the pods of a Deployment's ReplicaSets. */
export const TEMPLATE_HASH = 'pod-template-hash';

/** The desired replicas of the ReplicaSet. */
export function sizeOf({ spec }: ReplicaSetObject): number {
  return spec?.replicas ?? 1;
}

export function totalSize(sets: readonly ReplicaSetObject[]): number {
  return sets.reduce((total, set) => total + sizeOf(set), 0);
}

/** Sums a status count. */
export function totalOf(
  sets: readonly ReplicaSetObject[],
  count: 'replicas' | 'readyReplicas' | 'availableReplicas',
): number {
  return sets.reduce((total, { status }) => total + (status?.[count] ?? 0), 0);
}

/** ReplicaSets with a size above zero. */
export function activeSets(sets: readonly ReplicaSetObject[]): ReplicaSetObject[] {
  return sets.filter((set) => sizeOf(set) > 0);
}

/** Orders by age; equal timestamps by name. */
export function byAge(left: ReplicaSetObject, right: ReplicaSetObject): number {
  return (
    Date.parse(left.metadata.creationTimestamp) - Date.parse(right.metadata.creationTimestamp) ||
    compareUtf8(left.metadata.name, right.metadata.name)
  );
}

/** Orders by revision, lowest first. */
export function byRevision(left: ReplicaSetObject, right: ReplicaSetObject): number {
  const first = revisionOf(left);
  const second = revisionOf(right);
  if (first === undefined || second === undefined || first === second) return byAge(left, right);
  return first < second ? -1 : 1;
}

/** A Deployment's ReplicaSets: the one of the current template, if it exists, and the others, oldest first. */
export interface SetsOfDeployment {
  readonly current: ReplicaSetObject | undefined;
  readonly old: readonly ReplicaSetObject[];
}

/** Finds the current ReplicaSet; of several with the same template the oldest. */
export function sortSets(sets: readonly ReplicaSetObject[], template: DeepReadonly<PodTemplateSpec>): SetsOfDeployment {
  const ordered = sets.toSorted(byAge);
  const current = ordered.find(({ spec }) => isSameTemplate(spec?.template, template));
  return { current, old: ordered.filter((set) => set !== current) };
}

/** Whether two templates are equal, ignoring the hash label. */
export function isSameTemplate(
  left: DeepReadonly<PodTemplateSpec> | undefined,
  right: DeepReadonly<PodTemplateSpec> | undefined,
): boolean {
  return deepEqual(comparable(left), comparable(right));
}

function comparable(template: DeepReadonly<PodTemplateSpec> | undefined): unknown {
  const { labels, annotations, ...metadata } = template?.metadata ?? {};
  const { [TEMPLATE_HASH]: _, ...others } = labels ?? {};
  const { creationTimestamp, ...rest } = metadata;
  const created = creationTimestamp === undefined || creationTimestamp === null ? {} : { creationTimestamp };
  return {
    metadata: { ...rest, ...created, labels: others, annotations: annotations ?? {} },
    spec: template?.spec ?? {},
  };
}
