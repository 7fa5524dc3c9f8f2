import type { DeploymentView } from './deployment-view.ts';
import { byRevision, type ReplicaSetObject, sizeOf } from './replica-sets.ts';

/** The old ReplicaSets beyond the history limit, lowest revisions first; never one that has or may have pods. */
export function setsToCleanUp(
  { revisionHistoryLimit }: DeploymentView,
  old: readonly ReplicaSetObject[],
): readonly ReplicaSetObject[] {
  if (revisionHistoryLimit === undefined) return [];
  const kept = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined).toSorted(byRevision);
  return kept.slice(0, Math.max(0, kept.length - revisionHistoryLimit)).filter((set) => {
    const { metadata, status } = set;
    const isSeen = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
    return isSeen && sizeOf(set) === 0 && (status?.replicas ?? 0) === 0;
  });
}
