import { NotReadyError, RESERVED_PREFIX, type SidecarSettings } from '../volume-provisioner/index.ts';

type Texts = Readonly<Record<string, string>>;

/** How snapshots are named, and what drivers get to know of them. */
export interface SnapshotSettings extends SidecarSettings {
  /** Snapshots are named after this and the VolumeSnapshot's uid; default `snapshot`. */
  readonly snapshotNamePrefix?: string;
  /** How many characters of the uid, without dashes, are used; default all of it, with dashes. */
  readonly snapshotNameUuidLength?: number;
  /** Groups are named after this and the VolumeGroupSnapshot's uid; default `groupsnapshot`. */
  readonly groupSnapshotNamePrefix?: string;
  /** How many characters of the group's uid, without dashes, are used; default all of it, with dashes. */
  readonly groupSnapshotNameUuidLength?: number;
}

/** Parameters of classes of snapshots that are for Kubernetes. */
const KNOWN = new Set(
  ['snapshotter-secret', 'snapshotter-list-secret', 'group-snapshotter-secret', 'group-snapshotter-get-secret'].flatMap(
    (key) => [`${RESERVED_PREFIX}${key}-name`, `${RESERVED_PREFIX}${key}-namespace`],
  ),
);

/** The parameters of a class without those for Kubernetes. */
export function driverParameters(parameters: Texts): Texts {
  const unknown = Object.keys(parameters).find((name) => name.startsWith(RESERVED_PREFIX) && !KNOWN.has(name));
  if (unknown !== undefined)
    throw new NotReadyError(
      `failed to remove CSI Parameters of prefixed keys: found unknown parameter key "${unknown}" with reserved namespace ${RESERVED_PREFIX}`,
    );
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !name.startsWith(RESERVED_PREFIX)));
}
