// The claims that snapshots are taken of, and those that begin as copies of them.
import { hasReason, mergePatch, type Observed, PersistentVolume, PersistentVolumeClaim } from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';
import { NotReadyError, SNAPSHOT_GROUP, VolumeSnapshot } from '../volume-provisioner/index.ts';
import { CLAIM_FINALIZER } from './snapshot-names.ts';

type Snapshot = Observed<VolumeSnapshot>;
type Context = ReconcileContext;

export interface SourceVolume {
  readonly driver: string;
  readonly volumeHandle: string;
  readonly volumeMode: string | undefined;
  readonly nodeAffinity: NonNullable<Observed<PersistentVolume>['spec']>['nodeAffinity'];
}

/** The volume of the snapshot's claim. */
export function sourceVolume({ metadata, spec }: Snapshot, { objects }: Context): SourceVolume {
  const { persistentVolumeClaimName: name = '' } = spec.source;
  const claim = objects(PersistentVolumeClaim).get(`${metadata.namespace}/${name}`);
  if (claim === undefined)
    throw new NotReadyError(
      `failed to retrieve PVC ${name} from the lister: "persistentvolumeclaim \\"${name}\\" not found"`,
    );
  if (claim.status?.phase !== 'Bound')
    throw new NotReadyError(`the PVC ${name} is not yet bound to a PV, will not attempt to take a snapshot`);
  const volume = objects(PersistentVolume).get(claim.spec?.volumeName ?? '');
  if (volume?.spec?.claimRef?.uid !== claim.metadata.uid)
    throw new NotReadyError('claim in dataSource not bound or invalid');
  const { csi, volumeMode, nodeAffinity } = volume.spec;
  if (csi === undefined)
    throw new NotReadyError(
      `snapshotting non-CSI volumes is not supported, snapshot:${metadata.namespace}/${metadata.name}`,
    );
  return { driver: csi.driver, volumeHandle: csi.volumeHandle, volumeMode, nodeAffinity };
}

/** Keeps the claim while a snapshot of it is taken. */
export async function keepClaim({ metadata, spec }: Snapshot, { objects }: Context): Promise<void> {
  const key = `${metadata.namespace}/${spec.source.persistentVolumeClaimName}`;
  const claims = objects(PersistentVolumeClaim);
  const claim = claims.get(key);
  if (claim === undefined)
    throw new NotReadyError(
      `snapshot controller failed to update ${metadata.name} on API server: cannot get claim from snapshot`,
    );
  const { finalizers = [], deletionTimestamp, resourceVersion, name } = claim.metadata;
  if (finalizers.includes(CLAIM_FINALIZER)) return;
  if (deletionTimestamp !== undefined)
    throw new NotReadyError(
      `snapshot controller failed to update ${name} on API server: cannot add finalizer on claim because it is being deleted`,
    );
  await claims.patch(key, mergePatch({ metadata: { resourceVersion, finalizers: [...finalizers, CLAIM_FINALIZER] } }));
}

/** Lets the claim go when no snapshot of it is in the making any more. */
export async function releaseClaim(snapshot: Snapshot, { objects }: Context): Promise<void> {
  const { namespace = '', deletionTimestamp } = snapshot.metadata;
  const { persistentVolumeClaimName: name } = snapshot.spec.source;
  if (name === undefined) return;
  const claims = objects(PersistentVolumeClaim);
  const { finalizers = [], resourceVersion } = claims.get(`${namespace}/${name}`)?.metadata ?? {};
  if (!finalizers.includes(CLAIM_FINALIZER)) return;
  const isNeeded = objects(VolumeSnapshot)
    .list({ namespace })
    .filter(({ metadata }) => deletionTimestamp === undefined || metadata.uid !== snapshot.metadata.uid)
    .some(({ spec, status }) => spec.source.persistentVolumeClaimName === name && status?.readyToUse !== true);
  if (isNeeded) return;
  const left = finalizers.filter((each) => each !== CLAIM_FINALIZER);
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } });
  await claims.patch(`${namespace}/${name}`, patch).catch(ignoreMissing);
}

/** Whether a claim waits for a volume that begins as the snapshot. */
export function isBeingRestored({ metadata }: Snapshot, { objects }: Context): boolean {
  return objects(PersistentVolumeClaim)
    .list({ namespace: metadata.namespace ?? '' })
    .some(
      ({ spec, status }) =>
        spec?.dataSource?.kind === 'VolumeSnapshot' &&
        spec.dataSource.name === metadata.name &&
        spec.dataSource.apiGroup === SNAPSHOT_GROUP &&
        status?.phase === 'Pending',
    );
}

function ignoreMissing(error: unknown): undefined {
  if (!hasReason(error, 'NotFound')) throw error;
  return undefined;
}
