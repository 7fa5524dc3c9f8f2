import { Pod, StatefulSet } from '../../client/index.ts';
import { controllerReference } from '../../api/meaning/index.ts';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Retention } from './set-view.ts';

type Reference = DeepReadonly<OwnerReference>;

/** Whose claim it is: one for a pod that does not exist yet has no uid. */
export interface ClaimSituation {
  readonly set: { readonly name: string; readonly uid: string };
  readonly pod: { readonly name: string; readonly uid: string };
  readonly whenDeleted: Retention;
  readonly whenScaled: Retention;
  /** The set no longer wants the pod. */
  readonly isScaledDown: boolean;
}

/** What is to be done about the owners of a claim. */
export interface ClaimVerdict {
  /** The owners it should have; undefined when it has them, or when it is not ours to change. */
  readonly owners: readonly Reference[] | undefined;
  /** Another controller has the claim, so the set's policy is not followed. */
  readonly isConflicting: boolean;
}

/**
 * Decides by whose deletion a claim goes: it is owned by the set when it goes with the set, by its pod when that is being
 * scaled away, and by neither when it is kept.
 *
 * A claim that names an earlier set or pod of the same name is left alone: the garbage collector has yet to look at it.
 */
export function judgeClaim(references: readonly Reference[], situation: ClaimSituation): ClaimVerdict {
  const { set, pod, whenDeleted, whenScaled, isScaledDown } = situation;
  const ofSet = controllerReference({ metadata: set }, StatefulSet);
  const ofPod = controllerReference({ metadata: pod }, Pod);
  const isOurs = (each: Reference): boolean => isAbout(each, ofSet) || isAbout(each, ofPod);
  const isConflicting = (whenDeleted === 'Delete' || whenScaled === 'Delete') && hasOther(references, [ofSet, ofPod]);
  if (hasStaleOwner(references, set, ofSet) || hasStaleOwner(references, pod, ofPod))
    return { owners: undefined, isConflicting };

  const owns = ({ uid }: { readonly uid: string }): boolean => references.some((each) => each.uid === uid);
  const others = references.filter((each) => !isOurs(each));
  if (isConflicting) return { owners: owns(set) || owns(pod) ? others : undefined, isConflicting };

  const wantsPod = whenScaled === 'Delete' && isScaledDown;
  const wantsSet = whenDeleted === 'Delete' && !wantsPod;
  const isControlling = references.every(
    ({ uid, controller }) => (uid !== set.uid && uid !== pod.uid) || controller === true,
  );
  if (isControlling && owns(set) === wantsSet && owns(pod) === wantsPod) return { owners: undefined, isConflicting };
  return { owners: [...others, ...(wantsSet ? [ofSet] : []), ...(wantsPod ? [ofPod] : [])], isConflicting };
}

/** Whether the claim names a pod that had this pod's name before: nobody may use the claim until it is gone. */
export function hasStalePod(references: readonly Reference[], pod: ClaimSituation['pod']): boolean {
  return hasStaleOwner(references, pod, controllerReference({ metadata: pod }, Pod));
}

function hasStaleOwner(references: readonly Reference[], { uid }: { readonly uid: string }, like: Reference): boolean {
  const found = references.find((each) => isAbout(each, like));
  return found !== undefined && found.uid !== uid;
}

function hasOther(references: readonly Reference[], ours: readonly Reference[]): boolean {
  return references.some((each) => {
    const like = ours.find((our) => isAbout(each, our));
    return like === undefined ? each.controller === true : each.uid !== like.uid;
  });
}

function isAbout(reference: Reference, { apiVersion, kind, name }: Reference): boolean {
  return reference.apiVersion === apiVersion && reference.kind === kind && reference.name === name;
}
