import { isControlledBy } from '../../api/meaning/index.ts';
import { index, type Observed, PersistentVolumeClaim, Pod } from '../../client/index.ts';
import { type Controller, watch } from '../../kit/index.ts';
import { protection } from './protection.ts';

/** Pods by the claims that they name, and those that are made for them. */
const podsByClaim = index(Pod, (pod) => claimKeysOf(pod));

/** Claims stay while a pod on a node uses them. */
export function claimProtection(): Controller {
  return protection(PersistentVolumeClaim, {
    name: 'persistentvolumeclaim-protection-controller',
    queueName: 'pvcprotection',
    finalizer: 'kubernetes.io/pvc-protection',
    watches: [watch(Pod, { to: claimKeysOf, when: (pod, old) => old === undefined || mayEndUse(pod, old) })],
    async isUsed(claim, { objects, client, key, signal }) {
      const { namespace = '' } = claim.metadata;
      if (
        objects(Pod)
          .byIndex(podsByClaim, key)
          .some((pod) => uses(pod, claim))
      )
        return true;
      // The cache may not know of a pod yet that the server has: a claim that is gone does not come back.
      const { items } = await client.core.v1.pods.namespace(namespace).list({ limit: 0, signal });
      return items.some((pod) => uses(pod, claim));
    },
  });
}

function claimKeysOf(pod: ClaimingPod): string[] {
  const { namespace = '', name = '' } = pod.metadata;
  const names = (pod.spec?.volumes ?? []).flatMap((volume) => claimNameOf(volume, name) ?? []);
  return names.map((claim) => `${namespace}/${claim}`);
}

type ClaimingPod = Pick<Observed<Pod>, 'metadata' | 'spec'>;
type ClaimingVolume = NonNullable<NonNullable<ClaimingPod['spec']>['volumes']>[number];

function claimNameOf({ name, persistentVolumeClaim, ephemeral }: ClaimingVolume, pod: string): string | undefined {
  if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName;
  return ephemeral === undefined ? undefined : `${pod}-${name}`;
}

/** Whether a pod that is on a node uses the claim; one that no node has taken yet will not be started with it any more. */
function uses(pod: ClaimingPod, claim: Observed<PersistentVolumeClaim>): boolean {
  if ((pod.spec?.nodeName ?? '') === '') return false;
  return (pod.spec?.volumes ?? []).some((volume) => {
    if (volume.persistentVolumeClaim !== undefined)
      return volume.persistentVolumeClaim.claimName === claim.metadata.name;
    const isOwn = claimNameOf(volume, pod.metadata.name ?? '') === claim.metadata.name && isControlledBy(claim, pod);
    return isOwn && !isShutDown(pod);
  });
}

/** A pod that may go at once: its node is done with it, or does not matter. */
function isShutDown({ metadata }: ClaimingPod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

function mayEndUse(pod: ClaimingPod, old: ClaimingPod): boolean {
  return pod.metadata.uid !== old.metadata.uid || isShutDown(pod) !== isShutDown(old);
}
