import type { DeepReadonly } from '../../../base/index.ts';
import type { PersistentVolumeClaim, Pod, Volume } from '../../types/core/v1.d.ts';
import { controllerOf } from '../owner-references.ts';

/** A volume of a pod that refers to a claim. */
export interface ClaimVolume {
  /** The volume's name in the pod. */
  readonly volume: string;
  readonly claim: string;
  /** Whether the claim is created for the pod and deleted with it. */
  readonly isEphemeral: boolean;
}

/** The name of a volume's claim; undefined for volumes of other kinds. */
export function claimNameOf(pod: DeepReadonly<Pod>, volume: DeepReadonly<Volume>): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral === undefined ? undefined : `${pod.metadata?.name}-${volume.name}`;
}

/** The claims that a pod uses, in the order of its volumes. */
export function claimVolumesOf(pod: DeepReadonly<Pod>): ClaimVolume[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const claim = claimNameOf(pod, volume);
    return claim === undefined
      ? []
      : [{ volume: volume.name, claim, isEphemeral: volume.persistentVolumeClaim === undefined }];
  });
}

/** Why a claim of the right name is not the one made for the pod; undefined if it is. */
export function ephemeralClaimProblem(
  claim: DeepReadonly<PersistentVolumeClaim>,
  pod: DeepReadonly<Pod>,
): string | undefined {
  if (controllerOf(claim)?.uid === pod.metadata?.uid) return undefined;
  const key = ({ metadata }: DeepReadonly<Pod> | DeepReadonly<PersistentVolumeClaim>): string =>
    `${metadata?.namespace}/${metadata?.name}`;
  return `PVC ${key(claim)} was not created for pod ${key(pod)} (pod is not owner)`;
}
