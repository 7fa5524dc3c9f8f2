import { readdir, stat } from 'node:fs/promises';
import { uptime } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock } from '../../base/index.ts';
import type { CriCalls } from '../../cri/index.ts';
import { type PodStats, podStats } from '../../cri/index.ts';
import type {
  ImageService,
  MachineFolders,
  MeasuredUsage,
  NodeUsage,
  PodUsage,
  UsageSource,
} from '../../node/index.ts';
import { processFacts } from '../machine/machine-facts.ts';
import { fileSystemStats } from '../volumes/disk-usage.ts';
import { interfaces, wholeUsage } from './machine-usage.ts';
import type { SystemGroups } from './system-groups.ts';

export interface LinuxUsageParts {
  readonly calls: CriCalls;
  readonly images: Pick<ImageService, 'fsInfo'>;
  readonly folders: MachineFolders;
  readonly clock: Clock;
  readonly groups: SystemGroups;
}

interface Reading {
  readonly atMs: number;
  readonly ns: number;
}

/** Readings that are older are of no use for a rate. */
const MAX_READINGS = 20_000;

/** What the machine, its pods and their containers use: read from runtime and kernel for each request, and at no other time. */
export class LinuxUsage implements UsageSource {
  readonly #parts: LinuxUsageParts;
  /** The last reading of each processor clock, by which rates are computed. */
  readonly #readings = new Map<string, Reading>();

  constructor(parts: LinuxUsageParts) {
    this.#parts = parts;
  }

  async read(): Promise<NodeUsage> {
    const { calls, clock, folders } = this.#parts;
    const [stats, whole, disk, imageDisk, own, processes, groups] = await Promise.all([
      podStats(calls),
      wholeUsage(clock.now()),
      fileSystemStats(folders.root),
      this.#imageDisk(),
      interfaces(),
      processFacts(),
      this.#parts.groups.read(clock.now()),
    ]);
    const containers = new Map<string, MeasuredUsage>();
    const pods = new Map<string, PodUsage>();
    for (const pod of stats) {
      const logs = join(folders.podLogs, `${pod.metadata.namespace}_${pod.metadata.name}_${pod.metadata.uid}`);
      for (const { id, name, usage } of pod.containers) {
        const logBytes = await sizeOf(join(logs, name));
        containers.set(id, this.#withRate(id, { ...usage, details: { ...usage.details, logBytes } }));
      }
      pods.set(pod.metadata.uid, this.#podUsage(pod));
    }
    return {
      whole: this.#withRate('/', { ...whole, ...this.#firstRate(whole) }),
      containers,
      pods,
      groups: new Map(
        [...groups].map(([name, use]) => [name, { ...this.#withRate(name, use), startedAtMs: use.startedAtMs }]),
      ),
      machine: {
        interfaces: own,
        disk,
        imageDisk,
        maxProcesses: processes.max,
        processCount: processes.running,
      },
    };
  }

  #podUsage({ metadata, usage, interfaces: used, processCount }: PodStats): PodUsage {
    return {
      usage: this.#withRate(metadata.uid, usage),
      interfaces: used,
      processCount,
    };
  }

  async #imageDisk(): Promise<Awaited<ReturnType<typeof fileSystemStats>>> {
    const { mountpoint } = await this.#parts.images.fsInfo();
    return fileSystemStats(mountpoint).catch(() => fileSystemStats(dirname(mountpoint)));
  }

  /** Before there is anything to compare with, the rate since the machine was started. */
  #firstRate({ usageCoreNanoSeconds }: MeasuredUsage): Partial<MeasuredUsage> {
    if (this.#readings.has('/')) return {};
    return { usageNanoCores: Math.round(usageCoreNanoSeconds / Math.max(1, uptime())) };
  }

  /** Adds the rate since the last reading, where the runtime does not know it. */
  #withRate(key: string, usage: MeasuredUsage): MeasuredUsage {
    const { usageNanoCores, usageCoreNanoSeconds: ns, timestampMs: atMs } = usage;
    const last = this.#readings.get(key);
    this.#readings.delete(key);
    this.#readings.set(key, { atMs, ns });
    const [oldest] = this.#readings.keys();
    if (oldest !== undefined && this.#readings.size > MAX_READINGS) this.#readings.delete(oldest);
    if (usageNanoCores !== undefined || last === undefined || atMs <= last.atMs) return usage;
    return { ...usage, usageNanoCores: Math.max(0, Math.round(((ns - last.ns) * 1000) / (atMs - last.atMs))) };
  }
}

/** The bytes of the files in a folder. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder).catch(() => []))
    bytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0;
  return bytes;
}
