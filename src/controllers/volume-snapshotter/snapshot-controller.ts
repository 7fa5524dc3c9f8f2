import { messageOf } from '../../base/index.ts';
import { formatTime, instantOfMillis, quantityOf } from '../../api/values/index.ts';
import {
  hasReason,
  ItemBackoff,
  mergePatch,
  Node,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
} from '../../client/index.ts';
import { controller, type Part, type ReconcileContext, watch } from '../../kit/index.ts';
import {
  NotReadyError,
  SNAPSHOT_GROUP,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
  withDriverBackoff,
} from '../volume-provisioner/index.ts';
import { adoptMember, groupNameOf, groupOf, membersOf, owningGroup } from './group-members.ts';
import { isBeingRestored, keepClaim, releaseClaim, sourceVolume } from './snapshot-claims.ts';
import { newContent } from './snapshot-content.ts';
import {
  BEING_DELETED,
  BOUND_FINALIZER,
  CONTENT_FINALIZER,
  contentNameOf,
  IN_GROUP_FINALIZER,
  IS_DEFAULT_CLASS,
  isContentOf,
  SOURCE_FINALIZER,
} from './snapshot-names.ts';

type Snapshot = Observed<VolumeSnapshot>;
type Content = Observed<VolumeSnapshotContent>;
type Context = ReconcileContext;
type SnapshotContext = Context & Required<SnapshotControllerOptions>;

const COMPONENT = 'snapshot-controller';
const CONCURRENCY = 10;
const RETRIES = { initialDelay: 1000, maxDelay: 300_000 };

export interface SnapshotControllerOptions {
  /** The cluster has kinds of groups, whose snapshots are taken care of as well; default false. */
  readonly hasGroups?: boolean;
  /** Labels contents with the node of their volume, whose own process takes the snapshot; default false. */
  readonly isDistributed?: boolean;
}

/**
 * Binds snapshots and contents for all drivers of a cluster, as the program snapshot-controller does: it makes a content
 * for each snapshot of a claim, copies the state of contents to snapshots, and protects both and the claim while one
 * needs the other. What storage does is up to the driver's own controller.
 */
export function snapshotController(options: SnapshotControllerOptions = {}): readonly Part[] {
  const { hasGroups = false, isDistributed = false } = options;
  const backoff = new ItemBackoff(RETRIES);
  return [
    controller(VolumeSnapshot, {
      name: COMPONENT,
      component: COMPONENT,
      concurrency: CONCURRENCY,
      reads: [
        VolumeSnapshotClass,
        PersistentVolumeClaim,
        PersistentVolume,
        ...(hasGroups ? [VolumeGroupSnapshotContent] : []),
        ...(isDistributed ? [Node] : []),
      ],
      watches: [
        watch(VolumeSnapshotContent, {
          to: ({ spec }) => [`${spec.volumeSnapshotRef.namespace}/${spec.volumeSnapshotRef.name}`],
        }),
        ...(hasGroups
          ? [
              watch(VolumeGroupSnapshot, {
                to: (group, context) =>
                  membersOf(group, context).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
              }),
            ]
          : []),
      ],
      reconcile: (snapshot, context) =>
        withDriverBackoff(backoff, context, () => syncSnapshot(snapshot, { ...context, hasGroups, isDistributed })),
      gone: (key) => backoff.forget(key),
    }),
    controller(VolumeSnapshotContent, {
      name: `${COMPONENT}-contents`,
      component: COMPONENT,
      concurrency: CONCURRENCY,
      reads: [VolumeSnapshot],
      watches: [
        watch(VolumeSnapshot, {
          to: ({ status }) =>
            status?.boundVolumeSnapshotContentName === undefined ? [] : [status.boundVolumeSnapshotContentName],
        }),
      ],
      reconcile: syncContent,
    }),
  ];
}

/** Protects a bound content, and tells its driver's controller when the snapshot goes. */
async function syncContent(content: Content, context: Context): Promise<void> {
  const { volumeHandle, snapshotHandle } = content.spec.source;
  if ((volumeHandle === undefined) === (snapshotHandle === undefined)) {
    const message = 'Exactly one of VolumeHandle and SnapshotHandle should be specified';
    return context.event({ type: 'Warning', reason: 'ContentValidationError', message });
  }
  const { uid = '', namespace, name } = content.spec.volumeSnapshotRef;
  const { finalizers = [], resourceVersion, deletionTimestamp } = content.metadata;
  if (uid === '') return;
  if (!finalizers.includes(CONTENT_FINALIZER)) {
    if (deletionTimestamp !== undefined) return;
    const all = [...finalizers, CONTENT_FINALIZER];
    const patch = mergePatch({ metadata: { resourceVersion, finalizers: all } });
    await context.objects(VolumeSnapshotContent).patch(context.key, patch);
    return;
  }
  const snapshot = context.objects(VolumeSnapshot).get(`${namespace}/${name}`);
  if (snapshot !== undefined && snapshot.metadata.uid === uid && isLeaving(snapshot))
    await markBeingDeleted(content, context);
}

function isLeaving({ metadata }: Snapshot): boolean {
  const { deletionTimestamp, finalizers = [] } = metadata;
  return (
    deletionTimestamp !== undefined && (finalizers.includes(SOURCE_FINALIZER) || finalizers.includes(BOUND_FINALIZER))
  );
}

async function markBeingDeleted(content: Content, { objects }: Context): Promise<void> {
  if (content.metadata.annotations?.[BEING_DELETED] !== undefined) return;
  const patch = mergePatch({ metadata: { annotations: { [BEING_DELETED]: 'yes' } } });
  await objects(VolumeSnapshotContent).patch(content.metadata.name, patch).catch(ignoreMissing);
}

async function syncSnapshot(found: Snapshot, context: SnapshotContext): Promise<void> {
  await releaseClaim(found, context);
  if (found.metadata.deletionTimestamp !== undefined) return await letGo(found, context);
  const snapshot = await withClass(found, context);
  const { persistentVolumeClaimName, volumeSnapshotContentName } = snapshot.spec.source;
  const isMember = owningGroup(snapshot) !== undefined && volumeSnapshotContentName === undefined;
  if ((persistentVolumeClaimName === undefined) === (volumeSnapshotContentName === undefined))
    throw await failed(snapshot, context, {
      reason: 'SnapshotValidationError',
      message: 'Exactly one of PersistentVolumeClaimName and VolumeSnapshotContentName should be specified',
    });
  const content =
    volumeSnapshotContentName === undefined
      ? await madeContent(snapshot, context)
      : await existingContent(snapshot, volumeSnapshotContentName, context);
  const kept = await protect(snapshot, content, context);
  const bound = kept.status?.boundVolumeSnapshotContentName;
  if (kept.status?.readyToUse === true && bound !== undefined) return await checkBound(kept, bound, context);
  if (isMember) return await showState(kept, memberContent(kept, context), context);
  if (volumeSnapshotContentName !== undefined) return await bindExisting(kept, content, context);
  await showState(kept, content ?? (await makeContent(kept, context)), context);
}

/** The content of a snapshot that was taken with others, which the controller of groups has made. */
function memberContent({ status }: Snapshot, { objects, key }: Context): Content {
  const { boundVolumeSnapshotContentName: name } = status ?? {};
  if (name === undefined) throw new NotReadyError(`detected group snapshot member ${key} with no content, retrying`);
  const content = objects(VolumeSnapshotContent).get(name);
  if (content !== undefined) return content;
  throw new NotReadyError(`group snapshot member ${key} requests an non-existing content ${name}`);
}

/** The snapshot with its class; one that names none gets the default class of its volume's driver. */
async function withClass(snapshot: Snapshot, context: Context): Promise<Snapshot> {
  const { objects, key } = context;
  const { volumeSnapshotClassName: name, source } = snapshot.spec;
  const classes = objects(VolumeSnapshotClass);
  if (name !== undefined) {
    if (classes.get(name) !== undefined) return snapshot;
    const message = `Failed to get snapshot class with error volumesnapshotclass.${SNAPSHOT_GROUP} "${name}" not found`;
    throw await failed(snapshot, context, { reason: 'GetSnapshotClassFailed', message, isUnready: false });
  }
  if (source.volumeSnapshotContentName !== undefined || owningGroup(snapshot) !== undefined) return snapshot;
  try {
    const { driver } = sourceVolume(snapshot, context);
    const fitting = classes
      .list()
      .filter((each) => each.metadata.annotations?.[IS_DEFAULT_CLASS] === 'true' && each.driver === driver);
    const [only] = fitting;
    if (only === undefined) throw new NotReadyError('cannot find default snapshot class');
    if (fitting.length > 1) throw new NotReadyError(`${fitting.length} default snapshot classes were found`);
    const patch = mergePatch({ spec: { volumeSnapshotClassName: only.metadata.name } });
    return await objects(VolumeSnapshot).patch(key, patch);
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    const message = `Failed to set default snapshot class with error ${messageOf(error)}`;
    throw await failed(snapshot, context, { reason: 'SetDefaultSnapshotClassFailed', message, isUnready: false });
  }
}

/** The content that was made for the snapshot; undefined if there is none yet. */
async function madeContent(snapshot: Snapshot, context: Context): Promise<Content | undefined> {
  const name = contentNameOf(snapshot);
  const content = context.objects(VolumeSnapshotContent).get(name);
  if (content === undefined) return undefined;
  if (content.spec.source.volumeHandle === undefined) {
    const message = `VolumeSnapshotContent ${name} is pre-provisioned while expecting a dynamically provisioned one`;
    throw await failed(snapshot, context, { reason: 'SnapshotContentMismatch', message });
  }
  if (isContentOf(content, snapshot)) return content;
  const message = `VolumeSnapshotContent [${name}] is bound to a different snapshot`;
  throw await failed(snapshot, context, { reason: 'SnapshotContentMisbound', message });
}

/** The content that the snapshot names; undefined if it does not exist. */
async function existingContent(snapshot: Snapshot, name: string, context: Context): Promise<Content | undefined> {
  const content = context.objects(VolumeSnapshotContent).get(name);
  if (content === undefined) return undefined;
  if (content.spec.source.snapshotHandle === undefined) {
    const message = 'VolumeSnapshotContent is dynamically provisioned while expecting a pre-provisioned one';
    throw await failed(snapshot, context, { reason: 'SnapshotContentMismatch', message });
  }
  const { uid = '', ...ref } = content.spec.volumeSnapshotRef;
  const { metadata } = snapshot;
  const isNamed = ref.name === metadata.name && ref.namespace === metadata.namespace;
  if (isNamed && (uid === '' || uid === metadata.uid)) return content;
  const message = `VolumeSnapshotContent [${name}] is bound to a different snapshot`;
  throw await failed(snapshot, context, { reason: 'SnapshotContentMisbound', message });
}

/** Adds the finalizers of a snapshot. */
async function protect(snapshot: Snapshot, content: Content | undefined, { objects, key }: Context): Promise<Snapshot> {
  const { finalizers = [], resourceVersion } = snapshot.metadata;
  const wanted = [SOURCE_FINALIZER, ...(content?.spec.deletionPolicy === 'Delete' ? [BOUND_FINALIZER] : [])];
  const missing = wanted.filter((name) => !finalizers.includes(name));
  if (missing.length === 0) return snapshot;
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: [...finalizers, ...missing] } });
  return await objects(VolumeSnapshot).patch(key, patch);
}

async function checkBound(snapshot: Snapshot, name: string, context: SnapshotContext): Promise<void> {
  const content = context.objects(VolumeSnapshotContent).get(name);
  if (content === undefined)
    await failed(snapshot, context, { reason: 'SnapshotContentMissing', message: 'VolumeSnapshotContent is missing' });
  else if (!isContentOf(content, snapshot)) {
    const message = 'VolumeSnapshotContent is not bound to the VolumeSnapshot correctly';
    await failed(snapshot, context, { reason: 'SnapshotMisbound', message });
  } else if (context.hasGroups) await adoptMember(snapshot, context);
}

/** Binds a content that the user has made. */
async function bindExisting(snapshot: Snapshot, content: Content | undefined, context: SnapshotContext): Promise<void> {
  if (content === undefined)
    throw await failed(snapshot, context, {
      reason: 'SnapshotContentMissing',
      message: 'VolumeSnapshotContent is missing',
    });
  const { volumeSnapshotRef: ref, volumeSnapshotClassName } = content.spec;
  const { uid } = snapshot.metadata;
  const own = snapshot.spec.volumeSnapshotClassName;
  let bound = content;
  if ((ref.uid ?? '') === '' || (volumeSnapshotClassName === undefined && own !== undefined)) {
    const named = own === undefined ? {} : { volumeSnapshotClassName: own };
    const patch = mergePatch({ spec: { volumeSnapshotRef: { ...ref, uid }, ...named } });
    bound = await context.objects(VolumeSnapshotContent).patch(content.metadata.name, patch);
  }
  await showState(snapshot, bound, context);
}

/** Makes the content of a snapshot; the driver's controller takes it from there. */
async function makeContent(snapshot: Snapshot, context: SnapshotContext): Promise<Content> {
  const { objects, key, event } = context;
  try {
    await keepClaim(snapshot, context);
    const content = newContent(snapshot, context.isDistributed, context);
    const contents = objects(VolumeSnapshotContent);
    const made = await contents.create(content).catch(async (error: unknown) => {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      const existing = await contents.fetch(content.metadata.name);
      if (existing === undefined) throw error;
      return existing;
    });
    event({ reason: 'CreatingSnapshot', message: `Waiting for a snapshot ${key} to be created by the CSI driver.` });
    return made;
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    const message = `Failed to create snapshot content with error ${messageOf(error)}`;
    throw await failed(snapshot, context, { reason: 'SnapshotContentCreationFailed', message });
  }
}

/** Copies the state of the content to the snapshot. */
async function showState(snapshot: Snapshot, content: Content, context: SnapshotContext): Promise<void> {
  const { objects, key, event, hasGroups } = context;
  const { status: before = {} } = snapshot;
  const group = hasGroups ? groupNameOf(content, snapshot, context) : undefined;
  const { creationTime, restoreSize, readyToUse = false, error } = content.status ?? {};
  const status = {
    ...before,
    boundVolumeSnapshotContentName: before.boundVolumeSnapshotContentName ?? content.metadata.name,
    readyToUse,
    ...(before.creationTime === undefined && creationTime !== undefined
      ? { creationTime: formatTime(instantOfMillis(Number(BigInt(creationTime) / 1_000_000n))) }
      : {}),
    ...((before.restoreSize === undefined || before.restoreSize === '0') && restoreSize !== undefined
      ? { restoreSize: quantityOf(restoreSize, 'BinarySI').toString() }
      : {}),
    ...(error === undefined ? (readyToUse ? { error: undefined } : {}) : { error }),
    ...(group === undefined ? {} : { volumeGroupSnapshotName: before.volumeGroupSnapshotName ?? group }),
  };
  if (JSON.stringify(sortedEntries(status)) === JSON.stringify(sortedEntries(before))) return;
  const isNowCreated = before.creationTime === undefined && status.creationTime !== undefined;
  if (isNowCreated)
    event({ reason: 'SnapshotCreated', message: `Snapshot ${key} was successfully created by the CSI driver.` });
  if (readyToUse && before.readyToUse !== true)
    event({ reason: 'SnapshotReady', message: `Snapshot ${key} is ready to use.` });
  const patched = { ...status, ...(status.error === undefined ? { error: null } : {}) };
  await objects(VolumeSnapshot).patchStatus(key, mergePatch({ status: patched }));
}

function sortedEntries(status: object): readonly (readonly [string, unknown])[] {
  return Object.entries(status)
    .filter(([, value]) => value !== undefined)
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
}

/** Deletes the content of a snapshot that is going, if its policy says so, and lets the snapshot go. */
async function letGo(snapshot: Snapshot, context: SnapshotContext): Promise<void> {
  const { objects, event, key } = context;
  if (!isLeaving(snapshot)) return;
  const contents = objects(VolumeSnapshotContent);
  const name = snapshot.status?.boundVolumeSnapshotContentName ?? contentNameOf(snapshot);
  const found = contents.get(name);
  const content = found !== undefined && isContentOf(found, snapshot) ? found : undefined;
  if (content !== undefined && isBeingRestored(snapshot, context)) {
    const message = 'Snapshot is being used to restore a PVC';
    event({ type: 'Warning', reason: 'SnapshotDeletePending', message });
    throw new NotReadyError(`snapshot ${key} is in use (being used to restore a PVC), will retry deletion`);
  }
  if (context.hasGroups) checkIsAlone(snapshot, context);
  if (content !== undefined) await markBeingDeleted(content, context);
  const isDeleted = content?.spec.deletionPolicy === 'Delete';
  if (isDeleted && content.metadata.deletionTimestamp === undefined)
    await contents.delete(name, { preconditions: { uid: content.metadata.uid } });
  const { finalizers = [], resourceVersion } = snapshot.metadata;
  const isStill = isDeleted && contents.get(name) !== undefined;
  const done = [SOURCE_FINALIZER, IN_GROUP_FINALIZER, ...(isStill ? [] : [BOUND_FINALIZER])];
  const left = finalizers.filter((each) => !done.includes(each));
  if (left.length === finalizers.length) return;
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } });
  await objects(VolumeSnapshot).patch(key, patch).catch(ignoreMissing);
}

/** Throws while the group exists that the snapshot was taken with. */
function checkIsAlone(snapshot: Snapshot, { objects, event, key }: Context): void {
  const group = groupOf(snapshot);
  if (group === undefined) return;
  const name = `${snapshot.metadata.namespace}/${group}`;
  if (objects(VolumeGroupSnapshot).get(name) === undefined) return;
  const message = `deletion of the individual volume snapshot ${key} is not allowed as it belongs to group snapshot ${name}. Deleting the group snapshot will trigger the deletion of all the individual volume snapshots that are part of the group.`;
  event({ type: 'Warning', reason: 'SnapshotDeletePending', message });
  throw new NotReadyError(message);
}

interface Failure {
  readonly reason: string;
  readonly message: string;
  /** Whether the snapshot is not ready because of it; default true. */
  readonly isUnready?: boolean;
}

/** Shows a failure in the snapshot's status and as an event, once, and returns the error to throw. */
async function failed(
  { status }: Snapshot,
  { objects, event, key, clock }: Context,
  { reason, message, isUnready = true }: Failure,
): Promise<NotReadyError> {
  if (status?.error?.message !== message) {
    const error = { time: formatTime(instantOfMillis(clock.now())), message };
    const patch = mergePatch({ status: { error, ...(isUnready ? { readyToUse: false } : {}) } });
    await objects(VolumeSnapshot).patchStatus(key, patch).catch(ignoreMissing);
    event({ type: 'Warning', reason, message });
  }
  return new NotReadyError(message);
}

function ignoreMissing(error: unknown): undefined {
  if (!hasReason(error, 'NotFound')) throw error;
  return undefined;
}
