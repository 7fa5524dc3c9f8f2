import type { DeepReadonly } from '../../base/index.ts';
import type { Pod, PodResourceClaim } from '../types/core/v1.d.ts';
import type { ResourceClaim } from '../types/resource/v1.d.ts';
import { isControlledBy } from './owner-references.ts';

/** The finalizer of allocated claims. */
export const CLAIM_FINALIZER = 'resource.kubernetes.io/delete-protection';
/** On a claim made from a template: its name in the pod's spec. */
export const POD_CLAIM_ANNOTATION = 'resource.kubernetes.io/pod-claim-name';
/** On a claim that the scheduler made for a pod's extended resources: `true`. */
export const EXTENDED_CLAIM_ANNOTATION = 'resource.kubernetes.io/extended-resource-claim';

/** The claim of an entry in a pod's `resourceClaims`. */
export type ClaimLookup =
  | {
      readonly type: 'named';
      readonly name: string;
      /** True if it was made from a template, so that it must be owned by the pod. */
      readonly isOwn: boolean;
    }
  /** The controller has found that no claim is needed. */
  | { readonly type: 'unneeded' }
  /** It has not been made yet, or the entry is not understood. */
  | { readonly type: 'absent'; readonly problem: string; readonly isToBeMade: boolean };

export function lookUpClaim(pod: DeepReadonly<Pod>, entry: DeepReadonly<PodResourceClaim>): ClaimLookup {
  if (entry.resourceClaimName !== undefined) return { type: 'named', name: entry.resourceClaimName, isOwn: false };
  const of = `pod "${pod.metadata?.namespace}/${pod.metadata?.name}"`;
  if (entry.resourceClaimTemplateName === undefined) {
    const problem = `${of}, spec.resourceClaim ${JSON.stringify(entry.name)}: none of the supported fields are set`;
    return { type: 'absent', problem, isToBeMade: false };
  }
  const status = pod.status?.resourceClaimStatuses?.find(({ name }) => name === entry.name);
  if (status === undefined)
    return { type: 'absent', problem: `${of}: ResourceClaim not created yet`, isToBeMade: true };
  const { resourceClaimName: name } = status;
  return name === undefined ? { type: 'unneeded' } : { type: 'named', name, isOwn: true };
}

interface Identified {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
}

type SomeClaim = DeepReadonly<ResourceClaim>;

/** Why a claim is not the one made for the pod; undefined if it is. */
export function notOwnClaim(pod: Identified, claim: SomeClaim & Identified): string | undefined {
  if (isControlledBy(claim, pod)) return undefined;
  const { name, namespace } = claim.metadata;
  const whose = `Pod ${pod.metadata.namespace}/${pod.metadata.name}`;
  return `ResourceClaim ${namespace}/${name} was not created for ${whose} (Pod is not owner)`;
}

/** Whether the claim is reserved for the pod. */
export function isReservedForPod(claim: SomeClaim, podUid: string): boolean {
  return claim.status?.reservedFor?.some(({ uid }) => uid === podUid) ?? false;
}
