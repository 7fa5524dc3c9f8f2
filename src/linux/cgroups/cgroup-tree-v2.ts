import { writeFile } from 'node:fs/promises';
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
import { sharesOf, weightOf } from './cpu-weight.ts';

/** The controllers that pods are limited by. */
const CONTROLLERS = ['cpu', 'cpuset', 'memory', 'hugetlb', 'pids'];
const DEFAULT_PERIOD = 100_000;

/** Cgroups of version 2: one folder for all controllers. */
export class UnifiedTree implements CgroupTree {
  readonly version = 2;
  readonly #root: string;
  readonly #pageSizes: readonly number[];
  readonly #controllers: readonly string[];

  static async open({ root, pageSizes }: CgroupTreeOptions): Promise<UnifiedTree> {
    const available = readCgroupFile(root, 'cgroup.controllers').split(/\s+/);
    const missing = ['cpu', 'memory', 'pids'].filter((name) => !available.includes(name));
    if (missing.length > 0)
      throw new Error(`Cannot limit pods with the cgroups in ${root}: controllers are missing: ${missing.join(', ')}`);
    return new UnifiedTree(
      { root, pageSizes },
      CONTROLLERS.filter((name) => available.includes(name)),
    );
  }

  private constructor({ root, pageSizes }: CgroupTreeOptions, controllers: readonly string[]) {
    this.#root = root;
    this.#pageSizes = pageSizes;
    this.#controllers = controllers;
  }

  async exists(path: string): Promise<boolean> {
    return pathExists(this.#folder(path));
  }

  create(path: string): Promise<boolean> {
    return makeFolders(this.#root, path, (folder) => {
      const enabled = this.#controllers.map((name) => `+${name}`).join(' ');
      writeCgroupFile(join(folder, '..'), 'cgroup.subtree_control', enabled);
    });
  }

  async setLimits(path: string, limits: CgroupLimits): Promise<void> {
    const { cpuShares, cpuQuota, cpuPeriod, memory, pids, cpus, hugePages, unified = {} } = limits;
    const write = (name: string, value: number | string): void =>
      writeCgroupFile(this.#folder(path), name, String(value));
    if (cpus !== undefined && this.#controllers.includes('cpuset')) write('cpuset.cpus', cpus);
    if (cpuShares !== undefined) write('cpu.weight', weightOf(cpuShares));
    if (cpuQuota !== undefined || cpuPeriod !== undefined)
      write('cpu.max', `${(cpuQuota ?? 0) > 0 ? cpuQuota : 'max'} ${cpuPeriod ?? DEFAULT_PERIOD}`);
    if (memory !== undefined && memory !== 0)
      await writeSlowCgroupFile(this.#folder(path), 'memory.max', memory < 0 ? 'max' : String(memory));
    if (pids !== undefined) write('pids.max', pids > 0 ? pids : 'max');
    const pageSizes = this.#pageSizes;
    if (hugePages !== undefined && this.#controllers.includes('hugetlb'))
      await limitPages(this.#folder(path), hugePages, { pageSizes, ending: 'max' });
    for (const [name, value] of Object.entries(unified)) await writeSlowCgroupFile(this.#folder(path), name, value);
  }

  async limits(path: string): Promise<CgroupLimits | undefined> {
    const folder = this.#folder(path);
    return unlessMissing(() => {
      const [quota = '', period = ''] = readCgroupFile(folder, 'cpu.max').split(' ');
      const memory = readCgroupFile(folder, 'memory.max');
      return {
        cpuShares: sharesOf(Number(readCgroupFile(folder, 'cpu.weight'))),
        cpuQuota: quota === 'max' ? -1 : Number(quota),
        cpuPeriod: Number(period),
        memory: memory === 'max' ? -1 : Number(memory),
      };
    });
  }

  async memoryUsage(path: string): Promise<number> {
    return Number(readCgroupFile(this.#folder(path), 'memory.current'));
  }

  processes(path: string): Promise<readonly number[]> {
    return processesBelow(this.#folder(path));
  }

  ownProcesses(path: string): Promise<readonly number[]> {
    return processesIn(this.#folder(path));
  }

  join(path: string, pid: number): Promise<void> {
    return writeFile(join(this.#folder(path), 'cgroup.procs'), String(pid));
  }

  children(path: string): Promise<readonly string[]> {
    return foldersIn(this.#folder(path));
  }

  remove(path: string): Promise<void> {
    return removeFolders(this.#folder(path));
  }

  #folder(path: string): string {
    return join(this.#root, path);
  }
}
