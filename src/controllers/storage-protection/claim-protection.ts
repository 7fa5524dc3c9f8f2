import { isControlledBy } from '../../api/meaning/index.ts';
import { index, type Observed, PersistentVolumeClaim, Pod } from '../../client/index.ts';
import { type Controller, watch } from '../../kit/index.ts';
import { protection } from './protection.ts';

/** Pods by their claims, including those of ephemeral volumes. */
const podsByClaim = index(Pod, (pod) => claimKeysOf(pod));

/** Blocks the deletion of claims that a pod on a node uses. */
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
      // Lists the pods from the API server, because the cache may be stale and a deleted claim cannot be restored.
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

/** Whether a pod on a node uses the claim; an unscheduled pod will not start with a deleted claim. */
function uses(pod: ClaimingPod, claim: Observed<PersistentVolumeClaim>): boolean {
  if ((pod.spec?.nodeName ?? '') === '') return false;
  return (pod.spec?.volumes ?? []).some((volume) => {
    if (volume.persistentVolumeClaim !== undefined)
      return volume.persistentVolumeClaim.claimName === claim.metadata.name;
    const isOwn = claimNameOf(volume, pod.metadata.name ?? '') === claim.metadata.name && isControlledBy(claim, pod);
    return isOwn && !isShutDown(pod);
  });
}

/** A terminating pod with a grace period of 0: its containers have stopped, or do not matter. */
function isShutDown({ metadata }: ClaimingPod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

function mayEndUse(pod: ClaimingPod, old: ClaimingPod): boolean {
  return pod.metadata.uid !== old.metadata.uid || isShutDown(pod) !== isShutDown(old);
}
