import { messageOf } from '../../base/index.ts';
import { csiSourceOf, driverOf, PROVISIONED_BY, translatedClass } from '../../api/meaning/index.ts';
import {
  hasReason,
  ItemBackoff,
  mergePatch,
  type Observed,
  PersistentVolume,
  StorageClass,
  VolumeAttachment,
} from '../../client/index.ts';
import { controller, type Part, type ReconcileContext } from '../../kit/index.ts';
import { claimTokens, PROVISIONER_SECRET } from './class-parameters.ts';
import { withDriverBackoff } from './driver-backoff.ts';
import { isReachable } from './node-deployment.ts';
import { DELETION_FINALIZER, DELETION_SECRET } from './provisioned-volume.ts';
import { readSecret, type SecretReference, secretReference } from './secret-reference.ts';
import { type SidecarSettings, workOf } from './sidecar-settings.ts';
import { NotReadyError, type VolumeDriver } from './volume-driver.ts';

type Volume = Observed<PersistentVolume>;

/** Deletes released volumes of a driver, and protects others until the driver has deleted their storage. */
export function volumeDeleter(driver: VolumeDriver, settings: SidecarSettings): readonly Part[] {
  const { concurrency, retries } = workOf(settings);
  const backoff = new ItemBackoff(retries);
  return [
    controller(PersistentVolume, {
      component: driver.name,
      concurrency,
      name: 'volume-deleter',
      reads: [VolumeAttachment, StorageClass],
      when: (volume) => isOurs(volume, driver.name),
      reconcile: (volume, context) =>
        settings.node === undefined || isReachable(volume, settings.node)
          ? withDriverBackoff(backoff, context, () => look(volume, driver, context))
          : undefined,
      gone: (key) => backoff.forget(key),
    }),
  ];
}

/** Volumes of the driver, made by it or by hand, and those that it has made for the former in-tree plugin that it has replaced. */
function isOurs(volume: Volume, driver: string): boolean {
  const { [PROVISIONED_BY]: maker = volume.spec?.csi?.driver ?? '' } = volume.metadata.annotations ?? {};
  return (driverOf(maker) ?? maker) === driver && csiSourceOf(volume)?.driver === driver;
}

async function look(volume: Volume, driver: VolumeDriver, context: ReconcileContext): Promise<void> {
  if (!isOurs(volume, driver.name)) return;
  if (isToBeDeleted(volume)) return await remove(volume, driver, context);
  const { persistentVolumeReclaimPolicy: policy } = volume.spec ?? {};
  const { finalizers = [], deletionTimestamp } = volume.metadata;
  const isProtected = finalizers.includes(DELETION_FINALIZER);
  if (policy !== 'Delete' && isProtected) return await setProtection(volume, false, context);
  const isBound = volume.status?.phase === 'Bound' && deletionTimestamp === undefined;
  if (policy === 'Delete' && !isProtected && isBound) await setProtection(volume, true, context);
}

function isToBeDeleted({ metadata, spec, status }: Volume): boolean {
  if (spec?.persistentVolumeReclaimPolicy !== 'Delete' || status?.phase !== 'Released') return false;
  return metadata.deletionTimestamp === undefined || metadata.finalizers?.includes(DELETION_FINALIZER) === true;
}

async function remove(volume: Volume, driver: VolumeDriver, context: ReconcileContext): Promise<void> {
  const { objects, event, signal, key } = context;
  const volumes = objects(PersistentVolume);
  try {
    const secrets = await deletionSecrets(volume, context);
    checkDetached(volume, driver, context);
    if (driver.deleteVolume === undefined)
      throw new NotReadyError(
        'CSI driver does not support dynamic provisioning: controller CREATE_DELETE_VOLUME capability is not reported',
      );
    const volumeId = csiSourceOf(volume)?.volumeHandle ?? '';
    await driver.deleteVolume({ volumeId, ...(secrets === undefined ? {} : { secrets }) }, { signal });
  } catch (error) {
    event({ type: 'Warning', reason: 'VolumeFailedDelete', message: messageOf(error) });
    throw error;
  }
  await volumes.delete(key, { preconditions: { uid: volume.metadata.uid } });
  const going = volumes.get(key);
  if (going !== undefined && going.metadata.uid === volume.metadata.uid) await setProtection(going, false, context);
}

async function setProtection(
  { metadata }: Volume,
  isWanted: boolean,
  { objects, key }: Pick<ReconcileContext, 'objects' | 'key'>,
): Promise<void> {
  const { finalizers = [], resourceVersion } = metadata;
  const others = finalizers.filter((name) => name !== DELETION_FINALIZER);
  const left = isWanted ? [...others, DELETION_FINALIZER] : others;
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } });
  await objects(PersistentVolume).patch(key, patch).catch(ignoreMissing);
}

/** Refuses to delete a volume that is attached, for drivers that attach. */
function checkDetached({ metadata }: Volume, driver: VolumeDriver, { objects }: ReconcileContext): void {
  if (driver.controllerPublishVolume === undefined) return;
  const attachment = objects(VolumeAttachment)
    .list()
    .find(({ spec }) => spec.source.persistentVolumeName === metadata.name);
  if (attachment === undefined) return;
  throw new NotReadyError(`persistentvolume ${metadata.name} is still attached to node ${attachment.spec.nodeName}`);
}

/** The secret for deleting a volume. One that is gone is no obstacle. */
async function deletionSecrets(
  volume: Volume,
  { client, objects, log }: ReconcileContext,
): Promise<Readonly<Record<string, string>> | undefined> {
  const reference = deletionSecret(volume, objects(StorageClass).get(volume.spec?.storageClassName ?? ''));
  try {
    return await readSecret(client, reference);
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    log.warn('the secret for deleting a volume cannot be read', { volume: volume.metadata.name, error });
    return undefined;
  }
}

function deletionSecret(
  { metadata, spec }: Volume,
  storageClass: Observed<StorageClass> | undefined,
): SecretReference | undefined {
  const [name, namespace] = ['name', 'namespace'].map((part) => metadata.annotations?.[`${DELETION_SECRET}${part}`]);
  if (name !== undefined && namespace !== undefined)
    return name === '' || namespace === '' ? undefined : { name, namespace };
  const { claimRef } = spec ?? {};
  if (storageClass === undefined || claimRef === undefined) return undefined;
  const claim = { metadata: { name: claimRef.name ?? '', namespace: claimRef.namespace ?? '' } };
  const { parameters = {} } = translatedClass(storageClass);
  return secretReference(PROVISIONER_SECRET, parameters, claimTokens(claim, metadata.name));
}

function ignoreMissing(error: unknown): void {
  if (!hasReason(error, 'NotFound')) throw error;
}
