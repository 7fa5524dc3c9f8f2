import { messageOf } from '../../base/index.ts';
import { PROVISIONED_BY, SELECTED_NODE } from '../../api/meaning/index.ts';
import {
  CSINode,
  hasReason,
  ItemBackoff,
  mergePatch,
  Node,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttributesClass,
} from '../../client/index.ts';
import { controller, type Part, type ReconcileContext } from '../../kit/index.ts';
import { DRIVER_RETRIES, withDriverBackoff } from './driver-backoff.ts';
import { DELETION_FINALIZER, provisionedVolume, volumeName, volumeRequest } from './provisioned-volume.ts';
import { placeFor } from './topology.ts';
import { type VolumeDriver, VolumeDriverError } from './volume-driver.ts';

const PROVISIONER = ['volume.kubernetes.io/storage-provisioner', 'volume.beta.kubernetes.io/storage-provisioner'];
const CONCURRENCY = 10;

type Claim = Observed<PersistentVolumeClaim>;

/**
 * Calls a driver to create volumes for claims and to delete released ones, as the external-provisioner sidecar does.
 * Binding is left to the persistent volume binder.
 */
export function volumeProvisioner(driver: VolumeDriver): readonly Part[] {
  const options = { component: driver.name, concurrency: CONCURRENCY };
  const [makes, deletions] = [new ItemBackoff(DRIVER_RETRIES), new ItemBackoff(DRIVER_RETRIES)];
  return [
    controller(PersistentVolumeClaim, {
      ...options,
      name: 'volume-provisioner',
      reads: [PersistentVolume, StorageClass, VolumeAttributesClass, Node, CSINode],
      when: (claim) => isWaitingFor(claim, driver.name),
      reconcile: (claim, context) => withDriverBackoff(makes, context, () => provision(claim, driver, context)),
      gone: (key) => makes.forget(key),
    }),
    controller(PersistentVolume, {
      ...options,
      name: 'volume-deleter',
      when: (volume) => isToBeDeleted(volume, driver.name),
      reconcile: (volume, context) => withDriverBackoff(deletions, context, () => remove(volume, driver, context)),
      gone: (key) => deletions.forget(key),
    }),
  ];
}

function isWaitingFor({ metadata, spec }: Claim, driver: string): boolean {
  if ((spec?.volumeName ?? '') !== '' || metadata.deletionTimestamp !== undefined) return false;
  return PROVISIONER.map((name) => metadata.annotations?.[name]).find((name) => name !== undefined) === driver;
}

async function provision(claim: Claim, driver: VolumeDriver, context: ReconcileContext): Promise<void> {
  const { objects, event, signal, key } = context;
  const volumes = objects(PersistentVolume);
  const storageClass = objects(StorageClass).get(claim.spec?.storageClassName ?? '');
  if (!isWaitingFor(claim, driver.name) || storageClass?.provisioner !== driver.name) return;
  if (volumes.get(volumeName(claim)) !== undefined || isWithoutNode(claim, storageClass)) return;
  event({ reason: 'Provisioning', message: `External provisioner is provisioning volume for claim "${key}"` });
  try {
    const place = placeFor(claim, driver.name, { nodes: objects(Node), csiNodes: objects(CSINode) });
    const attributes = attributesOf(claim, context);
    const made = await driver.createVolume(volumeRequest(claim, storageClass, { place, attributes }), { signal });
    await volumes.create(provisionedVolume(claim, storageClass, { driver: driver.name, made })).catch(ignoreExisting);
  } catch (error) {
    const message = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${messageOf(error)}`;
    event({ type: 'Warning', reason: 'ProvisioningFailed', message });
    if (isFull(error) && (await forgetNode(claim, context))) return;
    throw error;
  }
  event({ reason: 'ProvisioningSucceeded', message: `Successfully provisioned volume ${volumeName(claim)}` });
}

function isFull(error: unknown): boolean {
  return error instanceof VolumeDriverError && error.code === 'ResourceExhausted';
}

/** Removes the selected node, so that the scheduler chooses again. */
async function forgetNode({ metadata }: Claim, { objects, key }: ReconcileContext): Promise<boolean> {
  if (metadata.annotations?.[SELECTED_NODE] === undefined) return false;
  const patch = mergePatch({ metadata: { annotations: { [SELECTED_NODE]: null } } });
  await objects(PersistentVolumeClaim).patch(key, patch);
  return true;
}

/** The parameters of the claim's VolumeAttributesClass. */
function attributesOf({ spec }: Claim, { objects }: ReconcileContext): Readonly<Record<string, string>> | undefined {
  const { volumeAttributesClassName: name = '' } = spec ?? {};
  if (name === '') return undefined;
  const found = objects(VolumeAttributesClass).get(name);
  if (found === undefined) throw new Error(`VolumeAttributesClass "${name}" not found`);
  return found.parameters ?? {};
}

/** Whether the claim waits for the scheduler to select a node. */
function isWithoutNode({ metadata }: Claim, { volumeBindingMode }: Observed<StorageClass>): boolean {
  return volumeBindingMode === 'WaitForFirstConsumer' && metadata.annotations?.[SELECTED_NODE] === undefined;
}

function isToBeDeleted({ metadata, spec, status }: Observed<PersistentVolume>, driver: string): boolean {
  if (metadata.annotations?.[PROVISIONED_BY] !== driver || spec?.persistentVolumeReclaimPolicy !== 'Delete')
    return false;
  if (metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(DELETION_FINALIZER) !== true)
    return false;
  return status?.phase === 'Released' || status?.phase === 'Failed';
}

async function remove(
  volume: Observed<PersistentVolume>,
  driver: VolumeDriver,
  { objects, event, signal, key }: ReconcileContext,
): Promise<void> {
  if (!isToBeDeleted(volume, driver.name)) return;
  const volumes = objects(PersistentVolume);
  try {
    await driver.deleteVolume({ volumeId: volume.spec?.csi?.volumeHandle ?? '' }, { signal });
  } catch (error) {
    event({ type: 'Warning', reason: 'VolumeFailedDelete', message: messageOf(error) });
    throw error;
  }
  await volumes.delete(key, { preconditions: { uid: volume.metadata.uid } });
  const going = volumes.get(key);
  if (going === undefined) return;
  const finalizers = (going.metadata.finalizers ?? []).filter((name) => name !== DELETION_FINALIZER);
  await volumes
    .update({ ...going, metadata: { ...going.metadata, finalizers } } as PersistentVolume)
    .catch(ignoreMissing);
}

function ignoreExisting(error: unknown): void {
  if (!hasReason(error, 'AlreadyExists')) throw error;
}

function ignoreMissing(error: unknown): void {
  if (!hasReason(error, 'NotFound')) throw error;
}
