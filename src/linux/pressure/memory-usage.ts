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

/** The memory of a cgroup, by its path below the top of the hierarchy. */
export async function cgroupMemory(path: string): Promise<CgroupMemory | undefined> {
  const isUnified = (await textOf(join(MOUNTED_AT, 'cgroup.controllers'))) !== '';
  const folder = isUnified ? join(MOUNTED_AT, path) : join(MOUNTED_AT, 'memory', path);
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
