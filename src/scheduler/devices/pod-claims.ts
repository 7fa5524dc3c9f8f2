import { lookUpClaim, notOwnClaim } from '../../api/meaning/index.ts';
import type { Observed, Pod, ResourceClaim } from '../../client/index.ts';
import type { Lister } from '../framework/plugin-context.ts';
import type { Claim } from './claim.ts';

/** Whether the pod references the claim. */
export function referencesClaim(pod: Observed<Pod>, { metadata }: Claim): boolean {
  if (metadata.namespace !== pod.metadata.namespace) return false;
  return (pod.spec?.resourceClaims ?? []).some((entry) => {
    const looked = lookUpClaim(pod, entry);
    return looked.type === 'named' && looked.name === metadata.name;
  });
}

/** The claims that the pod references, or why it must wait for one of them. */
export function podClaims(pod: Observed<Pod>, claims: Lister<ResourceClaim>): readonly Claim[] | string {
  const found: Claim[] = [];
  for (const entry of pod.spec?.resourceClaims ?? []) {
    const looked = lookUpClaim(pod, entry);
    if (looked.type === 'unneeded') continue;
    if (looked.type === 'absent') return looked.problem;
    const key = `${pod.metadata.namespace}/${looked.name}`;
    const claim = claims.get(key);
    if (claim === undefined) return `could not find ResourceClaim ${JSON.stringify(key)}`;
    if (claim.metadata.deletionTimestamp !== undefined)
      return `resourceclaim ${JSON.stringify(looked.name)} is being deleted`;
    const problem = looked.isOwn ? notOwnClaim(pod, claim) : undefined;
    if (problem !== undefined) return problem;
    found.push(claim);
  }
  return found;
}
