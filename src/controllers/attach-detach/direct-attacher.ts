import type { Clock, DeepReadonly, Logger } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

/** A volume of a pod, or the PersistentVolume that a claim of the pod is bound to. */
export interface AttachableSource {
  readonly volume: DeepReadonly<core.Volume> | undefined;
  readonly persistentVolume: DeepReadonly<core.PersistentVolume> | undefined;
}

/** Attaches volumes itself, without VolumeAttachments: drivers that are programs on the controller manager's machine. */
export interface DirectAttacher {
  /** The name of a volume in the status of nodes; undefined for volumes of others. It begins with the name of the driver. */
  nameOf(source: AttachableSource): string | undefined;
  /** Whether the driver is there and attaches volumes. */
  canAttach(source: AttachableSource): Promise<boolean>;
  /** Returns the device on the node; empty where there is none. May be called again. */
  attach(source: AttachableSource, nodeName: string): Promise<string>;
  /** By the name of the volume in the status of nodes. May be called again. */
  detach(name: string, nodeName: string): Promise<void>;
  /** Whether the volume is still attached; undefined when the driver cannot say. */
  isAttached(source: AttachableSource, nodeName: string): Promise<boolean | undefined>;
}

export type OpenDirectAttacher = (tools: { readonly clock: Clock; readonly log: Logger }) => DirectAttacher;
