import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Random } from '../../base/index.ts';
import {
  type MountedVolume,
  type MountRequest,
  volumeFolder,
  type VolumePlugin,
  type VolumeSource,
} from '../../node/index.ts';
import type { Mounts } from '../mounts.ts';

export interface FolderPluginParts {
  /** The agent's folder. */
  readonly root: string;
  readonly mounts: Mounts;
  readonly clock: Clock;
  readonly random: Random;
}

/** A plugin whose volumes are folders below `pods/<uid>/volumes`, where an earlier run of the agent left them. */
export abstract class FolderPlugin implements VolumePlugin {
  abstract readonly name: string;
  readonly refreshEveryMs: number | undefined = undefined;
  protected readonly parts: FolderPluginParts;

  constructor(parts: FolderPluginParts) {
    this.parts = parts;
  }

  abstract supports(source: VolumeSource): boolean;
  /** Makes the content of the volume; called again to update it. */
  protected abstract fill(folder: string, request: MountRequest): Promise<void>;

  async mount(request: MountRequest): Promise<string> {
    const folder = this.#folder(request.pod.metadata.uid, request.volume.name);
    await mkdir(folder, { recursive: true, mode: 0o750 });
    await this.fill(folder, request);
    return folder;
  }

  async unmount({ podUid, volume }: Omit<MountedVolume, 'path'>): Promise<void> {
    await this.parts.mounts.removeFolder(this.#folder(podUid, volume));
  }

  async mounted(): Promise<readonly MountedVolume[]> {
    const { root } = this.parts;
    const found: MountedVolume[] = [];
    for (const podUid of await namesIn(join(root, 'pods')))
      for (const volume of await namesIn(this.#folder(podUid, '')))
        found.push({ podUid, volume, path: this.#folder(podUid, volume) });
    return found;
  }

  async grow(): Promise<void> {
    // these volumes have no file system of their own
  }

  #folder(podUid: string, name: string): string {
    return volumeFolder(this.parts.root, podUid, { plugin: this.name, name });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
