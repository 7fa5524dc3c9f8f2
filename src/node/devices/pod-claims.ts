import { isReservedForPod, lookUpClaim, notOwnClaim } from '../../api/meaning/index.ts';
import { messageOf } from '../../base/index.ts';
import type { Client, Observed, Pod } from '../../client/index.ts';
import type { PodClaim } from '../backend/index.ts';

/** The claims of a pod, after the checks of a kubelet. Throws when the pod may not use one of them. */
export async function podClaims(pod: Observed<Pod>, client: Client, signal: AbortSignal): Promise<readonly PodClaim[]> {
  const { name, namespace = '', uid } = pod.metadata;
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName;
  const entries = [
    ...(pod.spec?.resourceClaims ?? []),
    ...(extended === undefined ? [] : [{ name: '', resourceClaimName: extended }]),
  ];
  const claims = client.resource.v1.resourceclaims.namespace(namespace);
  const refuse = (problem: string): never => {
    throw new Error(`prepare dynamic resources: ${problem}`);
  };
  const found: PodClaim[] = [];
  for (const entry of entries) {
    const lookUp = lookUpClaim(pod, entry);
    if (lookUp.type === 'unneeded') continue;
    if (lookUp.type === 'absent') return refuse(lookUp.problem);
    const claim = await claims
      .get(lookUp.name, { signal })
      .catch((error: unknown) => refuse(`fetch ResourceClaim ${lookUp.name}: ${messageOf(error)}`));
    const problem = lookUp.isOwn ? notOwnClaim(pod, claim) : undefined;
    if (problem !== undefined) refuse(problem);
    if (!isReservedForPod(claim, uid))
      refuse(`pod ${name} (${uid}) is not allowed to use ResourceClaim ${lookUp.name} (${claim.metadata.uid})`);
    found.push({ name: entry.name, claim });
  }
  return found;
}
