import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CgroupLimits } from '../../node/index.ts';
import {
  type CgroupTree,
  type CgroupTreeOptions,
  foldersIn,
  limitPages,
  makeFolders,
  pathExists,
  processesBelow,
  readCgroupFile,
  removeFolders,
  writeCgroupFile,
} from './cgroup-tree.ts';

/** The hierarchies in which pods get a cgroup, as far as they are mounted. */
const CONTROLLERS = [
  'cpu',
  'cpuacct',
  'cpuset',
  'memory',
  'pids',
  'devices',
  'freezer',
  'blkio',
  'hugetlb',
  'net_cls',
  'net_prio',
  'perf_event',
  'rdma',
  'misc',
  'systemd',
];
const REQUIRED = ['cpu', 'cpuset', 'memory'];

/** Cgroups of version 1: a tree of folders for each controller. */
export class SplitTree implements CgroupTree {
  readonly version = 1;
  readonly #options: CgroupTreeOptions;
  readonly #controllers: readonly string[];

  static async open(options: CgroupTreeOptions): Promise<SplitTree> {
    const mounted = await readdir(options.root);
    const missing = REQUIRED.filter((name) => !mounted.includes(name));
    if (missing.length > 0)
      throw new Error(
        `Cannot limit pods with the cgroups in ${options.root}: controllers are not mounted: ${missing.join(', ')}`,
      );
    return new SplitTree(
      options,
      CONTROLLERS.filter((name) => mounted.includes(name)),
    );
  }

  private constructor(options: CgroupTreeOptions, controllers: readonly string[]) {
    this.#options = options;
    this.#controllers = controllers;
  }

  async exists(path: string): Promise<boolean> {
    for (const controller of this.#controllers) if (!(await pathExists(this.#folder(controller, path)))) return false;
    return true;
  }

  async create(path: string): Promise<boolean> {
    let isNew = false;
    for (const controller of this.#controllers) {
      const made = controller === 'cpuset' ? fillCpuset : nothing;
      if (await makeFolders(join(this.#options.root, controller), path, made)) isNew = true;
    }
    return isNew;
  }

  async setLimits(path: string, limits: CgroupLimits): Promise<void> {
    const { cpuShares, cpuQuota, cpuPeriod, memory, pids, cpus, hugePages } = limits;
    const write = (controller: string, name: string, value: number | string): Promise<void> =>
      writeCgroupFile(this.#folder(controller, path), name, String(value));
    if (cpus !== undefined) await write('cpuset', 'cpuset.cpus', cpus);
    if (cpuShares !== undefined) await write('cpu', 'cpu.shares', cpuShares);
    if (cpuPeriod !== undefined) await write('cpu', 'cpu.cfs_period_us', cpuPeriod);
    if (cpuQuota !== undefined && cpuQuota !== 0) await write('cpu', 'cpu.cfs_quota_us', cpuQuota);
    if (memory !== undefined && memory !== 0) await write('memory', 'memory.limit_in_bytes', memory);
    if (pids !== undefined && this.#controllers.includes('pids'))
      await write('pids', 'pids.max', pids > 0 ? pids : 'max');
    const { pageSizes } = this.#options;
    if (hugePages !== undefined && this.#controllers.includes('hugetlb'))
      await limitPages(this.#folder('hugetlb', path), hugePages, { pageSizes, ending: 'limit_in_bytes' });
  }

  async limits(path: string): Promise<CgroupLimits> {
    const cpu = this.#folder('cpu', path);
    // without a limit the kernel shows the largest number of whole pages
    const memory = Number(await readCgroupFile(this.#folder('memory', path), 'memory.limit_in_bytes'));
    return {
      cpuShares: Number(await readCgroupFile(cpu, 'cpu.shares')),
      cpuQuota: Number(await readCgroupFile(cpu, 'cpu.cfs_quota_us')),
      cpuPeriod: Number(await readCgroupFile(cpu, 'cpu.cfs_period_us')),
      memory,
    };
  }

  async memoryUsage(path: string): Promise<number> {
    return Number(await readCgroupFile(this.#folder('memory', path), 'memory.usage_in_bytes'));
  }

  async processes(path: string): Promise<readonly number[]> {
    const found = await Promise.all(
      this.#controllers.map((controller) => processesBelow(this.#folder(controller, path))),
    );
    return [...new Set(found.flat())];
  }

  async children(path: string): Promise<readonly string[]> {
    const found = await Promise.all(this.#controllers.map((controller) => foldersIn(this.#folder(controller, path))));
    return [...new Set(found.flat())];
  }

  async remove(path: string): Promise<void> {
    for (const controller of this.#controllers) await removeFolders(this.#folder(controller, path));
  }

  #folder(controller: string, path: string): string {
    return join(this.#options.root, controller, path);
  }
}

/** A cpuset without processors and memory takes no processes. */
async function fillCpuset(folder: string): Promise<void> {
  for (const name of ['cpuset.cpus', 'cpuset.mems'])
    await writeCgroupFile(folder, name, await readCgroupFile(join(folder, '..'), name));
}

async function nothing(): Promise<void> {
  // other controllers need no values to begin with
}
