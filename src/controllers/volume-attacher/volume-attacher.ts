import { messageOf } from '../../base/index.ts';
import { completeHandle, csiSourceOf } from '../../api/meaning/index.ts';
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
  isReachable,
  NotReadyError,
  readSecret,
  type SidecarSettings,
  volumeCapabilityOf,
  type VolumeDriver,
  VolumeDriverError,
  withDriverBackoff,
  workOf,
} from '../volume-provisioner/index.ts';
import { AttachmentAudit } from './attachment-audit.ts';

const NODE_ID = 'csi.alpha.kubernetes.io/node-id';
/** The numbers of gRPC's codes, by which attach errors name them. */
const CODES = [
  ...['OK', 'Canceled', 'Unknown', 'InvalidArgument', 'DeadlineExceeded', 'NotFound', 'AlreadyExists'],
  ...['PermissionDenied', 'ResourceExhausted', 'FailedPrecondition', 'Aborted', 'OutOfRange', 'Unimplemented'],
  ...['Internal', 'Unavailable', 'DataLoss', 'Unauthenticated'],
];

type Attachment = Observed<VolumeAttachment>;
type VolumeSpec = NonNullable<Observed<PersistentVolume>['spec']>;
type Texts = Readonly<Record<string, string>>;

/** A driver whose volumes must be attached. */
type AttachingDriver = VolumeDriver & Required<Pick<VolumeDriver, 'controllerPublishVolume'>>;

/**
 * Calls a driver to attach and detach volumes for VolumeAttachments, as the external-attacher sidecar does. The
 * attach/detach controller creates the VolumeAttachments. Finalizers keep attachments and their volumes until they are
 * detached. Volumes of a driver that does not attach are attached as soon as they are asked for.
 */
export function volumeAttacher(driver: VolumeDriver, settings: SidecarSettings = {}): readonly Part[] {
  const { concurrency, retries } = workOf(settings);
  const options = { component: driver.name, concurrency };
  const { node } = settings;
  const isOurs = ({ spec }: Attachment): boolean =>
    spec.attacher === driver.name && (node === undefined || spec.nodeName === node.nodeName);
  if (!attaches(driver)) return [trivialAttacher(isOurs, options)];
  const backoff = new ItemBackoff(retries);
  const attacher = new Attacher(driver, settings);
  return [
    controller(VolumeAttachment, {
      ...options,
      name: 'volume-attacher',
      reads: [PersistentVolume, CSINode],
      when: (attachment, old) => isOurs(attachment) && hasRelevantChange(attachment, old),
      reconcile: (attachment, context) =>
        isOurs(attachment)
          ? withDriverBackoff(backoff, context, () => attacher.answer(attachment, context))
          : undefined,
      gone: (key) => backoff.forget(key),
    }),
    controller(PersistentVolume, {
      ...options,
      name: 'volume-attacher-volumes',
      reads: [VolumeAttachment],
      watches: [watch(VolumeAttachment, { to: ({ spec }) => [spec.source.persistentVolumeName ?? ''] })],
      when: (volume) => volume.metadata.deletionTimestamp !== undefined && csiSourceOf(volume)?.driver === driver.name,
      reconcile: (volume, context) =>
        node === undefined || isReachable(volume, node) ? release(volume, driver, context) : undefined,
    }),
  ];
}

/** Reports volumes as attached that need no attaching. */
function trivialAttacher(
  isOurs: (attachment: Attachment) => boolean,
  options: { readonly component: string; readonly concurrency: number },
): Part {
  return controller(VolumeAttachment, {
    ...options,
    name: 'volume-attacher',
    when: (attachment) => isOurs(attachment) && attachment.status?.attached !== true,
    async reconcile(attachment, { objects, key }) {
      if (!isOurs(attachment) || attachment.status?.attached === true) return;
      await objects(VolumeAttachment)
        .patchStatus(key, mergePatch({ status: { attached: true } }))
        .catch(ignoreMissing);
    },
  });
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
  return `external-attacher/${name.replaceAll(/[^a-zA-Z0-9-]/g, '-').replace(/-$/, '-X')}`;
}

/** Attaches and detaches the volumes of one driver. */
class Attacher {
  readonly #driver: AttachingDriver;
  readonly #settings: SidecarSettings;
  readonly #audit: AttachmentAudit;

  constructor(driver: AttachingDriver, settings: SidecarSettings) {
    this.#driver = driver;
    this.#settings = settings;
    this.#audit = new AttachmentAudit(driver, settings.reconcileSyncMs);
  }

  async answer(attachment: Attachment, context: ReconcileContext): Promise<void> {
    if (attachment.metadata.deletionTimestamp !== undefined) return await this.#detach(attachment, context);
    if (this.#audit.isPossible) context.after(this.#audit.periodMs);
    if (attachment.status?.attached === true && !(await this.#isLost(attachment, context))) return;
    try {
      await this.#attach(attachment, context);
    } catch (error) {
      await tellFailure('attachError', error, context);
      throw error;
    }
  }

  /** Whether the driver lists the volume as not attached, although it was. */
  async #isLost(attachment: Attachment, context: ReconcileContext): Promise<boolean> {
    if (!this.#audit.isPossible) return false;
    const { csi } = specOf(attachment, volumeOf(attachment, context));
    const nodeId = this.#nodeId(attachment, context, attachment.metadata.annotations?.[NODE_ID]);
    const isAttached = await this.#audit.isAttached({ volumeId: handleOf({ csi }, nodeId), nodeId }, context);
    if (!isAttached)
      context.log.warn('the driver lists an attached volume as not attached', { volume: csi.volumeHandle });
    return !isAttached;
  }

  async #attach(attachment: Attachment, context: ReconcileContext): Promise<void> {
    const { objects, key, signal } = context;
    const driver = this.#driver;
    const volume = volumeOf(attachment, context);
    if (volume?.metadata.deletionTimestamp !== undefined)
      throw new NotReadyError(`PersistentVolume "${volume.metadata.name}" is marked for deletion`);
    const spec = specOf(attachment, volume);
    const secrets = await credentials(spec, context);
    const nodeId = this.#nodeId(attachment, context);
    if (volume !== undefined) await keep(PersistentVolume, volume, { driver, context, annotations: {} });
    await keep(VolumeAttachment, attachment, { driver, context, annotations: { [NODE_ID]: nodeId } });
    const { volumeAttributes: volumeContext = {}, readOnly = false } = spec.csi;
    const volumeId = handleOf(spec, nodeId);
    const volumeCapability = volumeCapabilityOf(spec, this.#settings.defaultFsType);
    const isReadOnly = readOnly && driver.features?.attachesReadOnly === true;
    const request = { volumeId, nodeId, volumeContext, volumeCapability, isReadOnly };
    const { publishContext } = await driver.controllerPublishVolume(
      { ...request, ...(secrets === undefined ? {} : { secrets }) },
      { signal },
    );
    const metadata = publishContext === undefined ? {} : { attachmentMetadata: { ...publishContext } };
    const status = { attached: true, attachError: null, ...metadata };
    await objects(VolumeAttachment).patchStatus(key, mergePatch({ status }));
  }

  async #detach(attachment: Attachment, context: ReconcileContext): Promise<void> {
    const { objects, key, signal } = context;
    const { finalizers = [] } = attachment.metadata;
    const finalizer = finalizerOf(this.#driver);
    if (!finalizers.includes(finalizer)) return;
    try {
      const spec = specOf(attachment, volumeOf(attachment, context));
      const secrets = await credentials(spec, context);
      const nodeId = this.#nodeId(attachment, context, attachment.metadata.annotations?.[NODE_ID]);
      await this.#driver.controllerUnpublishVolume?.(
        { volumeId: handleOf(spec, nodeId), nodeId, ...(secrets === undefined ? {} : { secrets }) },
        { signal },
      );
    } catch (error) {
      await tellFailure('detachError', error, context);
      throw error;
    }
    const { finalizers: kept = [], resourceVersion } =
      objects(VolumeAttachment).get(key)?.metadata ?? attachment.metadata;
    const left = kept.filter((each) => each !== finalizer);
    const patch = mergePatch({ metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } });
    await objects(VolumeAttachment).patch(key, patch).catch(ignoreMissing);
    if (left.length === 0) return;
    const status = { attached: false, detachError: null, attachmentMetadata: null };
    await objects(VolumeAttachment).patchStatus(key, mergePatch({ status })).catch(ignoreMissing);
  }

  /** The driver's identifier of the node: what its CSINode says now, or else what it was when the volume was attached. */
  #nodeId({ spec }: Attachment, { objects }: ReconcileContext, remembered?: string): string {
    const { nodeName } = spec;
    const node = objects(CSINode).get(nodeName);
    const nodeId = node?.spec.drivers.find(({ name }) => name === this.#driver.name)?.nodeID ?? remembered;
    if (nodeId !== undefined) return nodeId;
    throw new NotReadyError(
      node === undefined
        ? `csinode.storage.k8s.io "${nodeName}" not found`
        : `CSINode ${nodeName} does not contain driver ${this.#driver.name}`,
    );
  }
}

/** The volume of an attachment; undefined for one that a pod describes itself. */
function volumeOf({ spec }: Attachment, { objects }: ReconcileContext): Observed<PersistentVolume> | undefined {
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = spec.source;
  if (name !== undefined && inline !== undefined)
    throw new NotReadyError('both InlineCSIVolumeSource and PersistentVolumeName specified in VA source');
  if (name === undefined && inline === undefined)
    throw new NotReadyError('neither InlineCSIVolumeSource nor PersistentVolumeName specified in VA source');
  if (name === undefined) return undefined;
  const volume = objects(PersistentVolume).get(name);
  if (volume === undefined) throw new NotReadyError(`persistentvolume "${name}" not found`);
  return volume;
}

function specOf(
  { spec }: Attachment,
  volume: Observed<PersistentVolume> | undefined,
): VolumeSpec & { readonly csi: NonNullable<VolumeSpec['csi']> } {
  const found = volume?.spec ?? spec.source.inlineVolumeSpec;
  const csi = volume === undefined ? found?.csi : csiSourceOf(volume);
  if (found !== undefined && csi !== undefined) return { ...found, csi };
  throw new NotReadyError(
    volume === undefined
      ? 'inline volume spec contains nil CSI source'
      : 'pv spec contained non-csi source that was not migrated',
  );
}

/** The handle as the driver knows it. */
function handleOf({ csi }: { readonly csi: NonNullable<VolumeSpec['csi']> }, nodeId: string): string {
  try {
    return completeHandle(csi, nodeId);
  } catch (error) {
    throw new NotReadyError(messageOf(error));
  }
}

async function credentials({ csi }: VolumeSpec, { client }: ReconcileContext): Promise<Texts | undefined> {
  return await readSecret(client, csi?.controllerPublishSecretRef, ({ name, namespace }) => {
    return `failed to load secret "${namespace}/${name}"`;
  });
}

/** Adds the finalizer that keeps an object until the volume is detached. */
async function keep(
  kind: typeof PersistentVolume | typeof VolumeAttachment,
  { metadata }: Observed<PersistentVolume> | Attachment,
  parts: {
    readonly driver: VolumeDriver;
    readonly context: ReconcileContext;
    readonly annotations: Texts;
  },
): Promise<void> {
  const { driver, context, annotations } = parts;
  const { finalizers = [], resourceVersion } = metadata;
  const finalizer = finalizerOf(driver);
  const isKept = finalizers.includes(finalizer);
  const isNoted = Object.entries(annotations).every(([name, value]) => metadata.annotations?.[name] === value);
  if (isKept && isNoted) return;
  const all = isKept ? finalizers : [...finalizers, finalizer];
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: all, annotations } });
  if (kind === VolumeAttachment) await context.objects(VolumeAttachment).patch(metadata.name, patch);
  else await context.objects(PersistentVolume).patch(metadata.name, patch);
}

async function tellFailure(
  field: 'attachError' | 'detachError',
  error: unknown,
  { objects, key, clock }: ReconcileContext,
): Promise<void> {
  if (!(error instanceof VolumeDriverError || error instanceof NotReadyError)) return;
  const code = error instanceof VolumeDriverError ? CODES.indexOf(error.code) : -1;
  const failure = {
    message: messageOf(error),
    time: formatTime(instantOfMillis(clock.now())),
    ...(field === 'attachError' && code >= 0 ? { errorCode: code } : {}),
  };
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
