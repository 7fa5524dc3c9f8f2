import { messageOf } from '../../base/index.ts';
import { formatTime, instantOfMillis } from '../../api/values/index.ts';
import { hasReason, ItemBackoff, mergePatch, type Observed } from '../../client/index.ts';
import { controller, type Part, type ReconcileContext } from '../../kit/index.ts';
import {
  NotReadyError,
  readSecret,
  RESERVED_PREFIX,
  type SecretParameters,
  secretReference,
  type TakenSnapshot,
  type VolumeDriver,
  VolumeDriverError,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
  withDriverBackoff,
  workOf,
} from '../volume-provisioner/index.ts';
import {
  BEING_CREATED,
  BEING_DELETED,
  CONTENT_FINALIZER,
  DELETION_SECRET,
  GROUP_HANDLE,
  MANAGED_BY,
} from './snapshot-names.ts';
import { driverParameters, type SnapshotSettings } from './snapshot-settings.ts';

type Content = Observed<VolumeSnapshotContent>;
type Texts = Readonly<Record<string, string>>;

const LIST_SECRET: SecretParameters = { title: 'SnapshotterList', key: 'snapshotter-list-secret' };
/** How the message about a snapshot ends that the driver has not finished. */
const NOT_YET = ' is not ready yet';
type SnapshottingDriver = VolumeDriver & Required<Pick<VolumeDriver, 'createSnapshot' | 'deleteSnapshot'>>;

/**
 * Calls a driver to take and delete snapshots for VolumeSnapshotContents, as the sidecar csi-snapshotter does. The snapshot
 * controller makes the contents.
 */
export function volumeSnapshotter(driver: VolumeDriver, settings: SnapshotSettings = {}): readonly Part[] {
  if (!snapshots(driver)) return [];
  const { concurrency, retries } = workOf(settings);
  const backoff = new ItemBackoff(retries);
  const snapshotter = new Snapshotter(driver, settings);
  const { node } = settings;
  const isOurs = ({ metadata, spec }: Content): boolean =>
    spec.driver === driver.name && (node === undefined || metadata.labels?.[MANAGED_BY] === node.nodeName);
  return [
    controller(VolumeSnapshotContent, {
      name: 'volume-snapshotter',
      component: `csi-snapshotter ${driver.name}`,
      concurrency,
      reads: [VolumeSnapshotClass],
      when: (content, old) => isOurs(content) && hasRelevantChange(content, old),
      reconcile: (content, context) =>
        isOurs(content) ? withDriverBackoff(backoff, context, () => snapshotter.sync(content, context)) : undefined,
      gone: (key) => backoff.forget(key),
    }),
  ];
}

function snapshots(driver: VolumeDriver): driver is SnapshottingDriver {
  return driver.createSnapshot !== undefined && driver.deleteSnapshot !== undefined;
}

/** Ignores the snapshotter's own status updates: otherwise it would call a refusing driver again and again. */
function hasRelevantChange(content: Content, old: Content | undefined): boolean {
  if (old === undefined) return true;
  const state = ({ metadata, spec, status }: Content): string =>
    JSON.stringify([
      metadata.deletionTimestamp,
      metadata.annotations?.[BEING_DELETED],
      metadata.finalizers,
      spec.volumeSnapshotRef.uid,
      spec.volumeSnapshotClassName,
      status?.volumeGroupSnapshotHandle !== undefined && status.snapshotHandle !== undefined,
    ]);
  return state(content) !== state(old);
}

/** Takes and deletes the snapshots of one driver. */
class Snapshotter {
  readonly #driver: SnapshottingDriver;
  readonly #settings: SnapshotSettings;

  constructor(driver: SnapshottingDriver, settings: SnapshotSettings) {
    this.#driver = driver;
    this.#settings = settings;
  }

  async sync(content: Content, context: ReconcileContext): Promise<void> {
    if (isToBeDeleted(content)) return await this.#delete(content, context);
    if (content.status?.readyToUse === true) return await setBeingCreated(content, false, context);
    if ((content.spec.volumeSnapshotRef.uid ?? '') === '' && content.spec.source.snapshotHandle === undefined) return;
    const isMember = content.metadata.annotations?.[GROUP_HANDLE] !== undefined;
    const isTakenMember =
      content.status?.volumeGroupSnapshotHandle !== undefined && content.status.snapshotHandle !== undefined;
    if (isMember && !isTakenMember) return; // the group's controller is about to say what the driver has made
    const isTaken = content.spec.source.snapshotHandle !== undefined || isTakenMember;
    const [reason, said] = isTaken
      ? ['SnapshotContentCheckandUpdateFailed', 'Failed to check and update snapshot content']
      : ['SnapshotCreationFailed', 'Failed to create snapshot'];
    try {
      const taken = isTaken ? await this.#find(content, context) : await this.#take(content, context);
      await showTaken(content, taken, context);
      if (!taken.isReady) throw new NotReadyError(`snapshot ${taken.snapshotId}${NOT_YET}`);
    } catch (error) {
      if (!(error instanceof NotReadyError)) throw error;
      const isOnlyWaiting = error.message.endsWith(NOT_YET);
      if (!isOnlyWaiting) await tellFailure(content, { reason, message: `${said}: ${messageOf(error)}` }, context);
      throw error;
    }
    await setBeingCreated(content, false, context);
  }

  async #take(content: Content, context: ReconcileContext): Promise<TakenSnapshot> {
    const { volumeSnapshotRef: ref, source, volumeSnapshotClassName: className } = content.spec;
    const { name: contentName } = content.metadata;
    const { snapshotNamePrefix = 'snapshot', snapshotNameUuidLength: length, extraCreateMetadata } = this.#settings;
    const snapshotClass = className === undefined ? undefined : context.objects(VolumeSnapshotClass).get(className);
    const input = `failed to get input parameters to create snapshot for content ${contentName}`;
    if (snapshotClass === undefined)
      throw new NotReadyError(
        className === undefined
          ? `${input}: "failed to take snapshot ${contentName} without a snapshot class"`
          : `${input}: "volumesnapshotclass.snapshot.storage.k8s.io \\"${className}\\" not found"`,
      );
    const secrets = await deletionSecrets(content, context);
    await setBeingCreated(content, true, context);
    const uid = ref.uid ?? '';
    const extra = {
      [`${RESERVED_PREFIX}volumesnapshot/name`]: ref.name ?? '',
      [`${RESERVED_PREFIX}volumesnapshot/namespace`]: ref.namespace ?? '',
      [`${RESERVED_PREFIX}volumesnapshotcontent/name`]: contentName,
    };
    const request = {
      name: `${snapshotNamePrefix}-${length === undefined ? uid : uid.replaceAll('-', '').slice(0, length)}`,
      sourceVolumeId: source.volumeHandle ?? '',
      parameters: {
        ...driverParameters(snapshotClass.parameters ?? {}),
        ...(extraCreateMetadata === true ? extra : {}),
      },
      ...(secrets === undefined ? {} : { secrets }),
    };
    try {
      return await this.#driver.createSnapshot(request, { signal: context.signal });
    } catch (error) {
      if (!(error instanceof VolumeDriverError)) throw error;
      const isFinal = !error.isUncertain && error.code !== 'ResourceExhausted';
      if (isFinal) await setBeingCreated(content, false, context);
      throw new NotReadyError(
        `failed to take snapshot of the volume ${source.volumeHandle}: ${JSON.stringify(messageOf(error))}`,
      );
    }
  }

  /** The state of a snapshot that exists already. */
  async #find(content: Content, context: ReconcileContext): Promise<TakenSnapshot> {
    const { source, volumeSnapshotClassName: className } = content.spec;
    const { name } = content.metadata;
    const snapshotId = content.status?.snapshotHandle ?? source.snapshotHandle ?? '';
    if (this.#driver.findSnapshot === undefined) return { snapshotId, sizeBytes: 0, isReady: true };
    const snapshotClass = className === undefined ? undefined : context.objects(VolumeSnapshotClass).get(className);
    const tokens = { 'volumesnapshotcontent.name': name };
    const reference = secretReference(LIST_SECRET, snapshotClass?.parameters ?? {}, {
      name: tokens,
      namespace: tokens,
    });
    const isMember = content.status?.volumeGroupSnapshotHandle !== undefined;
    const secrets = isMember ? await deletionSecrets(content, context) : await readSecret(context.client, reference);
    try {
      const request = { snapshotId, ...(secrets === undefined ? {} : { secrets }) };
      return await this.#driver.findSnapshot(request, { signal: context.signal });
    } catch (error) {
      if (!(error instanceof VolumeDriverError)) throw error;
      throw new NotReadyError(`failed to list snapshot for content ${name}: ${JSON.stringify(messageOf(error))}`);
    }
  }

  async #delete(content: Content, context: ReconcileContext): Promise<void> {
    const { objects, key, event, signal } = context;
    const contents = objects(VolumeSnapshotContent);
    const snapshotId = content.status?.snapshotHandle;
    const isMember = content.status?.volumeGroupSnapshotHandle !== undefined; // it is deleted with its group
    if (content.spec.deletionPolicy === 'Delete' && snapshotId !== undefined && !isMember) {
      try {
        const secrets = await deletionSecrets(content, context);
        await this.#driver.deleteSnapshot({ snapshotId, ...(secrets === undefined ? {} : { secrets }) }, { signal });
      } catch (error) {
        const isSecret = error instanceof NotReadyError;
        const message = isSecret ? 'Failed to get snapshot credentials' : 'Failed to delete snapshot';
        event({ type: 'Warning', reason: 'SnapshotDeleteError', message });
        throw error;
      }
      const status = { snapshotHandle: null, readyToUse: null, creationTime: null, restoreSize: null };
      await contents.patchStatus(key, mergePatch({ status })).catch(ignoreMissing);
    }
    const { finalizers = [], resourceVersion } = contents.get(key)?.metadata ?? content.metadata;
    if (!finalizers.includes(CONTENT_FINALIZER)) return;
    const left = finalizers.filter((each) => each !== CONTENT_FINALIZER);
    const patch = mergePatch({ metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } });
    await contents.patch(key, patch).catch(ignoreMissing);
  }
}

function isToBeDeleted({ metadata, spec }: Content): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  if (spec.source.snapshotHandle !== undefined && (spec.volumeSnapshotRef.uid ?? '') === '') return true;
  const { annotations = {} } = metadata;
  return annotations[BEING_CREATED] === undefined && annotations[BEING_DELETED] !== undefined;
}

async function deletionSecrets({ metadata }: Content, { client }: ReconcileContext): Promise<Texts | undefined> {
  const [name, namespace] = ['name', 'namespace'].map((part) => metadata.annotations?.[`${DELETION_SECRET}${part}`]);
  if (name === undefined || namespace === undefined) return undefined;
  return await readSecret(client, { name, namespace }, () => {
    return `cannot get credentials for snapshot content "${metadata.name}"`;
  });
}

/** Notes on the content that the driver may be at work on it, so that it is not deleted meanwhile. */
async function setBeingCreated(
  { metadata }: Content,
  isWanted: boolean,
  { objects, key }: ReconcileContext,
): Promise<void> {
  const contents = objects(VolumeSnapshotContent);
  const { annotations = {} } = contents.get(key)?.metadata ?? metadata;
  if ((annotations[BEING_CREATED] !== undefined) === isWanted) return;
  const patch = mergePatch({ metadata: { annotations: { [BEING_CREATED]: isWanted ? 'yes' : null } } });
  await contents.patch(key, patch).catch((error: unknown) => {
    if (isWanted || !hasReason(error, 'NotFound')) throw error;
  });
}

async function showTaken(
  { status = {} }: Content,
  { snapshotId, groupSnapshotId, sizeBytes, createdAtNs, isReady }: TakenSnapshot,
  { objects, key, clock }: ReconcileContext,
): Promise<void> {
  const shown = {
    snapshotHandle: status.snapshotHandle ?? snapshotId,
    creationTime: status.creationTime ?? createdAtNs ?? BigInt(Math.floor(clock.now())) * 1_000_000n,
    readyToUse: isReady,
    ...(sizeBytes > 0 ? { restoreSize: status.restoreSize ?? sizeBytes } : {}),
    ...(groupSnapshotId === undefined
      ? {}
      : { volumeGroupSnapshotHandle: status.volumeGroupSnapshotHandle ?? groupSnapshotId }),
    ...(isReady && status.error !== undefined ? { error: null } : {}),
  };
  await objects(VolumeSnapshotContent).patchStatus(key, mergePatch({ status: shown }));
}

/** Shows a failure in the content's status and as an event, once. */
async function tellFailure(
  { status }: Content,
  { reason, message }: { readonly reason: string; readonly message: string },
  { objects, key, event, clock }: ReconcileContext,
): Promise<void> {
  if (status?.error?.message === message) return;
  const error = { time: formatTime(instantOfMillis(clock.now())), message };
  await objects(VolumeSnapshotContent)
    .patchStatus(key, mergePatch({ status: { readyToUse: false, error } }))
    .catch(ignoreMissing);
  event({ type: 'Warning', reason, message });
}

function ignoreMissing(error: unknown): undefined {
  if (!hasReason(error, 'NotFound')) throw error;
  return undefined;
}
