import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, PersistentVolume, Pod } from '../../client/index.ts';
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
}

/** The content of a volume that is built from the API: ConfigMaps, Secrets, fields of the pod, tokens. */
export interface VolumePayload {
  readonly files: readonly VolumeFile[];
  /** Required objects that do not exist: `configmap "web" not found`. */
  readonly missing: readonly string[];
}

export interface MountRequest extends VolumeSource {
  readonly pod: Observed<Pod>;
  /** Reads objects and requests tokens to build the content of the volume; undefined for volumes that are not built from the API. */
  readonly payload: (() => Promise<VolumePayload>) | undefined;
  readonly signal: AbortSignal;
}

/** A volume that is mounted for a pod. */
export interface MountedVolume {
  readonly podUid: string;
  /** The volume's name in the pod. */
  readonly volume: string;
  /** On the machine. */
  readonly path: string;
}

/** Makes some kinds of volumes available on a machine. */
export interface VolumePlugin {
  /** Such as `kubernetes.io/configmap`. */
  readonly name: string;
  /** Interval at which volumes with a payload are mounted again, so that changes reach running pods; undefined where the plugin reads payloads on demand. */
  readonly refreshEveryMs: number | undefined;
  supports(source: VolumeSource): boolean;
  /** Mounts the volume, or updates the content of one that is mounted. Returns its path on the machine. */
  mount(request: MountRequest): Promise<string>;
  /** Unmounts a volume whose containers have stopped. Does nothing when it is not mounted. */
  unmount(mounted: Omit<MountedVolume, 'path'>): Promise<void>;
  /** All mounted volumes, including those mounted by an earlier run of the agent. */
  mounted(): Promise<readonly MountedVolume[]>;
  /** Grows the file system of a mounted volume to the size of its PersistentVolume. When this throws, the agent tries again later. */
  grow(source: VolumeSource, podUid: string): Promise<void>;
}

/** The folder of a pod's volume, as the kubelet names it. */
export function volumeFolder(root: string, podUid: string, { plugin, name }: { plugin: string; name: string }): string {
  return `${podFolder(root, podUid)}/volumes/${plugin.replace('/', '~')}/${name}`;
}

/** The folder of the agent's files of a pod. */
export function podFolder(root: string, podUid: string): string {
  return `${root}/pods/${podUid}`;
}
