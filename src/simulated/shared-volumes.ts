import { DiskTree, FileTree } from './shell/index.ts';

/** A directory of a volume that containers share. */
export interface SharedVolume {
  readonly volume: FileTree;
  readonly within: string;
}

/** Kinds of volumes whose content comes from the API. */
const FROM_API = /^kubernetes\.io~(?:configmap|secret|projected|downward-api|image)$/;

/** The volumes of a pod, such as `emptyDir`, and directories of the machine. They are made when a container first looks at them. */
export class SharedVolumes {
  readonly #maxVolumes: number;
  readonly #volumes = new Map<string, FileTree>();

  /** When there are more volumes, the oldest one is dropped. */
  constructor(maxVolumes = Infinity) {
    this.#maxVolumes = maxVolumes;
  }

  /** By its path below the folder of the pod's volumes: `kubernetes.io~empty-dir/cache/sub`. */
  ofPod(path: string, nowMs: number): SharedVolume | undefined {
    const [plugin = '', name = '', ...within] = path.split('/');
    if (FROM_API.test(plugin) || name === '') return undefined;
    return { volume: this.#named(`${plugin}/${name}`, nowMs), within: `/${within.join('/')}` };
  }

  /** By its path on the machine. */
  ofMachine(path: string, nowMs: number): SharedVolume {
    return { volume: this.#named(path, nowMs), within: '/' };
  }

  /** By the path of its files on the disk of the machine that this process runs on. */
  onDisk(path: string): SharedVolume {
    return { volume: new DiskTree(path), within: '/' };
  }

  #named(key: string, nowMs: number): FileTree {
    const known = this.#volumes.get(key);
    if (known !== undefined) return known;
    const volume = new FileTree([], nowMs);
    this.#volumes.set(key, volume);
    if (this.#volumes.size > this.#maxVolumes) this.#volumes.delete(this.#volumes.keys().next().value as string);
    return volume;
  }
}
