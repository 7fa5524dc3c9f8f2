import { isReservedForPod, lookUpClaim, notOwnClaim } from '../../api/meaning/index.ts';
import { messageOf } from '../../base/index.ts';
import type { Client, Observed, Pod } from '../../client/index.ts';

/**
 * Makes sure that the pod may use the devices of its claims, as a kubelet does before it starts a pod. Throws when it may not.
 *
 * There is nothing to prepare on a simulated node: any driver's devices are at hand.
 */
export async function prepareDevices(pod: Observed<Pod>, client: Client, signal: AbortSignal): Promise<void> {
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
  for (const entry of entries) {
    const found = lookUpClaim(pod, entry);
    if (found.type === 'unneeded') continue;
    if (found.type === 'absent') return refuse(found.problem);
    const claim = await claims
      .get(found.name, { signal })
      .catch((error: unknown) => refuse(`fetch ResourceClaim ${found.name}: ${messageOf(error)}`));
    const problem = found.isOwn ? notOwnClaim(pod, claim) : undefined;
    if (problem !== undefined) refuse(problem);
    if (!isReservedForPod(claim, uid))
      refuse(`pod ${name} (${uid}) is not allowed to use ResourceClaim ${found.name} (${claim.metadata.uid})`);
  }
}
