import { driverOf, hasSameMode, isOwnPlugin, MIGRATED_TO, PROVISIONED_BY } from '../../api/meaning/index.ts';
import type { Observed, PersistentVolume, PersistentVolumeClaim } from '../../client/index.ts';
import { unbind } from './bind.ts';
import type { BinderParts } from './binder-parts.ts';
import { hasAnnotation } from './binding-annotations.ts';
import { setVolumePhase } from './phases.ts';
import { reclaim } from './reclaim.ts';

/** Keeps a volume until the in-tree plugin has deleted its storage. */
const FINALIZER = 'kubernetes.io/pv-controller';
/** The same for an externally provisioned volume. */
const OUTSIDE_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

type Volume = Observed<PersistentVolume>;
type Claim = Observed<PersistentVolumeClaim>;

/** Syncs a volume. Binding is left to the claim's sync. */
export async function syncVolume(found: Volume, parts: BinderParts): Promise<void> {
  const migrated = withMigration(found);
  const volume = migrated === undefined ? found : await parts.volumes.update(migrated);
  const { claimRef } = volume.spec ?? {};
  if ((claimRef?.uid ?? '') === '') {
    await setVolumePhase(volume, 'Available', parts);
    return;
  }
  const claim = await claimOf(volume, parts);
  if (claim === undefined) return await release(volume, parts);
  const { volumeName = '' } = claim.spec ?? {};
  if (volumeName === '') return await wakeClaimOf(volume, claim, parts);
  if (volumeName === volume.metadata.name) {
    await setVolumePhase(volume, 'Bound', parts);
    return;
  }
  const isMadeForIt = hasAnnotation(volume, PROVISIONED_BY) && volume.spec?.persistentVolumeReclaimPolicy === 'Delete';
  if (isMadeForIt) await release(volume, parts);
  else await unbind(volume, parts);
}

/** The claim with the uid that the volume is bound to. Asks the API server before the volume is released. */
async function claimOf({ spec, status }: Volume, { claims }: BinderParts): Promise<Claim | undefined> {
  const { namespace = '', name = '', uid } = spec?.claimRef ?? {};
  const key = `${namespace}/${name}`;
  const known = claims.get(key);
  if (known?.metadata.uid === uid) return known;
  const isReleased = status?.phase === 'Released' || status?.phase === 'Failed';
  if (known === undefined && isReleased) return undefined;
  const stored = await claims.fetch(key);
  return stored?.metadata.uid === uid ? stored : undefined;
}

async function release(volume: Volume, parts: BinderParts): Promise<void> {
  const isFailed = volume.status?.phase === 'Failed';
  await reclaim(isFailed ? volume : await setVolumePhase(volume, 'Released', parts), parts);
}

/** Queues the claim, which is not bound yet, unless it cannot have the volume. */
async function wakeClaimOf(volume: Volume, claim: Claim, { events, wakeClaim }: BinderParts): Promise<void> {
  const { name, namespace } = claim.metadata;
  if (hasSameMode(volume, claim)) return wakeClaim(`${namespace}/${name}`);
  const tell = (about: Volume | Claim, pair: string): void =>
    events.event(about, {
      type: 'Warning',
      reason: 'VolumeMismatch',
      message: `Cannot bind PersistentVolume ${pair} due to incompatible volumeMode.`,
    });
  tell(volume, `to requested PersistentVolumeClaim ${JSON.stringify(name)}`);
  tell(claim, `${JSON.stringify(volume.metadata.name)} to requested PersistentVolumeClaim`);
}

/** The volume with the annotation and finalizers of its CSI driver; undefined if it already has them. */
function withMigration(volume: Observed<PersistentVolume>): PersistentVolume | undefined {
  const { annotations = {}, finalizers = [] } = volume.metadata;
  const maker = annotations[PROVISIONED_BY];
  if (maker === undefined) return undefined;
  const { [MIGRATED_TO]: named = '', ...others } = annotations;
  const driver = driverOf(maker) ?? '';
  const kept = finalizers.filter((each) => each !== FINALIZER);
  const wanted = driver !== '' ? kept : isOwnPlugin(maker) ? ownFinalizers(volume, kept) : finalizers;
  const isSame = wanted.length === finalizers.length && wanted.every((each) => finalizers.includes(each));
  if (named === driver && isSame) return undefined;
  const marked = driver === '' ? others : { ...others, [MIGRATED_TO]: driver };
  const metadata = { ...volume.metadata, annotations: marked, finalizers: [...wanted] };
  return { ...volume, metadata } as PersistentVolume;
}

function ownFinalizers({ spec }: Observed<PersistentVolume>, kept: readonly string[]): readonly string[] {
  const own = spec?.persistentVolumeReclaimPolicy === 'Delete' ? [FINALIZER] : [];
  return [...kept.filter((each) => each !== OUTSIDE_FINALIZER), ...own];
}
