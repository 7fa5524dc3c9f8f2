// The snapshots that a group consists of, one for each of its volumes.
import { hasReason, mergePatch, type Observed, PersistentVolume } from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';
import {
  NotReadyError,
  type SecretParameters,
  secretReference,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
  type VolumeSnapshotInfo,
} from '../volume-provisioner/index.ts';
import { DELETION_SECRET, GROUP_HANDLE, IN_GROUP_FINALIZER, memberNames } from './snapshot-names.ts';

type Group = Observed<VolumeGroupSnapshot>;
type GroupContent = Observed<VolumeGroupSnapshotContent>;
type Snapshot = Observed<VolumeSnapshot>;
type Content = Observed<VolumeSnapshotContent>;
type Context = ReconcileContext;

export const GROUP_SECRET: SecretParameters = { title: 'GroupSnapshotter', key: 'group-snapshotter-secret' };

/** The group that owns a snapshot, by its name; undefined for a snapshot of its own. */
export function owningGroup({ metadata }: Snapshot): string | undefined {
  return metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === VolumeGroupSnapshot.kind && apiVersion === VolumeGroupSnapshot.apiVersion,
  )?.name;
}

/** The group that a snapshot was taken with, by its name. */
export function groupOf(snapshot: Snapshot): string | undefined {
  return snapshot.status?.volumeGroupSnapshotName ?? owningGroup(snapshot);
}

/** The snapshots that a group owns. */
export function membersOf({ metadata }: Group, { objects }: Pick<Context, 'objects'>): readonly Snapshot[] {
  return objects(VolumeSnapshot)
    .list({ namespace: metadata.namespace ?? '' })
    .filter((snapshot) => owningGroup(snapshot) === metadata.name);
}

/** The group of a content that the driver has made with others; undefined for other contents. */
export function groupNameOf(content: Content, { metadata }: Snapshot, { objects }: Context): string | undefined {
  const handle = content.status?.volumeGroupSnapshotHandle;
  if (handle === undefined) return undefined;
  const group = objects(VolumeGroupSnapshotContent)
    .list()
    .find(({ status }) => status?.volumeGroupSnapshotHandle === handle);
  if (group !== undefined) return group.spec.volumeGroupSnapshotRef.name;
  throw new NotReadyError(
    `updateSnapshotStatus: cannot find the group snapshot for VolumeSnapshot [${metadata.namespace}/${metadata.name}], will not update snapshot status`,
  );
}

/** Makes the group the owner of a snapshot that a user has made of one of its snapshots in the storage. */
export async function adoptMember(snapshot: Snapshot, { objects, key }: Context): Promise<void> {
  const { volumeGroupSnapshotName: name = '' } = snapshot.status ?? {};
  if (name === '' || owningGroup(snapshot) !== undefined) return;
  const { namespace, ownerReferences = [], resourceVersion } = snapshot.metadata;
  const group = objects(VolumeGroupSnapshot).get(`${namespace}/${name}`);
  if (group === undefined) throw new NotReadyError(`missing parent group for snapshot ${key}`);
  const owners = [...ownerReferences, ownerReference(group)];
  await objects(VolumeSnapshot).patch(key, mergePatch({ metadata: { resourceVersion, ownerReferences: owners } }));
}

/**
 * Makes a snapshot and its content for each volume of a group that the driver has taken. May be repeated: names follow from the group and
 * the volume.
 */
export async function makeMembers(group: Group, content: GroupContent, context: Context): Promise<void> {
  const { volumeGroupSnapshotHandle: handle, volumeSnapshotInfoList: members = [] } = content.status ?? {};
  if (handle === undefined || members.length === 0) return;
  const secret = secretOf(group, content, context);
  for (const member of members) await makeMember(member, { group, content, handle, secret }, context);
}

interface Whole {
  readonly group: Group;
  readonly content: GroupContent;
  /** The driver's identifier of the group. */
  readonly handle: string;
  readonly secret: ReturnType<typeof secretReference>;
}

function secretOf({ spec }: Group, { metadata }: GroupContent, { objects }: Context): Whole['secret'] {
  const name = spec.volumeGroupSnapshotClassName;
  if (name === undefined) throw new NotReadyError('the group has no class');
  const found = objects(VolumeGroupSnapshotClass).get(name);
  if (found === undefined) throw new NotReadyError(`failed to get volume group snapshot class ${name}: not found`);
  const tokens = { 'volumegroupsnapshotcontent.name': metadata.name };
  return secretReference(GROUP_SECRET, found.parameters ?? {}, { name: tokens, namespace: tokens });
}

async function makeMember(member: VolumeSnapshotInfo, whole: Whole, { objects }: Context): Promise<void> {
  const { group, content: groupContent, handle, secret } = whole;
  const { volumeHandle = '', snapshotHandle, creationTime, restoreSize, readyToUse } = member;
  const names = memberNames(group.metadata.uid, volumeHandle);
  const { namespace = '' } = group.metadata;
  const { driver, deletionPolicy } = groupContent.spec;
  const volume = volumeWith({ driver, volumeHandle }, objects(PersistentVolume).list());
  const contents = objects(VolumeSnapshotContent);
  const snapshots = objects(VolumeSnapshot);
  const mode = volume?.spec?.volumeMode;
  const annotations = {
    [GROUP_HANDLE]: handle,
    ...(secret === undefined
      ? {}
      : { [`${DELETION_SECRET}name`]: secret.name, [`${DELETION_SECRET}namespace`]: secret.namespace }),
  };
  const content = await madeOrFound(
    () =>
      contents.create({
        metadata: { name: names.content, annotations },
        spec: {
          volumeSnapshotRef: { kind: VolumeSnapshot.kind, name: names.snapshot, namespace },
          deletionPolicy,
          driver,
          source: { volumeHandle },
          ...(mode === undefined ? {} : { sourceVolumeMode: mode }),
        },
      }),
    () => contents.fetch(names.content),
  );
  const snapshot = await madeOrFound(
    () =>
      snapshots.create({
        metadata: {
          name: names.snapshot,
          namespace,
          ownerReferences: [ownerReference(group)],
          finalizers: [IN_GROUP_FINALIZER],
        },
        spec: { source: { persistentVolumeClaimName: volume?.spec?.claimRef?.name ?? '' } },
      }),
    () => snapshots.fetch(`${namespace}/${names.snapshot}`),
  );
  const { uid } = snapshot.metadata;
  const { volumeSnapshotRef } = content.spec;
  if (volumeSnapshotRef.uid !== uid)
    await contents.patch(names.content, mergePatch({ spec: { volumeSnapshotRef: { ...volumeSnapshotRef, uid } } }));
  if (snapshot.status?.boundVolumeSnapshotContentName === undefined)
    await snapshots.patchStatus(
      `${namespace}/${names.snapshot}`,
      mergePatch({ status: { boundVolumeSnapshotContentName: names.content } }),
    );
  if (content.status?.readyToUse === true) return;
  const status = { snapshotHandle, volumeGroupSnapshotHandle: handle, creationTime, restoreSize, readyToUse };
  await contents.patchStatus(names.content, mergePatch({ status }));
}

/** The volume of a driver's handle; undefined when it is gone. */
function volumeWith(
  { driver, volumeHandle }: { readonly driver: string; readonly volumeHandle: string },
  volumes: readonly Observed<PersistentVolume>[],
): Observed<PersistentVolume> | undefined {
  const found = volumes.filter(({ spec }) => spec?.csi?.driver === driver && spec.csi.volumeHandle === volumeHandle);
  if (found.length > 1) throw new NotReadyError(`multiple PVs found for the volume ${volumeHandle} of ${driver}`);
  return found[0];
}

function ownerReference({ metadata }: Group): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
} {
  const { apiVersion, kind } = VolumeGroupSnapshot;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid };
}

async function madeOrFound<T>(make: () => Promise<T>, find: () => Promise<T | undefined>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
    const found = await find();
    if (found === undefined) throw error;
    return found;
  }
}
