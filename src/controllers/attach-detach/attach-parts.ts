import type { Clock } from '../../base/index.ts';
import { claimVolumesOf, type DriverHandle, inlineVolumeOf, uniqueVolumeName } from '../../api/meaning/index.ts';
import {
  type CSIDriver,
  index,
  type ItemBackoff,
  type Node,
  type Observed,
  type PersistentVolume,
  type PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from '../../client/index.ts';
import type { EventRecorder, Objects } from '../../kit/index.ts';
import type { AttachMetrics } from './attach-metrics.ts';

/** Volumes that are attached without VolumeAttachments. */
export interface DirectAttachments {
  /** What a node's status has to list, and the names of volumes that are left out of it to be detached. */
  ofNode(nodeName: string): {
    readonly attached: readonly { readonly name: string; readonly devicePath: string }[];
    readonly leaving: readonly string[];
  };
  /** Queues a check of these volumes. */
  wake(names: readonly string[]): void;
}

/** What the attach and detach steps share. */
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
  /** State that is not stored in objects. */
  readonly memory: AttachMemory;
  /** When a failed attachment is retried. */
  readonly backoff: ItemBackoff;
  readonly neverForces: boolean;
  /** Volumes that are attached without VolumeAttachments; undefined where there are none. */
  direct(): DirectAttachments | undefined;
  /** Queues an update of the node's list of attached volumes. */
  wakeNode(name: string): void;
}

export const podsByClaim = index(Pod, (pod) =>
  claimVolumesOf(pod).map(({ claim }) => `${pod.metadata.namespace}/${claim}`),
);
/** Pods that describe a volume of a former in-tree plugin themselves, by the key of the volume. */
export const podsByInlineVolume = index(Pod, inlineKeysOf);
export const attachmentsByVolume = index(VolumeAttachment, volumeKeyOf);
export const attachmentsByNode = index(VolumeAttachment, ({ spec }) => spec.nodeName);

/**
 * The key of the volume of an attachment: the name of its PersistentVolume, or the name in the status of nodes of a volume that a pod
 * describes itself.
 */
export function volumeKeyOf({ spec }: Observed<VolumeAttachment>): string | undefined {
  const { persistentVolumeName, inlineVolumeSpec } = spec.source;
  if (persistentVolumeName !== undefined) return persistentVolumeName;
  return inlineVolumeSpec?.csi === undefined ? undefined : uniqueVolumeName(inlineVolumeSpec.csi);
}

/** The keys of the volumes of former in-tree plugins that a pod describes itself. */
export function inlineKeysOf({ metadata, spec }: Observed<Pod>): readonly string[] {
  return (spec?.volumes ?? []).flatMap((volume) => {
    const inline = inlineVolumeOf(volume, metadata.namespace ?? '');
    return inline === undefined ? [] : [uniqueVolumeName(inline.spec.csi)];
  });
}

/** Whether a key is that of a volume that pods describe themselves. */
export function isInlineKey(key: string): boolean {
  return key.includes('/'); // names of PersistentVolumes have none
}

/** An attempt to attach a volume. */
export interface AttachAttempt {
  readonly sinceMs: number;
  /** The uids of the pods that the attempt is for: pods that arrive later get no event about its outcome. */
  readonly pods: ReadonlySet<string>;
}

/** State that cannot be read from objects; rebuilt after a restart. Keys are those of `placeKey`. */
export class AttachMemory {
  /** When each volume became ready to detach. */
  readonly detachSinceMs = new Map<string, number>();
  /** The attach operations in flight. */
  readonly attempts = new Map<string, AttachAttempt>();
  /** Volumes that are about to be detached and must not be listed in their node's status any more. */
  readonly leaving = new Set<string>();
  /** Attachments whose outcome was reported to their pods in an event. */
  readonly reported = new Set<string>();
  /** The driver handles of attached volumes, needed after the volume object is gone. */
  readonly handles = new Map<string, DriverHandle>();
  /** The volumes in use of deleted nodes. */
  readonly inUseOfDeletedNodes = new Map<string, ReadonlySet<string>>();

  forget(key: string): void {
    for (const part of [this.detachSinceMs, this.attempts, this.leaving, this.reported]) part.delete(key);
  }
}

/** The key of a volume on a node. */
export function placeKey(volume: string, node: string): string {
  return `${volume} ${node}`;
}
