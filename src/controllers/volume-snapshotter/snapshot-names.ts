import { createHash } from 'node:crypto';
import type { Observed } from '../../client/index.ts';
import type {
  VolumeGroupSnapshot,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from '../volume-provisioner/index.ts';

const GROUP = 'snapshot.storage.kubernetes.io';

/** Keeps a content until its snapshot no longer is bound to it. */
export const CONTENT_FINALIZER = `${GROUP}/volumesnapshotcontent-bound-protection`;
/** Keeps a snapshot until the content that was made for it is deleted. */
export const BOUND_FINALIZER = `${GROUP}/volumesnapshot-bound-protection`;
/** Keeps a snapshot while volumes are made from it. */
export const SOURCE_FINALIZER = `${GROUP}/volumesnapshot-as-source-protection`;
/** Keeps a claim while a snapshot of it is taken. */
export const CLAIM_FINALIZER = `${GROUP}/pvc-as-source-protection`;
export const IS_DEFAULT_CLASS = `${GROUP}/is-default-class`;
/** On contents: their snapshot is being deleted; the driver is at work on the snapshot. */
export const BEING_DELETED = `${GROUP}/volumesnapshot-being-deleted`;
export const BEING_CREATED = `${GROUP}/volumesnapshot-being-created`;
/** The secret for deleting a snapshot, to which `name` and `namespace` are added. */
export const DELETION_SECRET = `${GROUP}/deletion-secret-`;

/** On contents: the node whose process takes the snapshot. */
export const MANAGED_BY = 'snapshot.storage.kubernetes.io/managed-by';

/** The name of the content that is made for a snapshot. */
export function contentNameOf({ metadata }: Observed<VolumeSnapshot>): string {
  return `snapcontent-${metadata.uid}`;
}

/** Whether a content says that it belongs to the snapshot. */
export function isContentOf(content: Observed<VolumeSnapshotContent>, { metadata }: Observed<VolumeSnapshot>): boolean {
  const { name, namespace, uid } = content.spec.volumeSnapshotRef;
  return name === metadata.name && namespace === metadata.namespace && uid === metadata.uid;
}

const GROUPS = 'groupsnapshot.storage.kubernetes.io';

/** Keeps the content of a group until its driver has deleted what it stands for. */
export const GROUP_CONTENT_FINALIZER = `${GROUPS}/volumegroupsnapshotcontent-bound-protection`;
/** Keeps a group until its content is deleted. */
export const GROUP_BOUND_FINALIZER = `${GROUPS}/volumegroupsnapshot-bound-protection`;
/** Keeps a snapshot as long as the group exists that it was taken with. */
export const IN_GROUP_FINALIZER = `${GROUP}/volumesnapshot-in-group-protection`;
export const IS_DEFAULT_GROUP_CLASS = `${GROUPS}/is-default-class`;
/** On contents of groups: the group is being deleted; the driver is at work on it. */
export const GROUP_BEING_DELETED = `${GROUPS}/volumegroupsnapshot-being-deleted`;
export const GROUP_BEING_CREATED = `${GROUPS}/volumegroupsnapshot-being-created`;
/** The secret for deleting a group, to which `name` and `namespace` are added. */
export const GROUP_DELETION_SECRET = `${GROUPS}/deletion-secret-`;
/** On contents of snapshots that were taken with others: the driver's identifier of the group. */
export const GROUP_HANDLE = 'groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle';

/** The name of the content that is made for a group. */
export function groupContentNameOf({ metadata }: Observed<VolumeGroupSnapshot>): string {
  return `groupsnapcontent-${metadata.uid}`;
}

/** Whether a content says that it belongs to the group. */
export function isContentOfGroup(
  content: Observed<VolumeGroupSnapshotContent>,
  { metadata }: Observed<VolumeGroupSnapshot>,
): boolean {
  const { name, namespace, uid } = content.spec.volumeGroupSnapshotRef;
  return name === metadata.name && namespace === metadata.namespace && uid === metadata.uid;
}

/** The names of the snapshot of one volume of a group, and of its content. */
export function memberNames(
  groupUid: string,
  volumeHandle: string,
): { readonly snapshot: string; readonly content: string } {
  const digest = createHash('sha256').update(`${groupUid}${volumeHandle}`).digest('hex');
  return { snapshot: `snapshot-${digest}`, content: `snapcontent-${digest}` };
}
