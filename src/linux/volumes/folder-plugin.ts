import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Duration, Logger, Random } from '../../base/index.ts';
import {
  folderName,
  type MountedVolume,
  type MountRequest,
  podFolder,
  type SubPathRequest,
  volumeFolder,
  type VolumePlugin,
  type VolumeSource,
  type VolumeStats,
} from '../../node/index.ts';
import type { Mounts } from '../../system/index.ts';
import { folderStats } from './disk-usage.ts';
import type { SubPaths } from './sub-paths.ts';

export interface FolderPluginParts {
  /** The agent's folder. */
  readonly root: string;
  readonly mounts: Mounts;
  readonly subPaths: SubPaths;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The memory that pods of the node may use, in bytes. */
  allocatableMemory(): number;
}

/** A plugin whose volumes are folders below `pods/<uid>/volumes`, where an earlier run of the agent left them. */
export abstract class FolderPlugin implements VolumePlugin {
  abstract readonly name: string;
  readonly refreshEvery: Duration | undefined = undefined;
  protected readonly parts: FolderPluginParts;

  constructor(parts: FolderPluginParts) {
    this.parts = parts;
  }

  abstract supports(source: VolumeSource): boolean;
  /** Makes the volume in this folder, which may not exist; called again to update it. */
  protected abstract fill(folder: string, request: MountRequest): Promise<void>;

  async mount(request: MountRequest): Promise<string> {
    const folder = this.#folder(request.pod.metadata.uid, folderName(request));
    await mkdir(join(folder, '..'), { recursive: true, mode: 0o750 });
    await this.fill(folder, request);
    return folder;
  }

  async unmount({ podUid, volume }: Omit<MountedVolume, 'path'>): Promise<void> {
    await this.parts.subPaths.remove(podUid, volume);
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

  subPath(request: SubPathRequest): Promise<string> {
    return this.parts.subPaths.bind(request);
  }

  stats({ path }: MountedVolume, signal: AbortSignal): Promise<VolumeStats | undefined> {
    return folderStats(path, signal);
  }

  /** A folder for the plugin's own notes on a volume. */
  protected notes(podUid: string, plugin: string, name: string): string {
    return join(podFolder(this.parts.root, podUid), 'plugins', plugin.replace('/', '~'), name);
  }

  #folder(podUid: string, name: string): string {
    return volumeFolder(this.parts.root, podUid, { plugin: this.name, name });
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
