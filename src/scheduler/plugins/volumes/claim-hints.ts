import { claimVolumesOf } from '../../../api/meaning/index.ts';
import type { PersistentVolumeClaim } from '../../../client/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Change } from '../../framework/cluster-event.ts';

/** Whether the pod uses the changed claim, directly or through an ephemeral volume. */
export function isClaimOfPod(info: PodInfo, { now }: Change<PersistentVolumeClaim>): boolean {
  return claimsOf(info, now).length > 0;
}

/** The same, without the claims of ephemeral volumes. */
export function isNamedClaimOfPod(info: PodInfo, { now }: Change<PersistentVolumeClaim>): boolean {
  return claimsOf(info, now).some(({ isEphemeral }) => !isEphemeral);
}

function claimsOf({ pod }: PodInfo, claim: Change<PersistentVolumeClaim>['now']): ReturnType<typeof claimVolumesOf> {
  if (claim === undefined || claim.metadata.namespace !== pod.metadata.namespace) return [];
  return claimVolumesOf(pod).filter((each) => each.claim === claim.metadata.name);
}
