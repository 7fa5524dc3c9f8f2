import { join } from 'node:path';
import { textOf } from '../machine/text-of.ts';

const MOUNTED_AT = '/sys/fs/cgroup';

/** The memory that processes of a cgroup need: what it uses without files that can be dropped. Undefined when it cannot be read. */
export interface CgroupMemory {
  readonly workingSetBytes: number;
  /** Infinity without a limit. */
  readonly limitBytes: number;
}

/** The memory of the whole machine that is in use and cannot be dropped, as cAdvisor computes it. */
export async function machineWorkingSet(total: number): Promise<number> {
  const meminfo = await textOf('/proc/meminfo');
  const kibibytes = (name: string): number => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(meminfo)?.[1] ?? 0);
  const inactive = kibibytes('Inactive\\(file\\)') * 1024;
  return Math.max(0, total - kibibytes('MemFree') * 1024 - inactive);
}

async function hasUnifiedCgroups(mountedAt: string): Promise<boolean> {
  return (await textOf(join(mountedAt, 'cgroup.controllers'))) !== '';
}

/** The processes and threads in a cgroup and those below it; 0 when they are not counted. */
export async function cgroupProcesses(path: string, mountedAt = MOUNTED_AT): Promise<number> {
  const folder = (await hasUnifiedCgroups(mountedAt)) ? join(mountedAt, path) : join(mountedAt, 'pids', path);
  return Number(await textOf(join(folder, 'pids.current')));
}

/** The memory of a cgroup, by its path below the top of the hierarchy. */
export async function cgroupMemory(path: string, mountedAt = MOUNTED_AT): Promise<CgroupMemory | undefined> {
  const isUnified = await hasUnifiedCgroups(mountedAt);
  const folder = isUnified ? join(mountedAt, path) : join(mountedAt, 'memory', path);
  const [usage, stat, limit] = await Promise.all([
    textOf(join(folder, isUnified ? 'memory.current' : 'memory.usage_in_bytes')),
    textOf(join(folder, 'memory.stat')),
    textOf(join(folder, isUnified ? 'memory.max' : 'memory.limit_in_bytes')),
  ]);
  if (usage === '') return undefined;
  const name = isUnified ? 'inactive_file' : 'total_inactive_file';
  const inactive = Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0);
  return {
    workingSetBytes: Math.max(0, Number(usage) - inactive),
    limitBytes: limit === '' || limit === 'max' ? Infinity : Number(limit),
  };
}
