import { Pod, StatefulSet } from '../../client/index.ts';
import { controllerReference } from '../../api/meaning/index.ts';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Retention } from './set-view.ts';

type Reference = DeepReadonly<OwnerReference>;

/** The set and the pod of a claim; a pod that does not exist yet has no uid. */
export interface ClaimSituation {
  readonly set: { readonly name: string; readonly uid: string };
  readonly pod: { readonly name: string; readonly uid: string };
  readonly whenDeleted: Retention;
  readonly whenScaled: Retention;
  /** Whether the set is scaled down below this pod. */
  readonly isScaledDown: boolean;
}

/** The owner references that a claim should get. */
export interface ClaimVerdict {
  /** The new owners; undefined when they are right, or the claim must not be changed. */
  readonly owners: readonly Reference[] | undefined;
  /** Another controller owns the claim, so the retention policy is not applied. */
  readonly isConflicting: boolean;
}

/**
 * Applies the retention policy to a claim's owners: the set owns it when it is deleted with the set, the pod when it is
 * deleted on scale-down, and neither when it is retained.
 *
 * A claim that refers to an earlier set or pod with the same name is left alone: the garbage collector has yet to
 * process it.
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

/** Whether the claim refers to an earlier pod with this pod's name: it must not be used until it is deleted. */
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
