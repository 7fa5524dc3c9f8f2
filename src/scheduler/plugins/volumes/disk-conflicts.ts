import type { DeepReadonly } from '../../../base/index.ts';
import type { Volume } from '../../../api/types/core/v1.d.ts';
import type { Observed, Pod } from '../../../client/index.ts';

type PodVolume = DeepReadonly<Volume>;

/** Whether the volume is a disk that pods of one node may be unable to share. */
export function isExclusiveDisk({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: PodVolume): boolean {
  return [gcePersistentDisk, awsElasticBlockStore, iscsi, rbd].some((disk) => disk !== undefined);
}

/** Whether the pod needs a disk that another pod of the same node uses; most may be shared read-only. */
export function hasDiskConflict(pod: Observed<Pod>, other: Observed<Pod>): boolean {
  const theirs = other.spec?.volumes ?? [];
  if (theirs.length === 0) return false;
  return (pod.spec?.volumes ?? []).some(
    (volume) => isExclusiveDisk(volume) && theirs.some((there) => isSameDisk(volume, there)),
  );
}

function isSameDisk(one: PodVolume, other: PodVolume): boolean {
  return (
    isSameGoogleDisk(one.gcePersistentDisk, other.gcePersistentDisk) ||
    isSameAmazonDisk(one.awsElasticBlockStore, other.awsElasticBlockStore) ||
    isSameIscsi(one.iscsi, other.iscsi) ||
    isSameRbd(one.rbd, other.rbd)
  );
}

function isSameGoogleDisk(one: PodVolume['gcePersistentDisk'], other: PodVolume['gcePersistentDisk']): boolean {
  return isWritten(one, other) && one?.pdName === other?.pdName;
}

function isSameAmazonDisk(one: PodVolume['awsElasticBlockStore'], other: PodVolume['awsElasticBlockStore']): boolean {
  return one !== undefined && other !== undefined && one.volumeID === other.volumeID;
}

function isSameIscsi(one: PodVolume['iscsi'], other: PodVolume['iscsi']): boolean {
  return isWritten(one, other) && one?.iqn === other?.iqn;
}

function isSameRbd(one: PodVolume['rbd'], other: PodVolume['rbd']): boolean {
  if (!isWritten(one, other) || one?.pool !== other?.pool || one?.image !== other?.image) return false;
  const monitors = new Set(one?.monitors);
  return (other?.monitors ?? []).some((monitor) => monitors.has(monitor));
}

interface MayBeReadOnly {
  readonly readOnly?: boolean | undefined;
}

/** Whether both volumes exist and one of them is writable. */
function isWritten(one: MayBeReadOnly | undefined, other: MayBeReadOnly | undefined): boolean {
  return one !== undefined && other !== undefined && !(one.readOnly === true && other.readOnly === true);
}
