import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Logger, messageOf } from '../../base/index.ts';
import type { LinuxContainerResources } from '../../node/index.ts';

const MOUNTED_AT = '/sys/fs/cgroup';
/** The hierarchies of version 1 that containers are limited by. */
const CONTROLLERS = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids', 'devices', 'freezer', 'blkio', 'hugetlb', 'systemd'];
const TOP = 'kubepods';
const NO_LIMIT = -1;

/** Writes the limits of pods into the cgroup file system. The runtime puts containers below. */
export interface PodCgroups {
  /** Makes the cgroup of a pod, with those above it, and sets its limits. `path` is as in `cgroupParent`. */
  prepare(path: string, resources: LinuxContainerResources | undefined): Promise<void>;
  /** Removes the cgroup of a pod whose containers are gone. */
  removePod(podUid: string): Promise<void>;
}

/** Opens the cgroups of this machine, in the version that it has. */
export async function openPodCgroups(driver: 'cgroupfs' | 'systemd', log: Logger): Promise<PodCgroups> {
  if (driver === 'systemd') return RUNTIME_CGROUPS;
  const isUnified = await exists(join(MOUNTED_AT, 'cgroup.controllers'));
  const mounted = isUnified ? [] : await readdir(MOUNTED_AT).catch(() => []);
  const roots = isUnified
    ? [MOUNTED_AT]
    : CONTROLLERS.filter((name) => mounted.includes(name)).map((name) => join(MOUNTED_AT, name));
  return new FilePodCgroups(roots, { isUnified, log });
}

/** With systemd the runtime makes the slices of pods, and systemd removes those that are empty. */
const RUNTIME_CGROUPS: PodCgroups = {
  prepare: async () => undefined,
  removePod: async () => undefined,
};

class FilePodCgroups implements PodCgroups {
  readonly #roots: readonly string[];
  readonly #isUnified: boolean;
  readonly #log: Logger;

  constructor(roots: readonly string[], { isUnified, log }: { readonly isUnified: boolean; readonly log: Logger }) {
    this.#roots = roots;
    this.#isUnified = isUnified;
    this.#log = log;
  }

  async prepare(path: string, resources: LinuxContainerResources | undefined): Promise<void> {
    const parts = path.split('/').filter((part) => part !== '');
    for (const root of this.#roots) {
      for (let depth = 1; depth <= parts.length; depth++) {
        const folder = join(root, ...parts.slice(0, depth));
        if (!(await exists(folder))) await this.#make(folder);
      }
      if (resources !== undefined) await this.#limit(join(root, ...parts), root, resources);
    }
  }

  async removePod(podUid: string): Promise<void> {
    for (const root of this.#roots)
      for (const level of ['', 'burstable', 'besteffort']) {
        const folder = join(root, TOP, level, `pod${podUid}`);
        if (await exists(folder)) await this.#remove(folder);
      }
  }

  async #make(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    if (this.#isUnified) {
      const available = (await readFile(join(folder, '..', 'cgroup.controllers'), 'utf8')).trim().split(' ');
      const enabled = available.map((name) => `+${name}`).join(' ');
      await this.#write(join(folder, '..', 'cgroup.subtree_control'), enabled);
    } else if (folder.startsWith(join(MOUNTED_AT, 'cpuset'))) {
      // a cpuset without processors and memory takes no processes
      for (const name of ['cpuset.cpus', 'cpuset.mems'])
        await this.#write(join(folder, name), (await readFile(join(folder, '..', name), 'utf8')).trim());
    }
  }

  async #limit(folder: string, root: string, resources: LinuxContainerResources): Promise<void> {
    const { cpuShares, cpuQuota, cpuPeriod, memoryLimitInBytes } = resources;
    if (this.#isUnified) {
      await this.#write(join(folder, 'cpu.weight'), String(weightOf(cpuShares)));
      await this.#write(join(folder, 'cpu.max'), `${cpuQuota === 0 ? 'max' : cpuQuota} ${cpuPeriod}`);
      await this.#write(join(folder, 'memory.max'), memoryLimitInBytes === 0 ? 'max' : String(memoryLimitInBytes));
    } else if (root.endsWith('/cpu')) {
      await this.#write(join(folder, 'cpu.shares'), String(cpuShares));
      await this.#write(join(folder, 'cpu.cfs_period_us'), String(cpuPeriod));
      await this.#write(join(folder, 'cpu.cfs_quota_us'), String(cpuQuota === 0 ? NO_LIMIT : cpuQuota));
    } else if (root.endsWith('/memory')) {
      const limit = memoryLimitInBytes === 0 ? NO_LIMIT : memoryLimitInBytes;
      await this.#write(join(folder, 'memory.limit_in_bytes'), String(limit));
    }
  }

  /** Removes a cgroup with those below it; the kernel refuses while there are processes in it. */
  async #remove(folder: string): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) await this.#remove(join(folder, entry.name));
    await rmdir(folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#log.warn('cgroup is not removed', { cgroup: folder, error: messageOf(error) });
    });
  }

  async #write(file: string, value: string): Promise<void> {
    try {
      await writeFile(file, value);
    } catch (error) {
      throw new Error(`Cannot set ${file} to ${value}: ${messageOf(error)}`, { cause: error });
    }
  }
}

/** Shares from 2 to 262144 as a weight of version 2, from 1 to 10000. */
function weightOf(shares: number): number {
  return 1 + Math.trunc(((shares - 2) * 9999) / 262_142);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
