// What other folders may use: snapshots of volumes.
export { groupSnapshotDefinitions } from './group-snapshot-definitions.ts';
export { groupSnapshotController } from './group-snapshot-controller.ts';
export { volumeGroupSnapshotter } from './group-snapshotter.ts';
export { snapshotController } from './snapshot-controller.ts';
export {
  hasGroupSnapshotKinds,
  hasSnapshotKinds,
  installGroupSnapshotKinds,
  installSnapshotKinds,
  snapshotDefinitions,
} from './snapshot-definitions.ts';
export type { SnapshotSettings } from './snapshot-settings.ts';
export { volumeSnapshotter } from './volume-snapshotter.ts';
