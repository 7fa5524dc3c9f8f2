import { MIGRATED_TO, PROVISIONED_BY, driverOf, isOwnPlugin } from '../../api/meaning/index.ts';
import type { Observed, PersistentVolume } from '../../client/index.ts';

/** Keeps a volume until the in-tree plugin has deleted its storage. */
const FINALIZER = 'kubernetes.io/pv-controller';
/** The same for an externally provisioned volume. */
const OUTSIDE_FINALIZER = 'external-provisioner.volume.kubernetes.io/finalizer';

/** The volume with the annotation and finalizers of its CSI driver; undefined if it already has them. */
export function withMigration(volume: Observed<PersistentVolume>): PersistentVolume | undefined {
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
