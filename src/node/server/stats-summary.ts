import type { Observed, Pod } from '../../client/index.ts';
import type {
  DiskUsage,
  GroupUsage,
  InterfaceUsage,
  MachineUsage,
  MeasuredUsage,
  PodUsage,
  SystemGroup,
  VolumeUsage,
} from '../runtime/index.ts';
import { byPod, type ContainerUse, type MeasuredNode, sumOf, timeOf, usesOf } from './node-stats.ts';

/** The members of a node that its summary needs. */
export interface SummarizedNode extends MeasuredNode {
  pods(): readonly Observed<Pod>[];
  volumes(pod: Observed<Pod>): Promise<readonly VolumeUsage[]>;
}

/** What the node uses, and each of its pods: the document of `/stats/summary`. The short one has processor time and memory only. */
export async function statsSummary(node: SummarizedNode, { isShort = false } = {}): Promise<object> {
  const { whole, uses, pods, machine: measuredMachine, groups } = await usesOf(node);
  const machine = isShort ? undefined : measuredMachine;
  const known = new Map(node.pods().map((pod) => [pod.metadata.uid, pod]));
  const time = timeOf(whole.timestampMs);
  return {
    node: {
      nodeName: node.settings.name,
      startTime: timeOf(node.startedAtMs),
      ...usageStats(whole),
      ...(machine === undefined ? {} : machineStats(machine, time)),
      ...swapStats(whole),
      ...(groups === undefined ? {} : { systemContainers: [...groups].map(([name, use]) => groupStats(name, use)) }),
    },
    pods: await Promise.all(
      byPod(uses).map(async (own) => {
        const [{ namespace, pod: name, uid }] = own as readonly [ContainerUse];
        const [measured, pod] = [pods?.get(uid), known.get(uid)];
        const volumes = isShort || measured === undefined || pod === undefined ? [] : await node.volumes(pod);
        return {
          podRef: { name, namespace, uid },
          startTime: timeOf(Math.min(...own.map(({ startedAtMs }) => startedAtMs))),
          containers: own.map((use) => containerStats(use, machine)),
          ...usageStats(measured?.usage ?? sumOf(own)),
          ...(measured === undefined
            ? {}
            : isShort
              ? swapStats(measured.usage)
              : podStats(measured, { own, machine, volumes, namespace, time })),
        };
      }),
    ),
  };
}

function groupStats(name: SystemGroup, use: GroupUsage): object {
  return { name, startTime: timeOf(use.startedAtMs), ...usageStats(use), ...swapStats(use) };
}

function containerStats(use: ContainerUse, machine: MachineUsage | undefined): object {
  const time = timeOf(use.timestampMs);
  const { writableLayer, logBytes } = use.details ?? {};
  return {
    name: use.name,
    startTime: timeOf(use.startedAtMs),
    ...usageStats(use.details === undefined ? sumOf([use]) : use),
    ...(machine === undefined || writableLayer === undefined
      ? {}
      : { rootfs: { ...diskStats(machine.imageDisk, time), ...writableLayer } }),
    ...(machine === undefined || logBytes === undefined
      ? {}
      : { logs: { ...diskStats(machine.disk, time), usedBytes: logBytes } }),
    ...swapStats(use),
  };
}

interface PodSurroundings {
  readonly own: readonly ContainerUse[];
  readonly machine: MachineUsage | undefined;
  readonly volumes: readonly VolumeUsage[];
  readonly namespace: string;
  readonly time: string;
}

function podStats({ interfaces, processCount, usage }: PodUsage, around: PodSurroundings): object {
  const { own, machine, volumes, namespace, time } = around;
  const ephemeral = volumes.filter(({ isEphemeral }) => isEphemeral);
  const used =
    sum(own, ({ details }) => (details?.writableLayer?.usedBytes ?? 0) + (details?.logBytes ?? 0)) +
    sum(ephemeral, ({ usedBytes }) => usedBytes);
  const inodesUsed =
    sum(own, ({ details }) => details?.writableLayer?.inodesUsed ?? 0) + sum(ephemeral, (volume) => volume.inodesUsed);
  return {
    ...networkStats(interfaces, time),
    ...(volumes.length === 0 ? {} : { volume: volumes.map((volume) => volumeStats(volume, namespace, time)) }),
    ...(machine === undefined
      ? {}
      : { 'ephemeral-storage': { ...diskStats(machine.disk, time), usedBytes: used, inodesUsed } }),
    process_stats: { process_count: processCount },
    ...swapStats(usage),
  };
}

function volumeStats(volume: VolumeUsage, namespace: string, time: string): object {
  const { claim } = volume;
  const pvcRef = claim === undefined ? {} : { pvcRef: { name: claim, namespace } };
  return { ...diskStats(volume, time), name: volume.name, ...pvcRef };
}

function machineStats(machine: MachineUsage, time: string): object {
  const { interfaces, disk, imageDisk, maxProcesses, processCount } = machine;
  const images = diskStats(imageDisk, time);
  return {
    ...networkStats(interfaces, time),
    fs: diskStats(disk, time),
    runtime: { imageFs: images, containerFs: images },
    rlimit: { time, maxpid: maxProcesses, curproc: processCount },
  };
}

function networkStats([main, ...others]: readonly InterfaceUsage[], time: string): object {
  return main === undefined ? {} : { network: { time, ...main, interfaces: [main, ...others] } };
}

function diskStats(disk: DiskUsage, time: string): object {
  const { availableBytes, capacityBytes, usedBytes, inodesFree, inodes, inodesUsed } = disk;
  return { time, availableBytes, capacityBytes, usedBytes, inodesFree, inodes, inodesUsed };
}

function swapStats({ timestampMs, details }: MeasuredUsage): object {
  const { swap } = details ?? {};
  if (swap === undefined) return {};
  const { availableBytes: swapAvailableBytes, usageBytes: swapUsageBytes } = swap;
  return { swap: { time: timeOf(timestampMs), swapAvailableBytes, swapUsageBytes } };
}

/** Processor, memory and pressure. */
function usageStats({
  timestampMs,
  usageNanoCores,
  usageCoreNanoSeconds,
  workingSetBytes,
  details,
}: MeasuredUsage): object {
  const time = timeOf(timestampMs);
  const { pressure = {}, memory } = details ?? {};
  const measured = memory ?? {
    usageBytes: workingSetBytes,
    rssBytes: workingSetBytes,
    pageFaults: 0,
    majorPageFaults: 0,
  };
  return {
    cpu: { time, usageNanoCores, usageCoreNanoSeconds, psi: pressure.cpu },
    memory: { time, workingSetBytes, ...measured, psi: pressure.memory },
    ...(pressure.io === undefined ? {} : { io: { time, psi: pressure.io } }),
  };
}

function sum<T>(all: readonly T[], value: (each: T) => number): number {
  return all.reduce((total, each) => total + value(each), 0);
}
