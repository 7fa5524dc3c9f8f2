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
  type TakenGroupSnapshot,
  type VolumeDriver,
  VolumeDriverError,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  withDriverBackoff,
  workOf,
} from '../volume-provisioner/index.ts';
import { driverParameters, type SnapshotSettings } from './snapshot-settings.ts';
import {
  GROUP_BEING_CREATED,
  GROUP_BEING_DELETED,
  GROUP_CONTENT_FINALIZER,
  GROUP_DELETION_SECRET,
} from './snapshot-names.ts';

type Content = Observed<VolumeGroupSnapshotContent>;
type Texts = Readonly<Record<string, string>>;

const GET_SECRET: SecretParameters = { title: 'GroupSnapshotterGet', key: 'group-snapshotter-get-secret' };

type GroupDriver = VolumeDriver &
  Required<Pick<VolumeDriver, 'createGroupSnapshot' | 'deleteGroupSnapshot' | 'findGroupSnapshot'>>;

/**
 * Calls a driver to take and delete groups of snapshots for VolumeGroupSnapshotContents, as the sidecar csi-snapshotter does with the
 * feature CSIVolumeGroupSnapshot. The group snapshot controller makes the contents.
 */
export function volumeGroupSnapshotter(driver: VolumeDriver, settings: SnapshotSettings = {}): readonly Part[] {
  if (!takesGroups(driver)) return [];
  const { concurrency, retries } = workOf(settings);
  const backoff = new ItemBackoff(retries);
  const snapshotter = new GroupSnapshotter(driver, settings);
  return [
    controller(VolumeGroupSnapshotContent, {
      name: 'volume-group-snapshotter',
      component: `csi-snapshotter ${driver.name}`,
      concurrency,
      reads: [VolumeGroupSnapshotClass],
      when: (content, old) => content.spec.driver === driver.name && hasRelevantChange(content, old),
      reconcile: (content, context) =>
        content.spec.driver === driver.name
          ? withDriverBackoff(backoff, context, () => snapshotter.sync(content, context))
          : undefined,
      gone: (key) => backoff.forget(key),
    }),
  ];
}

function takesGroups(driver: VolumeDriver): driver is GroupDriver {
  return driver.createGroupSnapshot !== undefined;
}

/** Ignores the snapshotter's own status updates: otherwise it would call a refusing driver again and again. */
function hasRelevantChange(content: Content, old: Content | undefined): boolean {
  if (old === undefined) return true;
  const state = ({ metadata, spec }: Content): string =>
    JSON.stringify([
      metadata.deletionTimestamp,
      metadata.annotations?.[GROUP_BEING_DELETED],
      metadata.finalizers,
      spec.volumeGroupSnapshotRef.uid,
      spec.volumeGroupSnapshotClassName,
    ]);
  return state(content) !== state(old);
}

/** Takes and deletes the groups of one driver. */
class GroupSnapshotter {
  readonly #driver: GroupDriver;
  readonly #settings: SnapshotSettings;

  constructor(driver: GroupDriver, settings: SnapshotSettings) {
    this.#driver = driver;
    this.#settings = settings;
  }

  async sync(content: Content, context: ReconcileContext): Promise<void> {
    if (isToBeDeleted(content)) return await this.#delete(content, context);
    if (content.status?.readyToUse === true) return await setBeingCreated(content, false, context);
    const { source, volumeGroupSnapshotRef: ref } = content.spec;
    if ((ref.uid ?? '') === '' && source.groupSnapshotHandles === undefined) return;
    const isTaken = source.groupSnapshotHandles !== undefined;
    const [reason, said] = isTaken
      ? ['GroupSnapshotContentCheckandUpdateFailed', 'Failed to check and update group snapshot content']
      : ['GroupSnapshotCreationFailed', 'Failed to create group snapshot'];
    let isShown = false;
    try {
      const taken = isTaken ? await this.#find(content, context) : await this.#take(content, context);
      await showTaken(content, { taken, isTaken }, context);
      isShown = true;
      if (!taken.isReady) throw new NotReadyError(`group snapshot ${taken.groupSnapshotId} is not ready yet`);
    } catch (error) {
      if (error instanceof NotReadyError && !isShown)
        await tellFailure(content, { reason, message: `${said}: ${messageOf(error)}` }, context);
      throw error;
    }
    await setBeingCreated(content, false, context);
  }

  async #take(content: Content, context: ReconcileContext): Promise<TakenGroupSnapshot> {
    const { volumeGroupSnapshotRef: ref, source, volumeGroupSnapshotClassName: className } = content.spec;
    const { name: contentName } = content.metadata;
    const {
      groupSnapshotNamePrefix: prefix = 'groupsnapshot',
      groupSnapshotNameUuidLength: length,
      extraCreateMetadata,
    } = this.#settings;
    const groupClass = className === undefined ? undefined : context.objects(VolumeGroupSnapshotClass).get(className);
    const input = `failed to get input parameters to create group snapshot for group snapshot content ${contentName}`;
    if (groupClass === undefined)
      throw new NotReadyError(
        className === undefined
          ? `${input}: "failed to take group snapshot ${contentName} without a group snapshot class"`
          : `${input}: "volumegroupsnapshotclass.groupsnapshot.storage.k8s.io \\"${className}\\" not found"`,
      );
    const secrets = await deletionSecrets(content, context);
    await setBeingCreated(content, true, context);
    const uid = ref.uid ?? '';
    const extra = {
      [`${RESERVED_PREFIX}volumegroupsnapshot/name`]: ref.name ?? '',
      [`${RESERVED_PREFIX}volumegroupsnapshot/namespace`]: ref.namespace ?? '',
      [`${RESERVED_PREFIX}volumegroupsnapshotcontent/name`]: contentName,
    };
    const { volumeHandles = [] } = source;
    const request = {
      name: `${prefix}-${length === undefined ? uid : uid.replaceAll('-', '').slice(0, length)}`,
      sourceVolumeIds: volumeHandles,
      parameters: {
        ...driverParameters(groupClass.parameters ?? {}),
        ...(extraCreateMetadata === true ? extra : {}),
      },
      ...(secrets === undefined ? {} : { secrets }),
    };
    try {
      return await this.#driver.createGroupSnapshot(request, { signal: context.signal });
    } catch (error) {
      if (!(error instanceof VolumeDriverError)) throw error;
      const isFinal = !error.isUncertain && error.code !== 'ResourceExhausted';
      if (isFinal) await setBeingCreated(content, false, context);
      throw new NotReadyError(
        `failed to take group snapshot of the volumes [${volumeHandles.join(' ')}]: ${JSON.stringify(messageOf(error))}`,
      );
    }
  }

  /** The state of a group that exists already. */
  async #find(content: Content, context: ReconcileContext): Promise<TakenGroupSnapshot> {
    const { source, volumeGroupSnapshotClassName: className } = content.spec;
    const { name } = content.metadata;
    const { volumeGroupSnapshotHandle = '', volumeSnapshotHandles = [] } = source.groupSnapshotHandles ?? {};
    if (volumeSnapshotHandles.length === 0)
      throw new NotReadyError(`cannot list group snapshot ${name}. No snapshots found in the group snapshot content`);
    const groupClass = className === undefined ? undefined : context.objects(VolumeGroupSnapshotClass).get(className);
    const tokens = { 'volumegroupsnapshotcontent.name': name };
    const reference = secretReference(GET_SECRET, groupClass?.parameters ?? {}, { name: tokens, namespace: tokens });
    const secrets = await readSecret(context.client, reference);
    try {
      return await this.#driver.findGroupSnapshot(
        {
          groupSnapshotId: volumeGroupSnapshotHandle,
          snapshotIds: volumeSnapshotHandles,
          ...(secrets === undefined ? {} : { secrets }),
        },
        { signal: context.signal },
      );
    } catch (error) {
      if (!(error instanceof VolumeDriverError)) throw error;
      throw new NotReadyError(
        `failed to list group snapshot for group snapshot content ${name}: ${JSON.stringify(messageOf(error))}`,
      );
    }
  }

  async #delete(content: Content, context: ReconcileContext): Promise<void> {
    const { objects, key, event, signal } = context;
    const contents = objects(VolumeGroupSnapshotContent);
    const groupSnapshotId = content.status?.volumeGroupSnapshotHandle;
    if (content.spec.deletionPolicy === 'Delete' && groupSnapshotId !== undefined) {
      try {
        const secrets = await deletionSecrets(content, context);
        await this.#driver.deleteGroupSnapshot(
          { groupSnapshotId, snapshotIds: snapshotIdsOf(content), ...(secrets === undefined ? {} : { secrets }) },
          { signal },
        );
      } catch (error) {
        const isSecret = error instanceof NotReadyError;
        const message = isSecret ? 'Failed to get snapshot credentials' : 'Failed to delete group snapshot';
        event({ type: 'Warning', reason: 'GroupSnapshotDeleteError', message });
        throw error;
      }
      const status = { volumeGroupSnapshotHandle: null, readyToUse: null, creationTime: null, error: null };
      await contents.patchStatus(key, mergePatch({ status })).catch(ignoreMissing);
    }
    const { finalizers = [], resourceVersion } = contents.get(key)?.metadata ?? content.metadata;
    if (!finalizers.includes(GROUP_CONTENT_FINALIZER)) return;
    const left = finalizers.filter((each) => each !== GROUP_CONTENT_FINALIZER);
    const patch = mergePatch({ metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } });
    await contents.patch(key, patch).catch(ignoreMissing);
  }
}

/** The driver's identifiers of the snapshots of a group. */
function snapshotIdsOf({ status, spec }: Content): readonly string[] {
  const taken = (status?.volumeSnapshotInfoList ?? []).flatMap(({ snapshotHandle }) => snapshotHandle ?? []);
  return taken.length > 0 ? taken : (spec.source.groupSnapshotHandles?.volumeSnapshotHandles ?? []);
}

function isToBeDeleted({ metadata, spec }: Content): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const isUnbound = (spec.volumeGroupSnapshotRef.uid ?? '') === '';
  if (spec.source.groupSnapshotHandles !== undefined && isUnbound) return true;
  const { annotations = {} } = metadata;
  return annotations[GROUP_BEING_CREATED] === undefined && annotations[GROUP_BEING_DELETED] !== undefined;
}

async function deletionSecrets({ metadata }: Content, { client }: ReconcileContext): Promise<Texts | undefined> {
  const [name, namespace] = ['name', 'namespace'].map(
    (part) => metadata.annotations?.[`${GROUP_DELETION_SECRET}${part}`],
  );
  if (name === undefined || namespace === undefined) return undefined;
  return await readSecret(client, { name, namespace }, () => {
    return `cannot get credentials for group snapshot content "${metadata.name}"`;
  });
}

/** Notes on the content that the driver may be at work on it, so that it is not deleted meanwhile. */
async function setBeingCreated(
  { metadata }: Content,
  isWanted: boolean,
  { objects, key }: ReconcileContext,
): Promise<void> {
  const contents = objects(VolumeGroupSnapshotContent);
  const { annotations = {} } = contents.get(key)?.metadata ?? metadata;
  if ((annotations[GROUP_BEING_CREATED] !== undefined) === isWanted) return;
  const patch = mergePatch({ metadata: { annotations: { [GROUP_BEING_CREATED]: isWanted ? 'yes' : null } } });
  await contents.patch(key, patch).catch((error: unknown) => {
    if (isWanted || !hasReason(error, 'NotFound')) throw error;
  });
}

async function showTaken(
  { status = {} }: Content,
  { taken, isTaken }: { readonly taken: TakenGroupSnapshot; readonly isTaken: boolean },
  { objects, key, clock }: ReconcileContext,
): Promise<void> {
  const { groupSnapshotId, snapshots, createdAtNs, isReady } = taken;
  const createdAtMs = createdAtNs === undefined ? clock.now() : Number(createdAtNs / 1_000_000n);
  const members = snapshots.map(
    ({ sourceVolumeId, snapshotId, createdAtNs: creationTime, sizeBytes, isReady: readyToUse }) => ({
      volumeHandle: sourceVolumeId,
      snapshotHandle: snapshotId,
      ...(creationTime === undefined ? {} : { creationTime }),
      readyToUse,
      ...(sizeBytes > 0 ? { restoreSize: sizeBytes } : {}),
    }),
  );
  const isListed = isTaken || (status.volumeSnapshotInfoList ?? []).length > 0;
  const shown = {
    volumeGroupSnapshotHandle: status.volumeGroupSnapshotHandle ?? groupSnapshotId,
    creationTime: status.creationTime ?? formatTime(instantOfMillis(createdAtMs)),
    readyToUse: isReady,
    ...(isListed ? {} : { volumeSnapshotInfoList: members }),
    ...(isReady && status.error !== undefined ? { error: null } : {}),
  };
  await objects(VolumeGroupSnapshotContent).patchStatus(key, mergePatch({ status: shown }));
}

/** Shows a failure in the content's status and as an event, once. */
async function tellFailure(
  { status }: Content,
  { reason, message }: { readonly reason: string; readonly message: string },
  { objects, key, event, clock }: ReconcileContext,
): Promise<void> {
  if (status?.error?.message === message) return;
  const error = { time: formatTime(instantOfMillis(clock.now())), message };
  await objects(VolumeGroupSnapshotContent)
    .patchStatus(key, mergePatch({ status: { readyToUse: false, error } }))
    .catch(ignoreMissing);
  event({ type: 'Warning', reason, message });
}

function ignoreMissing(error: unknown): undefined {
  if (!hasReason(error, 'NotFound')) throw error;
  return undefined;
}
