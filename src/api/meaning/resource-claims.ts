import type { DeepReadonly } from '../../base/index.ts';
import type { Pod, PodResourceClaim } from '../types/core/v1.d.ts';
import type { ResourceClaim } from '../types/resource/v1.d.ts';
import { isControlledBy } from './owner-references.ts';

/** The finalizer of claims that have devices. */
export const CLAIM_FINALIZER = 'resource.kubernetes.io/delete-protection';
/** Of a claim that was made from a template: the name under which its pod speaks of it. */
export const POD_CLAIM_ANNOTATION = 'resource.kubernetes.io/pod-claim-name';
/** Of a claim that the scheduler has made for extended resources of a pod: `true`. */
export const EXTENDED_CLAIM_ANNOTATION = 'resource.kubernetes.io/extended-resource-claim';

/** The claim that an entry of a pod's `resourceClaims` is about. */
export type ClaimLookup =
  | {
      readonly type: 'named';
      readonly name: string;
      /** Made from a template, so that only a claim of the pod's own counts. */
      readonly isOwn: boolean;
    }
  /** Whoever makes claims from templates has found that none is needed. */
  | { readonly type: 'unneeded' }
  /** It has not been made yet, or the entry says nothing that is known. */
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

/** Why a claim that should have been made for the pod is not the pod's; undefined if it is. */
export function notOwnClaim(pod: Identified, claim: SomeClaim & Identified): string | undefined {
  if (isControlledBy(claim, pod)) return undefined;
  const { name, namespace } = claim.metadata;
  const whose = `Pod ${pod.metadata.namespace}/${pod.metadata.name}`;
  return `ResourceClaim ${namespace}/${name} was not created for ${whose} (Pod is not owner)`;
}

/** Whether the pod is one of those for whom the claim is reserved. */
export function isReservedForPod(claim: SomeClaim, podUid: string): boolean {
  return claim.status?.reservedFor?.some(({ uid }) => uid === podUid) ?? false;
}
