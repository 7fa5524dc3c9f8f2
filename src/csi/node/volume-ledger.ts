import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '../../base/index.ts';
import { uniqueVolumeName } from '../../api/meaning/index.ts';
import { loadVolumeData, namesIn } from './volume-data.ts';
import { CSI, VOLUME_DATA, type VolumePaths } from './volume-paths.ts';

/** A volume that a driver has staged on the machine, or was asked to. */
export interface StagedVolume {
  readonly driver: string;
  readonly handle: string;
  /** The folder with the note. */
  readonly folder: string;
  readonly stagingPath: string;
  /** The name of a block volume; undefined for a file system. */
  readonly device: string | undefined;
  /** This run of the agent has staged it. An earlier run may have been stopped in the middle. */
  isDone: boolean;
}

/** A volume that a pod has, or is about to have. */
export interface VolumeUseRecord {
  readonly driver: string;
  readonly handle: string;
  readonly podUid: string;
  /** The name of its folder: that of the PersistentVolume, else the volume's name in the pod. */
  readonly spec: string;
  readonly isBlock: boolean;
  readonly isEphemeral: boolean;
  /** Where containers find it; undefined until this run of the agent has published it. */
  path: string | undefined;
  /** The driver asks for calls at intervals. */
  isRepublished: boolean;
  /** The pod has no use for it any more; the volume may still be staged. */
  isLeft: boolean;
}

/** Of a volume that an earlier run of the agent has published. */
const FOUND = { path: undefined, isRepublished: false, isLeft: false };

/**
 * Which volumes are staged on the machine and which pods use them. Read from the notes on disk when the agent starts; a note is written
 * before a driver is called, and removed after the call that undoes it.
 */
export class VolumeLedger {
  readonly #staged = new Map<string, StagedVolume>();
  readonly #uses = new Map<string, VolumeUseRecord>();

  /** What earlier runs of the agent have left. */
  async read(paths: VolumePaths, log: Logger): Promise<void> {
    const failed = (error: unknown): undefined => {
      log.warn('note on a CSI volume cannot be read', { error });
      return undefined;
    };
    for (const driver of await namesIn(paths.plugin))
      for (const name of await namesIn(join(paths.plugin, driver))) {
        const folder = join(paths.plugin, driver, name);
        const data = await loadVolumeData(folder).catch(failed);
        if (data === undefined) {
          await removeRemains(folder);
          continue;
        }
        const { driverName, volumeHandle: handle } = data;
        const stagingPath = join(folder, 'globalmount');
        this.stage({ driver: driverName, handle, folder, stagingPath, device: undefined, isDone: false });
      }
    for (const spec of await namesIn(paths.devices)) {
      const folder = join(paths.devices, spec, 'data');
      const data = await loadVolumeData(folder).catch(failed);
      if (data === undefined) continue;
      const { driverName, volumeHandle: handle, specVolID = spec } = data;
      const stagingPath = paths.stagedDevice(specVolID);
      this.stage({ driver: driverName, handle, folder, stagingPath, device: specVolID, isDone: false });
    }
    for (const podUid of await namesIn(paths.pods)) {
      for (const name of await namesIn(dirname(paths.published(podUid, '-')))) {
        const data = await loadVolumeData(paths.published(podUid, name)).catch(failed);
        if (data === undefined) {
          await removeRemains(paths.published(podUid, name));
          continue;
        }
        const { driverName: driver, volumeHandle: handle, volumeLifecycleMode, specVolID: spec = name } = data;
        const isEphemeral = volumeLifecycleMode === 'Ephemeral';
        this.use({ driver, handle, podUid, spec, isBlock: false, isEphemeral, ...FOUND });
      }
      for (const spec of await namesIn(paths.deviceLinks(podUid))) {
        const data = await loadVolumeData(join(paths.device(spec), 'data')).catch(failed);
        if (data === undefined) continue;
        const { driverName: driver, volumeHandle: handle } = data;
        this.use({ driver, handle, podUid, spec, isBlock: true, isEphemeral: false, ...FOUND });
      }
    }
  }

  stage(volume: StagedVolume): StagedVolume {
    this.#staged.set(keyOf(volume), volume);
    return volume;
  }

  unstaged(volume: { readonly driver: string; readonly handle: string }): void {
    this.#staged.delete(keyOf(volume));
  }

  staged(volume: { readonly driver: string; readonly handle: string }): StagedVolume | undefined {
    return this.#staged.get(keyOf(volume));
  }

  use(record: VolumeUseRecord): VolumeUseRecord {
    this.#uses.set(`${record.podUid}/${record.spec}`, record);
    return record;
  }

  used(podUid: string, spec: string): VolumeUseRecord | undefined {
    return this.#uses.get(`${podUid}/${spec}`);
  }

  released({ podUid, spec }: Pick<VolumeUseRecord, 'podUid' | 'spec'>): void {
    this.#uses.delete(`${podUid}/${spec}`);
  }

  uses(): readonly VolumeUseRecord[] {
    return [...this.#uses.values()];
  }

  isUsed(volume: { readonly driver: string; readonly handle: string }): boolean {
    return this.#inUse().has(keyOf(volume));
  }

  /** Staged volumes that no pod has. */
  unused(): readonly StagedVolume[] {
    const inUse = this.#inUse();
    return [...this.#staged.values()].filter((volume) => !inUse.has(keyOf(volume)));
  }

  #inUse(): ReadonlySet<string> {
    return new Set(this.uses().flatMap((use) => (use.isEphemeral || use.isLeft ? [] : [keyOf(use)])));
  }

  /** All volumes that the machine holds, by their names in the status of nodes, each with its driver. */
  held(): ReadonlyMap<string, string> {
    const persistent = this.uses().filter(({ isEphemeral }) => !isEphemeral);
    return new Map(
      [...this.#staged.values(), ...persistent].map(({ driver, handle }) => [
        uniqueVolumeName({ driver, volumeHandle: handle }),
        driver,
      ]),
    );
  }
}

/** Removes a folder that a crash has left before its note was written, or after it was removed. One with anything else in it stays. */
async function removeRemains(folder: string): Promise<void> {
  await rm(join(folder, `${VOLUME_DATA}.new`), { force: true });
  await rmdir(folder).catch(() => undefined); // it is not empty
}

/** A volume of a driver, as locks and maps know it. */
export function keyOf({ driver, handle }: { readonly driver: string; readonly handle: string }): string {
  return `${CSI}/${driver}^${handle}`;
}
