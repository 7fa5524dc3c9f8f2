import { messageOf } from '../../base/index.ts';
import { matchLabelSelector, ValueError } from '../../api/client.ts';
import { formatTime, instantOfMillis } from '../../api/values/index.ts';
import {
  hasReason,
  ItemBackoff,
  mergePatch,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
} from '../../client/index.ts';
import { controller, type Part, type ReconcileContext, watch } from '../../kit/index.ts';
import {
  NotReadyError,
  secretReference,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
  withDriverBackoff,
} from '../volume-provisioner/index.ts';
import { GROUP_SECRET, makeMembers, membersOf, owningGroup } from './group-members.ts';
import { isBeingRestored } from './snapshot-claims.ts';
import {
  GROUP_BEING_DELETED,
  GROUP_BOUND_FINALIZER,
  GROUP_CONTENT_FINALIZER,
  GROUP_DELETION_SECRET,
  groupContentNameOf,
  IS_DEFAULT_GROUP_CLASS,
  isContentOfGroup,
} from './snapshot-names.ts';

type Group = Observed<VolumeGroupSnapshot>;
type Content = Observed<VolumeGroupSnapshotContent>;
type Class = Observed<VolumeGroupSnapshotClass>;
type Volume = Observed<PersistentVolume>;
type Context = ReconcileContext;

const COMPONENT = 'snapshot-controller';
const CONCURRENCY = 10;
const RETRIES = { initialDelay: 1000, maxDelay: 300_000 };

/**
 * Binds groups of snapshots and their contents for all drivers of a cluster, as the program snapshot-controller does with the feature
 * CSIVolumeGroupSnapshot: it makes the content of a group of claims and, once the driver has taken the group, a snapshot for each of them.
 */
export function groupSnapshotController(): readonly Part[] {
  const backoff = new ItemBackoff(RETRIES);
  return [
    controller(VolumeGroupSnapshot, {
      name: `${COMPONENT}-groups`,
      component: COMPONENT,
      concurrency: CONCURRENCY,
      reads: [VolumeGroupSnapshotClass, PersistentVolumeClaim, PersistentVolume, VolumeSnapshotContent],
      watches: [
        watch(VolumeGroupSnapshotContent, {
          to: ({ spec }) => [`${spec.volumeGroupSnapshotRef.namespace}/${spec.volumeGroupSnapshotRef.name}`],
        }),
        watch(VolumeSnapshot, {
          to: (snapshot) => {
            const group = owningGroup(snapshot);
            return group === undefined ? [] : [`${snapshot.metadata.namespace}/${group}`];
          },
        }),
      ],
      reconcile: (group, context) => withDriverBackoff(backoff, context, () => syncGroup(group, context)),
      gone: (key) => backoff.forget(key),
    }),
    controller(VolumeGroupSnapshotContent, {
      name: `${COMPONENT}-group-contents`,
      component: COMPONENT,
      concurrency: CONCURRENCY,
      reconcile: protectContent,
    }),
  ];
}

/** Protects a bound content. */
async function protectContent(content: Content, { objects, key, event }: Context): Promise<void> {
  const { volumeHandles = [], groupSnapshotHandles } = content.spec.source;
  if ((groupSnapshotHandles === undefined) === (volumeHandles.length === 0)) {
    const message = 'Exactly one of GroupSnapshotHandles and VolumeHandles should be specified';
    return event({ type: 'Warning', reason: 'GroupContentValidationError', message });
  }
  const { finalizers = [], resourceVersion, deletionTimestamp } = content.metadata;
  if ((content.spec.volumeGroupSnapshotRef.uid ?? '') === '') return;
  if (deletionTimestamp !== undefined || finalizers.includes(GROUP_CONTENT_FINALIZER)) return;
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: [...finalizers, GROUP_CONTENT_FINALIZER] } });
  await objects(VolumeGroupSnapshotContent).patch(key, patch);
}

async function syncGroup(found: Group, context: Context): Promise<void> {
  if (found.metadata.deletionTimestamp !== undefined) return await letGo(found, context);
  const group = await withClass(found, context);
  const { selector, volumeGroupSnapshotContentName: named } = group.spec.source;
  if ((selector === undefined) === (named === undefined))
    throw await failed(group, context, {
      reason: 'GroupSnapshotValidationError',
      message: 'Exactly one of Selector and VolumeGroupSnapshotContentName should be specified',
    });
  const content =
    named === undefined ? await madeContent(group, context) : await existingContent(group, named, context);
  const kept = content === undefined ? group : await protect(group, context);
  const bound = kept.status?.boundVolumeGroupSnapshotContentName;
  if (kept.status?.readyToUse === true && bound !== undefined) return await checkBound(kept, bound, context);
  if (named !== undefined) return await bindExisting(kept, content, context);
  if (content !== undefined) await makeMembers(kept, content, context);
  await showState(kept, content ?? (await makeContent(kept, context)), context);
}

/** The group with its class; one that names none gets the default class of its volumes' driver. */
async function withClass(group: Group, context: Context): Promise<Group> {
  const { objects, key } = context;
  const { volumeGroupSnapshotClassName: name, source } = group.spec;
  const classes = objects(VolumeGroupSnapshotClass);
  if (name !== undefined) {
    if (classes.get(name) !== undefined) return group;
    const message = `failed to get group snapshot class with error ${missingClass(name)}`;
    throw await failed(group, context, { reason: 'GetGroupSnapshotClassFailed', message, isUnready: false });
  }
  if (source.volumeGroupSnapshotContentName !== undefined) return group;
  try {
    const [first] = volumesOf(group, context);
    const driver = first?.spec?.csi?.driver;
    if (driver === undefined)
      throw new NotReadyError(`snapshotting non-CSI volumes is not supported, group snapshot:${key}`);
    const fitting = classes
      .list()
      .filter((each) => each.metadata.annotations?.[IS_DEFAULT_GROUP_CLASS] === 'true' && each.driver === driver);
    const [only] = fitting;
    if (only === undefined) throw new NotReadyError('cannot find default group snapshot class');
    if (fitting.length > 1) throw new NotReadyError(`${fitting.length} default snapshot classes were found`);
    const patch = mergePatch({ spec: { volumeGroupSnapshotClassName: only.metadata.name } });
    return await objects(VolumeGroupSnapshot).patch(key, patch);
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    const message = `Failed to set default group snapshot class with error ${messageOf(error)}`;
    throw await failed(group, context, { reason: 'SetDefaultGroupSnapshotClassFailed', message, isUnready: false });
  }
}

function missingClass(name: string): string {
  return `volumegroupsnapshotclass.groupsnapshot.storage.k8s.io "${name}" not found`;
}

/** The volumes of the claims that a group selects, in the order of the claims' names. */
function volumesOf({ metadata, spec }: Group, { objects }: Context): readonly Volume[] {
  const matcher = matchLabelSelector(spec.source.selector);
  if (matcher instanceof ValueError) throw new NotReadyError(`invalid label selector: ${matcher.message}`);
  const claims = objects(PersistentVolumeClaim)
    .list({ namespace: metadata.namespace ?? '' })
    .filter((claim) => matcher.matches(claim.metadata.labels ?? {}))
    .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  if (claims.length === 0) {
    const text = Object.entries(spec.source.selector?.matchLabels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join();
    throw new NotReadyError(`label selector ${text} for group snapshot not applied to any PVC`);
  }
  return claims.map((claim) => {
    const { name, uid } = claim.metadata;
    if (claim.status?.phase !== 'Bound')
      throw new NotReadyError(`the PVC ${name} is not yet bound to a PV, will not attempt to take a group snapshot`);
    const volume = objects(PersistentVolume).get(claim.spec?.volumeName ?? '');
    if (volume?.spec?.claimRef?.uid !== uid) throw new NotReadyError('claim in dataSource not bound or invalid');
    return volume;
  });
}

/** The content that was made for the group; undefined if there is none yet. */
async function madeContent(group: Group, context: Context): Promise<Content | undefined> {
  const name = groupContentNameOf(group);
  const content = context.objects(VolumeGroupSnapshotContent).get(name);
  if (content === undefined) return undefined;
  if (content.spec.source.groupSnapshotHandles !== undefined) {
    const message = `VolumeGroupSnapshotContent ${name} is pre-provisioned while expecting a dynamically provisioned one`;
    throw await failed(group, context, { reason: 'GroupSnapshotContentMismatch', message });
  }
  if (isContentOfGroup(content, group)) return content;
  throw await misbound(group, name, context);
}

/** The content that the group names; undefined if it does not exist. */
async function existingContent(group: Group, name: string, context: Context): Promise<Content | undefined> {
  const content = context.objects(VolumeGroupSnapshotContent).get(name);
  if (content === undefined) return undefined;
  if (content.spec.source.groupSnapshotHandles === undefined) {
    const message = 'VolumeGroupSnapshotContent is dynamically provisioned while expecting a pre-provisioned one';
    throw await failed(group, context, { reason: 'GroupSnapshotContentMismatch', message });
  }
  const { uid = '', ...ref } = content.spec.volumeGroupSnapshotRef;
  const isNamed = ref.name === group.metadata.name && ref.namespace === group.metadata.namespace;
  if (isNamed && (uid === '' || uid === group.metadata.uid)) return content;
  throw await misbound(group, name, context);
}

async function misbound(group: Group, name: string, context: Context): Promise<NotReadyError> {
  const message = `VolumeGroupSnapshotContent [${name}] is bound to a different group snapshot`;
  return await failed(group, context, { reason: 'GroupSnapshotContentMisbound', message });
}

/** Adds the finalizer of a group that has a content, or is about to get one. */
async function protect(group: Group, { objects, key }: Context): Promise<Group> {
  const { finalizers = [], resourceVersion } = group.metadata;
  if (finalizers.includes(GROUP_BOUND_FINALIZER)) return group;
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: [...finalizers, GROUP_BOUND_FINALIZER] } });
  return await objects(VolumeGroupSnapshot).patch(key, patch);
}

async function checkBound(group: Group, name: string, context: Context): Promise<void> {
  const content = context.objects(VolumeGroupSnapshotContent).get(name);
  if (content === undefined) {
    const message = 'VolumeGroupSnapshotContent is missing';
    await failed(group, context, { reason: 'GroupSnapshotContentMissing', message });
  } else if (!isContentOfGroup(content, group)) {
    const message = 'VolumeGroupSnapshotContent is not bound to the VolumeGroupSnapshot correctly';
    await failed(group, context, { reason: 'GroupSnapshotMisbound', message });
  }
}

/** Binds a content that the user has made. */
async function bindExisting(group: Group, content: Content | undefined, context: Context): Promise<void> {
  if (content === undefined)
    throw await failed(group, context, {
      reason: 'GroupSnapshotContentMissing',
      message: 'VolumeGroupSnapshotContent is missing',
    });
  const { volumeGroupSnapshotRef: ref, volumeGroupSnapshotClassName } = content.spec;
  const own = group.spec.volumeGroupSnapshotClassName;
  let bound = content;
  if ((ref.uid ?? '') === '' || (volumeGroupSnapshotClassName === undefined && own !== undefined)) {
    const named = own === undefined ? {} : { volumeGroupSnapshotClassName: own };
    const patch = mergePatch({ spec: { volumeGroupSnapshotRef: { ...ref, uid: group.metadata.uid }, ...named } });
    bound = await context.objects(VolumeGroupSnapshotContent).patch(content.metadata.name, patch);
  }
  await showState(group, bound, context);
}

/** Makes the content of a group; the driver's controller takes it from there. */
async function makeContent(group: Group, context: Context): Promise<Content> {
  const { objects, key, event } = context;
  try {
    const content = newContent(group, context);
    await protect(group, context); // upstream does so later, and a group that is deleted meanwhile leaves its content behind
    const contents = objects(VolumeGroupSnapshotContent);
    const made = await contents.create(content).catch(async (error: unknown) => {
      const existing = hasReason(error, 'AlreadyExists') ? await contents.fetch(content.metadata.name) : undefined;
      if (existing === undefined) throw error;
      return existing;
    });
    const message = `Waiting for a group snapshot ${key} to be created by the CSI driver.`;
    event({ reason: 'CreatingGroupSnapshot', message });
    return made;
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    const message = `failed to create group snapshot content with error ${messageOf(error)}`;
    throw await failed(group, context, { reason: 'GroupSnapshotContentCreationFailed', message });
  }
}

function newContent(
  group: Group,
  context: Context,
): VolumeGroupSnapshotContent & { readonly metadata: { readonly name: string } } {
  const { name, namespace = '', uid, resourceVersion } = group.metadata;
  const contentName = groupContentNameOf(group);
  const { groupClass, volumes } = inputOf(group, context);
  const tokens = { 'volumegroupsnapshotcontent.name': contentName, 'volumegroupsnapshot.namespace': namespace };
  const secret = secretReference(GROUP_SECRET, groupClass.parameters ?? {}, {
    namespace: tokens,
    name: { ...tokens, 'volumegroupsnapshot.name': name },
  });
  const annotations =
    secret === undefined
      ? undefined
      : {
          [`${GROUP_DELETION_SECRET}name`]: secret.name,
          [`${GROUP_DELETION_SECRET}namespace`]: secret.namespace,
        };
  return {
    metadata: { name: contentName, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      volumeGroupSnapshotRef: {
        kind: VolumeGroupSnapshot.kind,
        apiVersion: VolumeGroupSnapshot.apiVersion,
        namespace,
        name,
        uid,
        resourceVersion,
      },
      source: { volumeHandles: volumes.map((volume) => handleOf(volume, groupClass, context)) },
      volumeGroupSnapshotClassName: groupClass.metadata.name,
      deletionPolicy: groupClass.deletionPolicy,
      driver: groupClass.driver,
    },
  };
}

/** The class and the volumes of a group that can be taken. */
function inputOf(group: Group, context: Context): { readonly groupClass: Class; readonly volumes: readonly Volume[] } {
  const { name } = group.metadata;
  const className = group.spec.volumeGroupSnapshotClassName ?? '';
  const input = `failed to get input parameters to create group snapshot ${name}`;
  try {
    const groupClass = context.objects(VolumeGroupSnapshotClass).get(className);
    if (groupClass === undefined) throw new NotReadyError(missingClass(className));
    return { groupClass, volumes: volumesOf(group, context) };
  } catch (error) {
    if (!(error instanceof NotReadyError)) throw error;
    throw new NotReadyError(`${input}: ${JSON.stringify(messageOf(error))}`);
  }
}

function handleOf({ metadata, spec }: Volume, { metadata: { name }, driver }: Class, { key, event }: Context): string {
  const refused = (message: string, reason: string): NotReadyError => {
    event({ type: 'Warning', reason: 'CreateGroupSnapshotContentFailed', message });
    return new NotReadyError(reason);
  };
  if (spec?.csi === undefined)
    throw refused(
      `Cannot snapshot a non-CSI volume: ${metadata.name}`,
      `cannot snapshot a non-CSI volume for group snapshot ${key}: ${metadata.name}`,
    );
  if (spec.csi.driver === driver) return spec.csi.volumeHandle;
  const message = `Volume CSI driver (${spec.csi.driver}) mismatch with VolumeGroupSnapshotClass (${driver}) ${key}: ${metadata.name}`;
  throw refused(message, `${message} (class ${name})`);
}

/** Copies the state of the content to the group. */
async function showState(group: Group, content: Content, { objects, key, event }: Context): Promise<void> {
  const { status: before = {} } = group;
  const { creationTime, readyToUse = false, error } = content.status ?? {};
  const isNowCreated = before.creationTime === undefined && creationTime !== undefined;
  const status = {
    ...before,
    boundVolumeGroupSnapshotContentName: before.boundVolumeGroupSnapshotContentName ?? content.metadata.name,
    readyToUse,
    ...(isNowCreated ? { creationTime } : {}),
    error,
  };
  const isSame =
    status.boundVolumeGroupSnapshotContentName === before.boundVolumeGroupSnapshotContentName &&
    readyToUse === before.readyToUse &&
    !isNowCreated &&
    error?.message === before.error?.message;
  if (isSame) return;
  if (isNowCreated) {
    const message = `GroupSnapshot ${key} was successfully created by the CSI driver.`;
    event({ reason: 'GroupSnapshotCreated', message });
  }
  if (readyToUse && before.readyToUse !== true)
    event({ reason: 'GroupSnapshotReady', message: `GroupSnapshot ${key} is ready to use.` });
  await objects(VolumeGroupSnapshot).patchStatus(key, mergePatch({ status: { ...status, error: error ?? null } }));
}

/** Deletes the content and the snapshots of a group that is going, if its policy says so, and lets the group go. */
async function letGo(group: Group, context: Context): Promise<void> {
  const { objects, key, event } = context;
  const { finalizers = [], resourceVersion } = group.metadata;
  if (!finalizers.includes(GROUP_BOUND_FINALIZER)) return;
  const members = membersOf(group, context);
  const used = members.find((member) => isBeingRestored(member, context));
  if (used !== undefined) {
    const { namespace, name } = used.metadata;
    const message = `Snapshot ${namespace}/${name} belonging to VolumeGroupSnapshot ${key} is being used to restore a PVC`;
    event({ type: 'Warning', reason: 'SnapshotDeletePending', message });
    throw new NotReadyError(`${message}: snapshot is in use, will retry deletion`);
  }
  const contents = objects(VolumeGroupSnapshotContent);
  const name = group.status?.boundVolumeGroupSnapshotContentName ?? groupContentNameOf(group);
  const found = contents.get(name);
  const content = found !== undefined && isContentOfGroup(found, group) ? found : undefined;
  if (content !== undefined && content.metadata.annotations?.[GROUP_BEING_DELETED] === undefined) {
    const patch = mergePatch({ metadata: { annotations: { [GROUP_BEING_DELETED]: 'yes' } } });
    await contents.patch(name, patch).catch(ignoreMissing);
  }
  const isDeleted = content?.spec.deletionPolicy === 'Delete';
  if (isDeleted && content.metadata.deletionTimestamp === undefined)
    await contents.delete(name, { preconditions: { uid: content.metadata.uid } });
  for (const { metadata } of members)
    if (metadata.deletionTimestamp === undefined)
      await objects(VolumeSnapshot).delete(`${metadata.namespace}/${metadata.name}`).catch(ignoreMissing);
  if (isDeleted && contents.get(name) !== undefined) return;
  const left = finalizers.filter((each) => each !== GROUP_BOUND_FINALIZER);
  const patch = mergePatch({ metadata: { resourceVersion, finalizers: left.length === 0 ? null : left } });
  await objects(VolumeGroupSnapshot).patch(key, patch).catch(ignoreMissing);
}

interface Failure {
  readonly reason: string;
  readonly message: string;
  /** Whether the group is not ready because of it; default true. */
  readonly isUnready?: boolean;
}

/** Shows a failure in the group's status and as an event, once, and returns the error to throw. */
async function failed(
  { status }: Group,
  { objects, event, key, clock }: Context,
  { reason, message, isUnready = true }: Failure,
): Promise<NotReadyError> {
  if (status?.error?.message !== message) {
    const error = { time: formatTime(instantOfMillis(clock.now())), message };
    const patch = mergePatch({ status: { error, ...(isUnready ? { readyToUse: false } : {}) } });
    await objects(VolumeGroupSnapshot).patchStatus(key, patch).catch(ignoreMissing);
    event({ type: 'Warning', reason, message });
  }
  return new NotReadyError(message);
}

function ignoreMissing(error: unknown): undefined {
  if (!hasReason(error, 'NotFound')) throw error;
  return undefined;
}
