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

/** The content of a volume that is made from the API: ConfigMaps, Secrets, fields of the pod, tokens. */
export interface VolumePayload {
  readonly files: readonly VolumeFile[];
  /** What the volume refers to, does not call optional, and the API does not have: `configmap "web" not found`. */
  readonly missing: readonly string[];
}

export interface MountRequest extends VolumeSource {
  readonly pod: Observed<Pod>;
  /** Computes the content of a volume that is made from the API; undefined for other volumes. Reads objects and requests tokens. */
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
  /** How often volumes with a payload are mounted again, so that changes reach running pods; undefined where the plugin reads payloads when they are needed. */
  readonly refreshEveryMs: number | undefined;
  supports(source: VolumeSource): boolean;
  /** Makes the volume available, or brings the content of one that is up to date; answers with its path on the machine. */
  mount(request: MountRequest): Promise<string>;
  /** Takes a volume away whose containers have stopped. Nothing happens when it is not mounted. */
  unmount(mounted: Omit<MountedVolume, 'path'>): Promise<void>;
  /** Everything that is mounted, also by an earlier run of the agent. */
  mounted(): Promise<readonly MountedVolume[]>;
  /** Makes the file system of a mounted volume as large as its PersistentVolume has become. */
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
