import { join } from 'node:path';
import type { CgroupFigures, CgroupSource, GroupUsage, SystemGroup } from '../../node/index.ts';
import { textOf } from '../machine/text-of.ts';

const NANOSECONDS = 1e9;

/** What groups of processes of the machine use: all pods, the agent, and others whose cgroups are named. */
export class SystemGroups {
  readonly #cgroups: Pick<CgroupSource, 'read'>;
  readonly #paths: Readonly<Record<SystemGroup, string>>;

  /** An empty path stands for the agent's own cgroup, and for nothing in other groups. */
  constructor(cgroups: Pick<CgroupSource, 'read'>, paths: Readonly<Record<SystemGroup, string>>) {
    this.#cgroups = cgroups;
    this.#paths = paths;
  }

  async read(nowMs: number): Promise<ReadonlyMap<SystemGroup, GroupUsage>> {
    const { kubelet, runtime, misc, pods } = this.#paths;
    const found = new Map<SystemGroup, GroupUsage>();
    const look = async (name: SystemGroup, path: string): Promise<void> => {
      if (path === '') return;
      const figures = await this.#cgroups.read(path, { nowMs, network: 'none' });
      if (figures !== undefined) found.set(name, usageOf(figures));
    };
    await look('kubelet', kubelet === '' ? await ownCgroup() : kubelet);
    await look('runtime', runtime);
    await look('misc', misc);
    await look('pods', pods);
    return found;
  }
}

/** The cgroup that this process is in; empty where the kernel does not show it. */
export async function ownCgroup(file = '/proc/self/cgroup'): Promise<string> {
  const text = await textOf(file);
  const line = /^\d+:(?:[^:\n]*,)?memory(?:,[^:\n]*)?:(.*)$/m.exec(text) ?? /^0::(.*)$/m.exec(text);
  const path = line?.[1] ?? '';
  return path === '' ? '' : join('/', path);
}

function usageOf({ atMs, createdAtMs, cpu, memory, pressure }: CgroupFigures): GroupUsage {
  const { workingSet = 0, usage = 0, rss = 0, swap, limit = 0, pageFaults = 0, majorPageFaults = 0 } = memory ?? {};
  return {
    timestampMs: atMs,
    startedAtMs: createdAtMs,
    usageCoreNanoSeconds: Math.round((cpu?.totalSeconds ?? 0) * NANOSECONDS),
    workingSetBytes: workingSet,
    details: {
      memory: {
        ...(limit > 0 ? { availableBytes: Math.max(0, limit - workingSet) } : {}),
        usageBytes: usage,
        rssBytes: rss,
        pageFaults,
        majorPageFaults,
      },
      ...(swap === undefined ? {} : { swap: { usageBytes: swap } }),
      ...(pressure === undefined ? {} : { pressure }),
    },
  };
}
