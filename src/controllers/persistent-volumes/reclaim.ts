import { MIGRATED_TO, PROVISIONED_BY, isOwnPlugin } from '../../api/meaning/index.ts';
import { hasReason, type Observed, type PersistentVolume } from '../../client/index.ts';
import type { BinderParts } from './binder-parts.ts';
import { hasAnnotation } from './binding-annotations.ts';
import { setVolumePhase } from './phases.ts';
import { recycle } from './recycle.ts';

type Volume = Observed<PersistentVolume>;

const FINALIZER = 'kubernetes.io/pv-controller';

/** Applies the reclaim policy of a released volume. Failures are retried. */
export async function reclaim(volume: Volume, parts: BinderParts): Promise<void> {
  if (hasAnnotation(volume, MIGRATED_TO)) return; // the CSI driver reclaims it
  const { persistentVolumeReclaimPolicy: policy } = volume.spec ?? {};
  if (policy === 'Delete') return await deleteVolume(volume, parts);
  if (policy === 'Recycle') await recycle(volume, parts);
}

async function deleteVolume(volume: Volume, parts: BinderParts): Promise<void> {
  const deleter = deleterOf(volume);
  if (deleter === 'outside') return;
  if (deleter !== undefined) return await fail(volume, deleter, parts);
  const { finalizers = [], name } = volume.metadata;
  if (finalizers.includes(FINALIZER)) {
    const kept = finalizers.filter((each) => each !== FINALIZER);
    await parts.volumes.update({ ...volume, metadata: { ...volume.metadata, finalizers: kept } } as PersistentVolume);
  }
  await parts.volumes.delete(name).catch((error: unknown) => {
    if (!hasReason(error, 'NotFound')) throw error;
  });
}

/**
 * Who deletes the volume: an external provisioner (its name), this controller (undefined, host paths only), or the
 * reason why it cannot be deleted.
 */
function deleterOf({ metadata, spec }: Volume): string | undefined {
  const maker = metadata.annotations?.[PROVISIONED_BY] ?? '';
  if (maker !== '' && !isOwnPlugin(maker)) return 'outside';
  if (maker !== '' && maker !== 'kubernetes.io/host-path') return noPlugin(maker);
  if (maker === '' && spec?.csi !== undefined) return 'outside';
  if (spec?.hostPath === undefined) {
    const problem = spec?.nfs === undefined ? 'no volume plugin matched' : 'no deletable volume plugin matched';
    return `error getting deleter volume plugin for volume ${JSON.stringify(metadata.name)}: ${problem}`;
  }
  const { path } = spec.hostPath;
  if (/\/tmp\/.+/.test(path)) return undefined;
  return `host_path deleter only supports /tmp/.+ but received provided ${path}`;
}

function noPlugin(maker: string): string {
  return maker === 'kubernetes.io/nfs'
    ? 'no deletable volume plugin matched'
    : `no volume plugin matched name: ${maker}`;
}

async function fail(volume: Volume, message: string, parts: BinderParts): Promise<void> {
  const failure = { type: 'Warning', reason: 'VolumeFailedDelete', message } as const;
  await setVolumePhase(volume, 'Failed', { ...parts, failure });
  parts.requestRetry();
}
