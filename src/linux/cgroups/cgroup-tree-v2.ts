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

/** The controllers that pods are limited by. */
const CONTROLLERS = ['cpu', 'cpuset', 'memory', 'hugetlb', 'pids'];
const DEFAULT_PERIOD = 100_000;
const MAX_SHARES = 262_144;

/** Cgroups of version 2: one folder for all controllers. */
export class UnifiedTree implements CgroupTree {
  readonly version = 2;
  readonly #root: string;
  readonly #pageSizes: readonly number[];
  readonly #controllers: readonly string[];

  static async open({ root, pageSizes }: CgroupTreeOptions): Promise<UnifiedTree> {
    const available = (await readCgroupFile(root, 'cgroup.controllers')).split(/\s+/);
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
    return makeFolders(this.#root, path, async (folder) => {
      const enabled = this.#controllers.map((name) => `+${name}`).join(' ');
      await writeCgroupFile(join(folder, '..'), 'cgroup.subtree_control', enabled);
    });
  }

  async setLimits(path: string, limits: CgroupLimits): Promise<void> {
    const { cpuShares, cpuQuota, cpuPeriod, memory, pids, cpus, hugePages, unified = {} } = limits;
    const write = (name: string, value: number | string): Promise<void> =>
      writeCgroupFile(this.#folder(path), name, String(value));
    if (cpus !== undefined && this.#controllers.includes('cpuset')) await write('cpuset.cpus', cpus);
    if (cpuShares !== undefined) await write('cpu.weight', weightOf(cpuShares));
    if (cpuQuota !== undefined || cpuPeriod !== undefined)
      await write('cpu.max', `${(cpuQuota ?? 0) > 0 ? cpuQuota : 'max'} ${cpuPeriod ?? DEFAULT_PERIOD}`);
    if (memory !== undefined && memory !== 0) await write('memory.max', memory < 0 ? 'max' : memory);
    if (pids !== undefined) await write('pids.max', pids > 0 ? pids : 'max');
    const pageSizes = this.#pageSizes;
    if (hugePages !== undefined && this.#controllers.includes('hugetlb'))
      await limitPages(this.#folder(path), hugePages, { pageSizes, ending: 'max' });
    for (const [name, value] of Object.entries(unified)) await write(name, value);
  }

  async limits(path: string): Promise<CgroupLimits> {
    const folder = this.#folder(path);
    const [quota = '', period = ''] = (await readCgroupFile(folder, 'cpu.max')).split(' ');
    const memory = await readCgroupFile(folder, 'memory.max');
    return {
      cpuShares: sharesOf(Number(await readCgroupFile(folder, 'cpu.weight'))),
      cpuQuota: quota === 'max' ? -1 : Number(quota),
      cpuPeriod: Number(period),
      memory: memory === 'max' ? -1 : Number(memory),
    };
  }

  async memoryUsage(path: string): Promise<number> {
    return Number(await readCgroupFile(this.#folder(path), 'memory.current'));
  }

  processes(path: string): Promise<readonly number[]> {
    return processesBelow(this.#folder(path));
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

/** Shares from 2 to 262144 as a weight of version 2, from 1 to 10000. */
function weightOf(shares: number): number {
  return shares >= MAX_SHARES ? 10_000 : 1 + Math.trunc(((Math.max(shares, 2) - 2) * 9999) / 262_142);
}

function sharesOf(weight: number): number {
  return Math.trunc(((weight - 1) * 262_142) / 9999) + 2;
}
