import { readdir, writeFile } from 'node:fs/promises';
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
  processesIn,
  readCgroupFile,
  removeFolders,
  unlessMissing,
  writeCgroupFile,
  writeSlowCgroupFile,
} from './cgroup-tree.ts';

/** The hierarchies in which pods get a cgroup, where they are mounted. */
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
    const write = (controller: string, name: string, value: number | string): void =>
      writeCgroupFile(this.#folder(controller, path), name, String(value));
    if (cpus !== undefined) write('cpuset', 'cpuset.cpus', cpus);
    if (cpuShares !== undefined) write('cpu', 'cpu.shares', cpuShares);
    if (cpuPeriod !== undefined) write('cpu', 'cpu.cfs_period_us', cpuPeriod);
    if (cpuQuota !== undefined && cpuQuota !== 0) write('cpu', 'cpu.cfs_quota_us', cpuQuota);
    if (memory !== undefined && memory !== 0)
      await writeSlowCgroupFile(this.#folder('memory', path), 'memory.limit_in_bytes', String(memory));
    if (pids !== undefined && this.#controllers.includes('pids')) write('pids', 'pids.max', pids > 0 ? pids : 'max');
    const { pageSizes } = this.#options;
    if (hugePages !== undefined && this.#controllers.includes('hugetlb'))
      await limitPages(this.#folder('hugetlb', path), hugePages, { pageSizes, ending: 'limit_in_bytes' });
  }

  async limits(path: string): Promise<CgroupLimits | undefined> {
    const cpu = this.#folder('cpu', path);
    return unlessMissing(() => ({
      cpuShares: Number(readCgroupFile(cpu, 'cpu.shares')),
      cpuQuota: Number(readCgroupFile(cpu, 'cpu.cfs_quota_us')),
      cpuPeriod: Number(readCgroupFile(cpu, 'cpu.cfs_period_us')),
      // without a limit the kernel shows the largest number of whole pages
      memory: Number(readCgroupFile(this.#folder('memory', path), 'memory.limit_in_bytes')),
    }));
  }

  async memoryUsage(path: string): Promise<number> {
    return Number(readCgroupFile(this.#folder('memory', path), 'memory.usage_in_bytes'));
  }

  async processes(path: string): Promise<readonly number[]> {
    const found = await Promise.all(
      this.#controllers.map((controller) => processesBelow(this.#folder(controller, path))),
    );
    return [...new Set(found.flat())];
  }

  async ownProcesses(path: string): Promise<readonly number[]> {
    const found = await Promise.all(this.#controllers.map((controller) => processesIn(this.#folder(controller, path))));
    return [...new Set(found.flat())];
  }

  async join(path: string, pid: number): Promise<void> {
    for (const controller of this.#controllers)
      await writeFile(join(this.#folder(controller, path), 'cgroup.procs'), String(pid));
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
function fillCpuset(folder: string): void {
  for (const name of ['cpuset.cpus', 'cpuset.mems'])
    writeCgroupFile(folder, name, readCgroupFile(join(folder, '..'), name));
}

function nothing(): void {
  // other controllers need no initial values
}
