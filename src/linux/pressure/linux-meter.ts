import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observed, Pod } from '../../client/index.ts';
import {
  type CgroupDriver,
  cgroupPath,
  type ContainerMeasurement,
  type SpaceUsage,
  type EvictionSignal,
  type ImageService,
  type MachineFolders,
  type NodeMeasurement,
  type NodeMeter,
  type Observation,
  type PodCgroupPlace,
  podCgroupName,
  POD_UID,
  type PodMeasurement,
  type RuntimeService,
  type VolumeUsage,
} from '../../node/index.ts';
import { memoryFacts, processFacts } from '../machine/machine-facts.ts';
import { diskUsage } from '../volumes/disk-usage.ts';
import { cgroupMemory, cgroupProcesses, machineWorkingSet } from './memory-usage.ts';

export interface LinuxMeterParts {
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'containerStats'>;
  readonly images: ImageService;
  readonly folders: MachineFolders;
  readonly cgroupDriver: CgroupDriver;
  readonly podCgroups: PodCgroupPlace;
}

type VolumeUsages = (pod: Observed<Pod>) => Promise<readonly VolumeUsage[]>;

/** Measuring is never given up: it is done in small steps. */
const NEVER = new AbortController().signal;
const NOTHING: SpaceUsage = { bytes: 0, inodes: 0 };

/** Measures this machine and the pods on it. */
export class LinuxMeter implements NodeMeter {
  readonly #parts: LinuxMeterParts;

  constructor(parts: LinuxMeterParts) {
    this.#parts = parts;
  }

  async measure(pods: readonly Observed<Pod>[], volumes: VolumeUsages): Promise<NodeMeasurement> {
    const { hasImageFilesystem, disks } = await this.#disks();
    const observations = new Map<EvictionSignal, Observation>([
      ...(await this.#memory()),
      ['pid.available', await processes()],
      ...disks,
    ]);
    return { observations, hasImageFilesystem, pods: await this.#pods(pods, volumes) };
  }

  async #memory(): Promise<readonly (readonly [EvictionSignal, Observation])[]> {
    const { total } = await memoryFacts();
    const own = { available: total - (await machineWorkingSet(total)), capacity: total };
    const { podCgroups, cgroupDriver } = this.#parts;
    const all = await cgroupMemory(cgroupPath(podCgroups.root, cgroupDriver));
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

  async #pods(pods: readonly Observed<Pod>[], volumes: VolumeUsages): Promise<ReadonlyMap<string, PodMeasurement>> {
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
      const parts = own.map(({ metadata, workingSetBytes, ...layer }): [string, ContainerMeasurement] => [
        metadata.name,
        {
          memoryBytes: workingSetBytes,
          rootfs: { bytes: layer.writableLayerBytes, inodes: layer.writableLayerInodes ?? 0 },
          logs: logs.get(metadata.name) ?? NOTHING,
        },
      ]);
      const memoryBytes = own.reduce((sum, { workingSetBytes }) => sum + workingSetBytes, 0);
      measured.set(uid, {
        memoryBytes,
        processes: await this.#processes(pod),
        containers: new Map(parts),
        volumes: emptyDirs(pod, await volumes(pod)),
      });
    }
    return measured;
  }

  async #processes(pod: Observed<Pod>): Promise<number> {
    const { podCgroups, cgroupDriver } = this.#parts;
    return podCgroups.isPerPod ? cgroupProcesses(cgroupPath(podCgroupName(pod, podCgroups), cgroupDriver)) : 0;
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
}

/** What the volumes of the type `emptyDir` take, by name. */
function emptyDirs({ spec }: Observed<Pod>, measured: readonly VolumeUsage[]): PodMeasurement['volumes'] {
  return new Map(
    (spec?.volumes ?? []).flatMap(({ name, emptyDir }) => {
      const found = measured.find((each) => each.name === name);
      if (emptyDir === undefined || found === undefined) return [];
      const isInMemory = (emptyDir.medium ?? '') !== '';
      return [[name, { bytes: found.usedBytes, inodes: found.inodesUsed, isInMemory }] as const];
    }),
  );
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
