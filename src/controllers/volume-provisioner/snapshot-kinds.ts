// VolumeSnapshots, their contents and classes: kinds that storage defines, and that clusters may lack.
import { clusterKind, type KubernetesObject, namespacedKind } from '../../client/index.ts';

export const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io';
const apiVersion = `${SNAPSHOT_GROUP}/v1`;

export interface SnapshotError {
  time?: string;
  message?: string;
}

export interface VolumeSnapshot extends KubernetesObject {
  spec: {
    source: { persistentVolumeClaimName?: string; volumeSnapshotContentName?: string };
    volumeSnapshotClassName?: string;
  };
  status?: {
    boundVolumeSnapshotContentName?: string;
    creationTime?: string;
    readyToUse?: boolean;
    restoreSize?: string;
    error?: SnapshotError;
    volumeGroupSnapshotName?: string;
  };
}

export interface VolumeSnapshotContent extends KubernetesObject {
  spec: {
    volumeSnapshotRef: {
      kind?: string;
      apiVersion?: string;
      namespace?: string;
      name?: string;
      uid?: string;
      resourceVersion?: string;
    };
    deletionPolicy: 'Delete' | 'Retain';
    driver: string;
    volumeSnapshotClassName?: string;
    source: { volumeHandle?: string; snapshotHandle?: string };
    sourceVolumeMode?: string;
  };
  status?: {
    snapshotHandle?: string;
    /** In nanoseconds; a bigint beyond 2^53. */
    creationTime?: number | bigint;
    restoreSize?: number;
    readyToUse?: boolean;
    error?: SnapshotError;
    volumeGroupSnapshotHandle?: string;
  };
}

export interface VolumeSnapshotClass extends KubernetesObject {
  driver: string;
  parameters?: Record<string, string>;
  deletionPolicy: 'Delete' | 'Retain';
}

export const VolumeSnapshot = namespacedKind<VolumeSnapshot>({
  apiVersion,
  kind: 'VolumeSnapshot',
  plural: 'volumesnapshots',
});
export const VolumeSnapshotContent = clusterKind<VolumeSnapshotContent>({
  apiVersion,
  kind: 'VolumeSnapshotContent',
  plural: 'volumesnapshotcontents',
});
export const VolumeSnapshotClass = clusterKind<VolumeSnapshotClass>({
  apiVersion,
  kind: 'VolumeSnapshotClass',
  plural: 'volumesnapshotclasses',
});
