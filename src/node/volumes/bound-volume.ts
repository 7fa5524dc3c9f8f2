import { ephemeralClaimProblem } from '../../api/meaning/index.ts';
import { messageOf } from '../../base/index.ts';
import type { Client, Observed, PersistentVolume, PersistentVolumeClaim, Pod } from '../../client/index.ts';
import type { Volume } from '../backend/index.ts';
import { VolumeNotReady } from './volume-errors.ts';

const PROTECTION = 'kubernetes.io/pvc-protection';

export interface BoundVolume {
  readonly claim: Observed<PersistentVolumeClaim>;
  readonly persistentVolume: Observed<PersistentVolume>;
}

/** A claim of a pod with the volume that it is bound to; throws `VolumeNotReady` when there is none. */
export async function boundVolume(
  { core }: Client,
  pod: Observed<Pod>,
  { volume, name, signal }: { readonly volume: Volume; readonly name: string; readonly signal: AbortSignal },
): Promise<BoundVolume> {
  const { namespace = '' } = pod.metadata;
  const problem = (words: string): VolumeNotReady =>
    new VolumeNotReady(volume.name, 'processing', `error processing PVC ${namespace}/${name}: ${words}`);
  const claim = await core.v1.persistentvolumeclaims
    .namespace(namespace)
    .get(name, { signal })
    .catch((error: unknown) => {
      throw problem(`failed to fetch PVC from API server: ${messageOf(error)}`);
    });
  const unbound = unboundProblem(claim);
  if (unbound !== undefined) throw problem(unbound);
  const stranger = volume.ephemeral === undefined ? undefined : ephemeralClaimProblem(claim, pod);
  if (stranger !== undefined) throw new VolumeNotReady(volume.name, 'processing', stranger);
  const { volumeName = '' } = claim.spec ?? {};
  const bound = await core.v1.persistentvolumes.get(volumeName, { signal }).catch((error: unknown) => {
    throw problem(`failed to fetch PV ${volumeName} from API server: ${messageOf(error)}`);
  });
  const { claimRef } = bound.spec ?? {};
  const there = `found PV object ${volumeName} but`;
  if (claimRef === undefined)
    throw problem(`${there} it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`);
  if (claimRef.uid === claim.metadata.uid) return { claim, persistentVolume: bound };
  const uids = `${claimRef.uid ?? ''} does not point to claim.UID ${claim.metadata.uid}`;
  throw problem(`${there} its pv.Spec.ClaimRef.UID ${uids}`);
}

/** Why a claim has no volume to be mounted; undefined if it has. */
function unboundProblem({ metadata, spec, status }: Observed<PersistentVolumeClaim>): string | undefined {
  if (metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(PROTECTION) !== true)
    return 'PVC is being deleted';
  if (status?.phase !== 'Bound') return 'PVC is not bound';
  return (spec?.volumeName ?? '') === '' ? 'PVC has empty pvc.Spec.VolumeName' : undefined;
}
