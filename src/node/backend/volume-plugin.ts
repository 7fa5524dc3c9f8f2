import type { DeepReadonly, Duration } from '../../base/index.ts';
import type { Observed, PersistentVolume, Pod, Secret } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

export type Volume = DeepReadonly<core.Volume>;

/** A volume of a pod, and the PersistentVolume that its claim is bound to, if it has a claim. */
export interface VolumeSource {
  readonly volume: Volume;
  readonly persistentVolume: Observed<PersistentVolume> | undefined;
}

/** A file, by its path within the volume. */
export interface VolumeFile {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Uint8Array;
  /** The user that owns the file; default the agent's. */
  readonly owner?: number;
}

/** The content of a volume that is built from the API: ConfigMaps, Secrets, fields of the pod, tokens. */
export interface VolumePayload {
  readonly files: readonly VolumeFile[];
  /** Required objects that do not exist: `configmap "web" not found`. */
  readonly missing: readonly string[];
  /** Everything that it was built from is immutable, so that it need not be read again. */
  readonly isFixed: boolean;
}

export interface MountRequest extends VolumeSource {
  readonly pod: Observed<Pod>;
  /** Reads objects and requests tokens to build the content of the volume; undefined for volumes that are not built from the API. */
  readonly payload: (() => Promise<VolumePayload>) | undefined;
  /** The device of a volume that is attached to the node, as `status.volumesAttached` names it; empty where it has none. */
  readonly devicePath?: string;
  /** Reads a Secret that the volume refers to. */
  readonly readSecret?: (namespace: string, name: string) => Promise<Observed<Secret>>;
  readonly signal: AbortSignal;
}

/** A volume that is mounted for a pod. */
export interface MountedVolume {
  readonly podUid: string;
  /** As `folderName` has it. */
  readonly volume: string;
  /** On the machine. */
  readonly path: string;
}

/** A part of a mounted volume that a container mounts instead of the whole. */
export interface SubPathRequest extends MountedVolume {
  /** The volume's name in the pod. */
  readonly mountName: string;
  readonly container: string;
  /** The place of the mount among those of the container. */
  readonly index: number;
  /** Relative, without `..`. */
  readonly subPath: string;
}

/** What a volume has and uses; members that the file system does not tell are left out. */
export interface VolumeStats {
  readonly capacityBytes?: number;
  readonly availableBytes?: number;
  readonly usedBytes?: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
  readonly inodesUsed?: number;
}

/** Makes some kinds of volumes available on a machine. */
export interface VolumePlugin {
  /** Such as `kubernetes.io/configmap`. */
  readonly name: string;
  /** Interval at which volumes with a payload are mounted again, so that changes reach running pods; undefined where the plugin reads payloads on demand. */
  readonly refreshEvery: Duration | undefined;
  supports(source: VolumeSource): boolean;
  /** Mounts the volume, or updates the content of one that is mounted. Returns its path on the machine. */
  mount(request: MountRequest): Promise<string>;
  /** Unmounts a volume whose containers have stopped. Does nothing when it is not mounted. */
  unmount(mounted: Omit<MountedVolume, 'path'>): Promise<void>;
  /** All mounted volumes, including those mounted by an earlier run of the agent. */
  mounted(): Promise<readonly MountedVolume[]>;
  /**
   * Grows the file system of a mounted volume to the size of its PersistentVolume; `oldSize` is the capacity of its claim. When this
   * throws, the agent tries again later.
   */
  grow(source: VolumeSource, podUid: string, oldSize?: string): Promise<void>;
  /**
   * The name under which the volume is in `status.volumesAttached` of its node before it is mounted; undefined for one that is not
   * attached. Plugins without this have no such volumes.
   */
  attachedName?(source: VolumeSource): Promise<string | undefined>;
  /** Whether a mounted volume is mounted again at intervals of `refreshEvery` although it has no payload; default false. */
  isRefreshed?(source: VolumeSource, podUid: string): boolean;
  /** Releases what the machine holds for volumes that no pod has mounted. The agent calls this after it has unmounted volumes. */
  releaseUnused?(): Promise<void>;
  /** The names of attachable volumes that the machine holds, for `status.volumesInUse`: they must not be detached. */
  held?(): readonly string[];
  /** Makes a part of a volume ready for a container, and returns its path on the machine; default the path inside the volume. */
  subPath?(request: SubPathRequest): Promise<string>;
  /** Measures a mounted volume. Plugins without this, and volumes for which it is undefined, have no statistics. */
  stats?(mounted: MountedVolume, signal: AbortSignal): Promise<VolumeStats | undefined>;
}

/** A step of a mount has failed; events show its name. */
export class VolumeStepError extends Error {
  override readonly name = 'VolumeStepError';
  /** Such as `MountVolume.MountDevice`. */
  readonly step: string;

  constructor(step: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.step = step;
  }
}

/** A volume could not be grown. */
export class VolumeGrowError extends Error {
  override readonly name = 'VolumeGrowError';
  /** Whether growing may still be in progress, has failed, can never succeed, or not while the volume is mounted. */
  readonly outcome: 'unknown' | 'final' | 'infeasible' | 'in use';

  constructor(outcome: VolumeGrowError['outcome'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.outcome = outcome;
  }
}

/** The name of a volume's folder: that of the PersistentVolume, else the volume's name in the pod. */
export function folderName({ volume, persistentVolume }: VolumeSource): string {
  return persistentVolume?.metadata.name ?? volume.name;
}

/** The folder of a pod's volume, as the kubelet names it. */
export function volumeFolder(root: string, podUid: string, { plugin, name }: { plugin: string; name: string }): string {
  return `${podFolder(root, podUid)}/volumes/${plugin.replace('/', '~')}/${name}`;
}

/** The folder of the agent's files of a pod. */
export function podFolder(root: string, podUid: string): string {
  return `${root}/pods/${podUid}`;
}
