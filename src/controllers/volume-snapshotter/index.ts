// What other folders may use: snapshots of volumes.
export { snapshotController } from './snapshot-controller.ts';
export { hasSnapshotKinds, installSnapshotKinds, snapshotDefinitions } from './snapshot-definitions.ts';
export { type SnapshotSettings, volumeSnapshotter } from './volume-snapshotter.ts';
