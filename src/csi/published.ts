// The public entry point `keelson/csi`: storage drivers, written in TypeScript.
export { bindMount, type BindMountOptions, unbindMount } from './kit/bind-mount.ts';
export { type CsiDriver, csiDriver, type CsiDriverOptions } from './kit/csi-driver.ts';
export type {
  AccessMode,
  AttachDetails,
  CallDetails,
  CreatedSnapshot,
  CreatedVolume,
  CsiController,
  CsiDriverDefinition,
  CsiNode,
  FreeCapacity,
  HealthProblem,
  NewVolume,
  NodeVolume,
  PublishDetails,
  Snapshot,
  SnapshotOf,
  StorageProblem,
  Volume,
  VolumeCapability,
  VolumeUsage,
} from './kit/driver-definition.ts';
export { folderRecords } from './records/folder-records.ts';
export {
  type Attachment,
  type CsiRecords,
  memoryRecords,
  type RecordTable,
  type SnapshotGroupRecord,
  type SnapshotRecord,
  type VolumeRecord,
  type VolumeSource,
} from './records/records.ts';
export { CsiError } from './kit/csi-error.ts';
export { csiDriversIn, type NodeDriversOptions } from './node/open-csi-node.ts';
