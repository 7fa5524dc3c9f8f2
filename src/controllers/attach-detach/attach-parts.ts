import type { Clock } from '../../base/index.ts';
import { claimVolumesOf, type DriverHandle } from '../../api/meaning/index.ts';
import {
  type CSIDriver,
  index,
  type ItemBackoff,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from '../../client/index.ts';
import type { EventRecorder, Objects } from '../../kit/index.ts';
import type { AttachMetrics } from './attach-metrics.ts';

/** What the steps of attaching and detaching have at hand. */
export interface AttachParts {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly metrics: AttachMetrics;
  readonly pods: Objects<Pod>;
  readonly nodes: Objects<Node>;
  readonly claims: Objects<PersistentVolumeClaim>;
  readonly volumes: Objects<PersistentVolume>;
  readonly drivers: Objects<CSIDriver>;
  readonly attachments: Objects<VolumeAttachment>;
  /** What is remembered of volumes on nodes. */
  readonly memory: AttachMemory;
  /** When an attachment that failed is looked at again. */
  readonly backoff: ItemBackoff;
  readonly neverForces: boolean;
  /** Has the node's list of attached volumes brought up to date. */
  wakeNode(name: string): void;
}

export const podsByClaim = index(Pod, (pod) =>
  claimVolumesOf(pod).map(({ claim }) => `${pod.metadata.namespace}/${claim}`),
);
export const attachmentsByVolume = index(VolumeAttachment, ({ spec }) => spec.source.persistentVolumeName);
export const attachmentsByNode = index(VolumeAttachment, ({ spec }) => spec.nodeName);

/** A try to attach a volume. */
export interface AttachAttempt {
  readonly sinceMs: number;
  /** The uids of the pods that it is for: those that come later are not told how it ends. */
  readonly pods: ReadonlySet<string>;
}

/** What cannot be read from objects; after a start it is found out anew. Keys are those of `placeKey`. */
export class AttachMemory {
  /** Since when volumes are to be detached. */
  readonly detachSinceMs = new Map<string, number>();
  /** What somebody was asked to attach. */
  readonly attempts = new Map<string, AttachAttempt>();
  /** Volumes that are about to be detached: their nodes must not count on them any more. */
  readonly leaving = new Set<string>();
  /** Pods were told that the volume is attached, or why it cannot be. */
  readonly told = new Set<string>();
  /** What drivers know volumes by that have attachments, for when the volumes are gone. */
  readonly handles = new Map<string, DriverHandle>();
  /** What nodes had in use when they were deleted. */
  readonly inUseOfGone = new Map<string, ReadonlySet<string>>();

  forget(key: string): void {
    for (const part of [this.detachSinceMs, this.attempts, this.leaving, this.told]) part.delete(key);
  }
}

/** A volume on a node. */
export function placeKey(volume: string, node: string): string {
  return `${volume} ${node}`;
}
