import { join } from 'node:path';
import { type CgroupTree, MOUNTED_AT, pathExists } from './cgroup-tree.ts';
import { SplitTree } from './cgroup-tree-v1.ts';
import { UnifiedTree } from './cgroup-tree-v2.ts';
import { textOf } from '../machine/text-of.ts';
import type { SmallShell } from '../../system/index.ts';
import { requireSystemd, systemdCalls, systemdTree } from './systemd-tree.ts';

export interface OpenCgroupsOptions {
  readonly driver: 'cgroupfs' | 'systemd';
  /** Sizes of the machine's huge pages in bytes. */
  readonly pageSizes: readonly number[];
  /** Starts programs: systemd is asked with one. */
  readonly shell: SmallShell;
  /** The mount point; default `/sys/fs/cgroup`. */
  readonly root?: string;
}

/** Opens the cgroups of this machine in the version that it has, for the driver that the runtime uses. */
export async function openCgroups({
  driver,
  pageSizes,
  shell,
  root = MOUNTED_AT,
}: OpenCgroupsOptions): Promise<CgroupTree> {
  const isUnified = await pathExists(join(root, 'cgroup.controllers'));
  const files = await (isUnified ? UnifiedTree : SplitTree).open({ root, pageSizes });
  if (driver === 'cgroupfs') return files;
  await requireSystemd();
  return systemdTree(files, systemdCalls(shell));
}

/** Whether the kernel limits swap of cgroups. */
export async function canLimitSwap(version: 1 | 2, root = MOUNTED_AT): Promise<boolean> {
  if (version === 1) return pathExists(join(root, 'memory/memory.memsw.limit_in_bytes'));
  // the root has no such file, but every cgroup below has one
  const own = /^0::(.*)$/m.exec(await textOf('/proc/self/cgroup'))?.[1] ?? '';
  return pathExists(join(root, own, 'memory.swap.max'));
}
