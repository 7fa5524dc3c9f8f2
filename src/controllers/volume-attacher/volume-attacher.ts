import { messageOf } from '../../base/index.ts';
import { formatTime, instantOfMillis } from '../../api/values/index.ts';
import {
  CSINode,
  hasReason,
  ItemBackoff,
  mergePatch,
  type Observed,
  PersistentVolume,
  VolumeAttachment,
} from '../../client/index.ts';
import { controller, type Part, type ReconcileContext, watch } from '../../kit/index.ts';
import {
  DRIVER_RETRIES,
  withDriverBackoff,
  type VolumeDriver,
  VolumeDriverError,
} from '../volume-provisioner/index.ts';

const CONCURRENCY = 10;
const NODE_ID = 'csi.alpha.kubernetes.io/node-id';

type Attachment = Observed<VolumeAttachment>;

/** A driver whose volumes must be attached. */
type AttachingDriver = VolumeDriver & Required<Pick<VolumeDriver, 'controllerPublishVolume'>>;

/**
 * Calls a driver to attach and detach volumes for VolumeAttachments, as the external-attacher sidecar does. The
 * attach/detach controller creates the VolumeAttachments. Finalizers keep attachments and their volumes until they are
 * detached.
 */
export function volumeAttacher(driver: VolumeDriver): readonly Part[] {
  if (!attaches(driver)) return [];
  const options = { component: driver.name, concurrency: CONCURRENCY };
  const backoff = new ItemBackoff(DRIVER_RETRIES);
  return [
    controller(VolumeAttachment, {
      ...options,
      name: 'volume-attacher',
      reads: [PersistentVolume, CSINode],
      when: (attachment, old) => attachment.spec.attacher === driver.name && hasRelevantChange(attachment, old),
      reconcile: (attachment, context) =>
        attachment.spec.attacher === driver.name
          ? withDriverBackoff(backoff, context, () => answer(attachment, driver, context))
          : undefined,
      gone: (key) => backoff.forget(key),
    }),
    controller(PersistentVolume, {
      ...options,
      name: 'volume-attacher-volumes',
      reads: [VolumeAttachment],
      watches: [watch(VolumeAttachment, { to: ({ spec }) => [spec.source.persistentVolumeName ?? ''] })],
      when: ({ metadata, spec }) => metadata.deletionTimestamp !== undefined && spec?.csi?.driver === driver.name,
      reconcile: (volume, context) => release(volume, driver, context),
    }),
  ];
}

/** Ignores the attacher's own status updates: otherwise it would call a refusing driver again and again. */
function hasRelevantChange(attachment: Attachment, old: Attachment | undefined): boolean {
  const isLeaving = ({ metadata }: Attachment): boolean => metadata.deletionTimestamp !== undefined;
  return old === undefined || isLeaving(attachment) !== isLeaving(old);
}

function attaches(driver: VolumeDriver): driver is AttachingDriver {
  return driver.controllerPublishVolume !== undefined;
}

function finalizerOf({ name }: VolumeDriver): string {
  return `external-attacher/${name.replaceAll('.', '-')}`;
}

async function answer(attachment: Attachment, driver: AttachingDriver, context: ReconcileContext): Promise<void> {
  const isLeaving = attachment.metadata.deletionTimestamp !== undefined;
  if (isLeaving) return await detach(attachment, driver, context);
  if (attachment.status?.attached === true) return;
  try {
    await attach(attachment, driver, context);
  } catch (error) {
    await tellFailure('attachError', error, context);
    throw error;
  }
}

async function attach(attachment: Attachment, driver: AttachingDriver, context: ReconcileContext): Promise<void> {
  const { objects, key, signal } = context;
  const volume = objects(PersistentVolume).get(attachment.spec.source.persistentVolumeName ?? '');
  const { csi } = volume?.spec ?? {};
  if (volume === undefined || csi === undefined)
    throw new VolumeDriverError('NotFound', `PersistentVolume of VolumeAttachment ${key} not found`);
  const { nodeName } = attachment.spec;
  const nodeId = objects(CSINode)
    .get(nodeName)
    ?.spec.drivers.find(({ name }) => name === driver.name)?.nodeID;
  if (nodeId === undefined)
    throw new VolumeDriverError('NotFound', `CSINode ${nodeName} does not contain driver ${driver.name}`);
  await keep(PersistentVolume, volume, { driver, context, annotations: {} });
  await keep(VolumeAttachment, attachment, { driver, context, annotations: { [NODE_ID]: nodeId } });
  const { volumeHandle: volumeId, volumeAttributes: volumeContext = {} } = csi;
  const { publishContext } = await driver.controllerPublishVolume({ volumeId, nodeId, volumeContext }, { signal });
  const metadata = publishContext === undefined ? {} : { attachmentMetadata: { ...publishContext } };
  const status = { attached: true, attachError: null, ...metadata };
  await objects(VolumeAttachment).patchStatus(key, mergePatch({ status }));
}

/** Adds the finalizer that keeps an object until the volume is detached. */
async function keep(
  kind: typeof PersistentVolume | typeof VolumeAttachment,
  { metadata }: Observed<PersistentVolume> | Attachment,
  parts: {
    readonly driver: VolumeDriver;
    readonly context: ReconcileContext;
    readonly annotations: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { driver, context, annotations } = parts;
  const { finalizers = [], resourceVersion } = metadata;
  const finalizer = finalizerOf(driver);
  if (finalizers.includes(finalizer)) return;
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: [...finalizers, finalizer], annotations } });
  if (kind === VolumeAttachment) await context.objects(VolumeAttachment).patch(metadata.name, patch);
  else await context.objects(PersistentVolume).patch(metadata.name, patch);
}

async function detach(attachment: Attachment, driver: AttachingDriver, context: ReconcileContext): Promise<void> {
  const { objects, key, signal } = context;
  const { finalizers = [], annotations = {}, resourceVersion } = attachment.metadata;
  const finalizer = finalizerOf(driver);
  if (!finalizers.includes(finalizer)) return;
  const volume = objects(PersistentVolume).get(attachment.spec.source.persistentVolumeName ?? '');
  const volumeId = volume?.spec?.csi?.volumeHandle ?? '';
  try {
    await driver.controllerUnpublishVolume?.({ volumeId, nodeId: annotations[NODE_ID] ?? '' }, { signal });
  } catch (error) {
    await tellFailure('detachError', error, context);
    throw error;
  }
  const left = finalizers.filter((each) => each !== finalizer);
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } });
  await objects(VolumeAttachment).patch(key, patch).catch(ignoreMissing);
}

async function tellFailure(
  field: 'attachError' | 'detachError',
  error: unknown,
  { objects, key, clock }: ReconcileContext,
): Promise<void> {
  if (!(error instanceof VolumeDriverError)) return;
  const failure = { message: messageOf(error), time: formatTime(instantOfMillis(clock.now())) };
  const status = { attached: field === 'detachError', [field]: failure };
  await objects(VolumeAttachment).patchStatus(key, mergePatch({ status })).catch(ignoreMissing);
}

/** Removes the finalizer of a volume that is attached nowhere. */
async function release(
  { metadata }: Observed<PersistentVolume>,
  driver: VolumeDriver,
  { objects, key }: ReconcileContext,
): Promise<void> {
  const { finalizers = [], deletionTimestamp, resourceVersion } = metadata;
  const finalizer = finalizerOf(driver);
  if (deletionTimestamp === undefined || !finalizers.includes(finalizer)) return;
  const attachments = objects(VolumeAttachment).list();
  if (attachments.some(({ spec }) => spec.source.persistentVolumeName === key)) return;
  const left = finalizers.filter((each) => each !== finalizer);
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } });
  await objects(PersistentVolume).patch(key, patch).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (!hasReason(error, 'NotFound')) throw error;
}
