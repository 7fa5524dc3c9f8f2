// Which pods want their volumes attached.
import type { Observed, PersistentVolume, Pod } from '../../client/index.ts';
import { type AttachParts, podsByClaim, podsByInlineVolume } from './attach-parts.ts';

const MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach';

/** The pods that need a PersistentVolume, by node; only nodes that leave attaching to this controller. */
export function boundPodsOf(
  { metadata, spec }: Observed<PersistentVolume>,
  parts: AttachParts,
): Map<string, Observed<Pod>[]> {
  const { namespace = '', name = '', uid } = spec?.claimRef ?? {};
  const key = `${namespace}/${name}`;
  const claim = parts.claims.get(key);
  const found = new Map<string, Observed<Pod>[]>();
  if (claim?.status?.phase !== 'Bound' || claim.spec?.volumeName !== metadata.name || claim.metadata.uid !== uid)
    return found;
  for (const pod of parts.pods.byIndex(podsByClaim, key)) {
    const { nodeName = '' } = pod.spec ?? {};
    if (isManagedPod(pod, parts)) found.set(nodeName, [...(found.get(nodeName) ?? []), pod]);
  }
  return found;
}

/** The pods that describe a volume themselves, by node. */
export function inlinePodsOf(key: string, parts: AttachParts): Map<string, Observed<Pod>[]> {
  const found = new Map<string, Observed<Pod>[]>();
  for (const pod of parts.pods.byIndex(podsByInlineVolume, key)) {
    const { nodeName = '' } = pod.spec ?? {};
    if (isManagedPod(pod, parts)) found.set(nodeName, [...(found.get(nodeName) ?? []), pod]);
  }
  return found;
}

/** Whether a pod runs, or will, on a node that leaves attaching to this controller. */
export function isManagedPod(pod: Observed<Pod>, { nodes }: AttachParts): boolean {
  const { nodeName = '' } = pod.spec ?? {};
  return nodeName !== '' && !isFinished(pod) && nodes.get(nodeName)?.metadata.annotations?.[MANAGED] !== undefined;
}

/** Whether no container of the pod runs any more or will. */
function isFinished({ metadata, status }: Observed<Pod>): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  if (metadata.deletionTimestamp === undefined) return false;
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return all.every(({ state }) => state?.terminated !== undefined || state?.waiting !== undefined);
}
