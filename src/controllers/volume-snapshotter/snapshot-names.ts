import type { Observed } from '../../client/index.ts';
import type { VolumeSnapshot, VolumeSnapshotContent } from '../volume-provisioner/index.ts';

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

/** The name of the content that is made for a snapshot. */
export function contentNameOf({ metadata }: Observed<VolumeSnapshot>): string {
  return `snapcontent-${metadata.uid}`;
}

/** Whether a content says that it belongs to the snapshot. */
export function isContentOf(content: Observed<VolumeSnapshotContent>, { metadata }: Observed<VolumeSnapshot>): boolean {
  const { name, namespace, uid } = content.spec.volumeSnapshotRef;
  return name === metadata.name && namespace === metadata.namespace && uid === metadata.uid;
}
