// VolumeSnapshots and groups of them, their contents and classes: kinds that storage defines, and that clusters may lack.
import type { LabelSelector } from '../../api/types/meta/v1.d.ts';
import { clusterKind, type KubernetesObject, namespacedKind } from '../../client/index.ts';

export const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io';
const apiVersion = `${SNAPSHOT_GROUP}/v1`;
/** The group of snapshots that are taken of several volumes at the same moment. */
export const GROUP_SNAPSHOT_GROUP = 'groupsnapshot.storage.k8s.io';
const groupApiVersion = `${GROUP_SNAPSHOT_GROUP}/v1`;

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

/** How a content names the snapshot that it belongs to. */
export interface SnapshotReferenceFields {
  kind?: string;
  apiVersion?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
}

export interface VolumeSnapshotContent extends KubernetesObject {
  spec: {
    volumeSnapshotRef: SnapshotReferenceFields;
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

export interface VolumeGroupSnapshot extends KubernetesObject {
  spec: {
    source: { selector?: LabelSelector; volumeGroupSnapshotContentName?: string };
    volumeGroupSnapshotClassName?: string;
  };
  status?: {
    boundVolumeGroupSnapshotContentName?: string;
    creationTime?: string;
    readyToUse?: boolean;
    error?: SnapshotError;
  };
}

/** What the driver said of one snapshot of a group. */
export interface VolumeSnapshotInfo {
  volumeHandle?: string;
  snapshotHandle?: string;
  /** In nanoseconds; a bigint beyond 2^53. */
  creationTime?: number | bigint;
  readyToUse?: boolean;
  restoreSize?: number;
}

export interface VolumeGroupSnapshotContent extends KubernetesObject {
  spec: {
    volumeGroupSnapshotRef: SnapshotReferenceFields;
    deletionPolicy: 'Delete' | 'Retain';
    driver: string;
    volumeGroupSnapshotClassName?: string;
    source: {
      volumeHandles?: string[];
      groupSnapshotHandles?: { volumeGroupSnapshotHandle: string; volumeSnapshotHandles: string[] };
    };
  };
  status?: {
    volumeGroupSnapshotHandle?: string;
    creationTime?: string;
    readyToUse?: boolean;
    error?: SnapshotError;
    volumeSnapshotInfoList?: VolumeSnapshotInfo[];
  };
}

export interface VolumeGroupSnapshotClass extends KubernetesObject {
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
export const VolumeGroupSnapshot = namespacedKind<VolumeGroupSnapshot>({
  apiVersion: groupApiVersion,
  kind: 'VolumeGroupSnapshot',
  plural: 'volumegroupsnapshots',
});
export const VolumeGroupSnapshotContent = clusterKind<VolumeGroupSnapshotContent>({
  apiVersion: groupApiVersion,
  kind: 'VolumeGroupSnapshotContent',
  plural: 'volumegroupsnapshotcontents',
});
export const VolumeGroupSnapshotClass = clusterKind<VolumeGroupSnapshotClass>({
  apiVersion: groupApiVersion,
  kind: 'VolumeGroupSnapshotClass',
  plural: 'volumegroupsnapshotclasses',
});
