import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import {
  type ContainerMeasurement,
  type SpaceUsage,
  type EvictionSignal,
  type ImageService,
  type MachineFolders,
  type NodeMeasurement,
  type NodeMeter,
  type Observation,
  POD_UID,
  type PodMeasurement,
  type RuntimeService,
  volumeFolder,
} from '../../node/index.ts';
import { memoryFacts, processFacts } from '../machine/machine-facts.ts';
import { diskUsage } from '../volumes/disk-usage.ts';
import { cgroupMemory, machineWorkingSet } from './memory-usage.ts';

export interface LinuxMeterParts {
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'containerStats'>;
  readonly images: ImageService;
  readonly folders: MachineFolders;
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  readonly clock: Clock;
}

type Volume = SpaceUsage & { readonly isInMemory: boolean };

/** Counting the files of a volume takes long: the result serves for this time. */
const KEEP_MS = 60_000;
const EMPTY_DIR = 'kubernetes.io/empty-dir';
/** Measuring is never given up: it is done in small steps. */
const NEVER = new AbortController().signal;
const NOTHING: SpaceUsage = { bytes: 0, inodes: 0 };

/** Measures this machine and the pods on it. */
export class LinuxMeter implements NodeMeter {
  readonly #parts: LinuxMeterParts;
  /** By the folder of the volume. */
  readonly #volumes = new Map<string, { readonly atMs: number; readonly usage: Volume }>();

  constructor(parts: LinuxMeterParts) {
    this.#parts = parts;
  }

  async measure(pods: readonly Observed<Pod>[]): Promise<NodeMeasurement> {
    const { hasImageFilesystem, disks } = await this.#disks();
    const observations = new Map<EvictionSignal, Observation>([
      ...(await this.#memory()),
      ['pid.available', await processes()],
      ...disks,
    ]);
    return { observations, hasImageFilesystem, pods: await this.#pods(pods) };
  }

  async #memory(): Promise<readonly (readonly [EvictionSignal, Observation])[]> {
    const { total } = await memoryFacts();
    const own = { available: total - (await machineWorkingSet(total)), capacity: total };
    const all = await cgroupMemory(this.#parts.cgroupDriver === 'systemd' ? 'kubepods.slice' : 'kubepods');
    if (all === undefined || all.limitBytes > total) return [['memory.available', own]];
    const ofPods = { available: Math.max(0, all.limitBytes - all.workingSetBytes), capacity: all.limitBytes };
    return [
      ['memory.available', own],
      ['allocatableMemory.available', ofPods],
    ];
  }

  async #disks(): Promise<{
    readonly hasImageFilesystem: boolean;
    readonly disks: readonly (readonly [EvictionSignal, Observation])[];
  }> {
    const { folders, images } = this.#parts;
    const { mountpoint } = await images.fsInfo();
    const imageFolder = await stat(mountpoint).then(
      () => mountpoint,
      () => folders.root, // a runtime that does not say where its images are
    );
    const [nodeStat, imageStat] = await Promise.all([stat(folders.root), stat(imageFolder)]);
    const [node, image] = await Promise.all([filesystem(folders.root), filesystem(imageFolder)]);
    const hasImageFilesystem = nodeStat.dev !== imageStat.dev;
    const container = hasImageFilesystem ? image : node;
    return {
      hasImageFilesystem,
      disks: [
        ['nodefs.available', node.space],
        ['nodefs.inodesFree', node.inodes],
        ['imagefs.available', image.space],
        ['imagefs.inodesFree', image.inodes],
        ['containerfs.available', container.space],
        ['containerfs.inodesFree', container.inodes],
      ],
    };
  }

  async #pods(pods: readonly Observed<Pod>[]): Promise<ReadonlyMap<string, PodMeasurement>> {
    if (pods.length === 0) return new Map();
    const { runtime } = this.#parts;
    const [containers, stats] = await Promise.all([
      runtime.listContainers({ state: 'CONTAINER_RUNNING' }),
      runtime.containerStats({ state: 'CONTAINER_RUNNING' }),
    ]);
    const podOf = new Map(containers.map(({ id, labels }) => [id, labels[POD_UID] ?? '']));
    const measured = new Map<string, PodMeasurement>();
    for (const pod of pods) {
      const { uid } = pod.metadata;
      const own = stats.filter(({ id }) => podOf.get(id) === uid);
      if (own.length === 0) continue; // not started yet
      const logs = await this.#logs(pod);
      const parts = own.map(({ metadata, workingSetBytes, writableLayerBytes }): [string, ContainerMeasurement] => [
        metadata.name,
        {
          memoryBytes: workingSetBytes,
          rootfs: { bytes: writableLayerBytes, inodes: 0 },
          logs: logs.get(metadata.name) ?? NOTHING,
        },
      ]);
      const memoryBytes = own.reduce((sum, { workingSetBytes }) => sum + workingSetBytes, 0);
      measured.set(uid, {
        memoryBytes,
        processes: 0,
        containers: new Map(parts),
        volumes: await this.#volumesOf(pod),
      });
    }
    this.#forget(pods);
    return measured;
  }

  /** What the logs of a pod's containers take, by container. */
  async #logs({ metadata }: Observed<Pod>): Promise<ReadonlyMap<string, SpaceUsage>> {
    const { podLogs } = this.#parts.folders;
    const folder = join(podLogs, `${metadata.namespace ?? ''}_${metadata.name}_${metadata.uid}`);
    const names = await readdir(folder).catch(() => []);
    return new Map(
      await Promise.all(names.map(async (name) => [name, await diskUsage(join(folder, name), NEVER)] as const)),
    );
  }

  async #volumesOf({ metadata, spec }: Observed<Pod>): Promise<PodMeasurement['volumes']> {
    const nowMs = this.#parts.clock.now();
    const found = new Map<string, Volume>();
    for (const { name, emptyDir } of spec?.volumes ?? []) {
      if (emptyDir === undefined) continue;
      const folder = volumeFolder(this.#parts.folders.root, metadata.uid, { plugin: EMPTY_DIR, name });
      const known = this.#volumes.get(folder);
      const isFresh = known !== undefined && nowMs - known.atMs < KEEP_MS;
      const usage = isFresh
        ? known.usage
        : { ...(await diskUsage(folder, NEVER)), isInMemory: (emptyDir.medium ?? '') !== '' };
      if (!isFresh) this.#volumes.set(folder, { atMs: nowMs, usage });
      found.set(name, usage);
    }
    return found;
  }

  #forget(pods: readonly Observed<Pod>[]): void {
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const folder of this.#volumes.keys())
      if (!uids.has(/\/pods\/([^/]+)\//.exec(folder)?.[1] ?? '')) this.#volumes.delete(folder);
  }
}

async function filesystem(path: string): Promise<{ readonly space: Observation; readonly inodes: Observation }> {
  const { bavail, blocks, bsize, ffree, files } = await statfs(path);
  return {
    space: { available: bavail * bsize, capacity: blocks * bsize },
    // file systems without a fixed number of inodes report none
    inodes: files === 0 ? { available: 1, capacity: 1 } : { available: ffree, capacity: files },
  };
}

async function processes(): Promise<Observation> {
  const { running, max } = await processFacts();
  return { available: Math.max(0, max - running), capacity: max };
}
