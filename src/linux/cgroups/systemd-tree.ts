import { basename, dirname } from 'node:path';
import { messageOf } from '../../base/index.ts';
import type { CgroupLimits } from '../../node/index.ts';
import type { SmallShell } from '../../system/index.ts';
import { type CgroupTree, pathExists } from './cgroup-tree.ts';

/** Talks to systemd: `busctl` with these arguments. */
export type BusCall = (args: readonly string[]) => Promise<void>;

/** Throws where systemd does not manage the machine: without it there are no slices. */
export async function requireSystemd(runFolder = '/run/systemd/system'): Promise<void> {
  if (await pathExists(runFolder)) return;
  throw new Error(
    `Cannot use the cgroup driver "systemd": systemd does not run on this machine (${runFolder} is missing); use "cgroupfs" for the agent and the runtime`,
  );
}

/** Calls systemd over D-Bus with the program that comes with it. */
export function systemdCalls(shell: Pick<SmallShell, 'run'>): BusCall {
  return async (args) => {
    const { code, output } = await shell.run('busctl', args);
    if (code !== 0) throw new Error(`Cannot reach systemd: ${output.trim() === '' ? 'busctl failed' : output.trim()}`);
  };
}

/**
 * Cgroups that systemd makes as slices. systemd sets the limits that it knows, so that it does not reset them later; all limits are then
 * written to the files as well.
 */
export function systemdTree(files: CgroupTree, call: BusCall): CgroupTree {
  return {
    version: files.version,
    exists: (path) => files.exists(path),
    limits: (path) => files.limits(path),
    memoryUsage: (path) => files.memoryUsage(path),
    processes: (path) => files.processes(path),
    ownProcesses: (path) => files.ownProcesses(path),
    join: (path, pid) => files.join(path, pid),
    children: (path) => files.children(path),
    async create(path) {
      const isThere = await files.exists(path);
      if (!isThere) await call(startArguments(path, files.version)).catch(ignoreExisting);
      await files.create(path);
      return !isThere;
    },
    async setLimits(path, limits) {
      const properties = propertiesOf(limits, files.version);
      if (properties.length > 0)
        await call(['call', ...MANAGER, 'SetUnitProperties', 'sba(sv)', ...settings(path, properties)]);
      await files.setLimits(path, limits);
    },
    async remove(path) {
      await call(['call', ...MANAGER, 'StopUnit', 'ss', basename(path), 'replace']).catch(ignoreMissing);
      await files.remove(path);
    },
  };
}

const MANAGER = ['org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager'];

/** A property of a unit: its name, the type of its value on the bus, and the value; a list begins with its length. */
type Property = readonly [name: string, type: string, ...values: string[]];

/** The arguments that start the slice of a path: `/kubepods.slice/kubepods-burstable.slice`. */
export function startArguments(path: string, version: 1 | 2): readonly string[] {
  const slice = basename(path);
  const parent = dirname(path) === '/' ? '-.slice' : basename(dirname(path));
  const accounting = [
    'MemoryAccounting',
    'CPUAccounting',
    version === 2 ? 'IOAccounting' : 'BlockIOAccounting',
    'TasksAccounting',
  ];
  const properties: readonly Property[] = [
    ['Description', 's', `cgroup ${slice}`],
    ['Wants', 'as', '1', parent],
    ...accounting.map((name): Property => [name, 'b', 'true']),
    ['DefaultDependencies', 'b', 'false'],
  ];
  return ['call', ...MANAGER, 'StartTransientUnit', 'ssa(sv)a(sa(sv))', slice, 'replace', ...listed(properties), '0'];
}

function settings(path: string, properties: readonly Property[]): readonly string[] {
  return [basename(path), 'true', ...listed(properties)];
}

function listed(properties: readonly Property[]): readonly string[] {
  return [String(properties.length), ...properties.flat()];
}

const MICROSECONDS = 1_000_000;
const INFINITY = '18446744073709551615';

/** The limits that systemd knows, as its properties. */
export function propertiesOf(limits: CgroupLimits, version: 1 | 2): readonly Property[] {
  const { cpuShares, cpuQuota, cpuPeriod, memory, pids } = limits;
  const properties: Property[] = [];
  if (memory !== undefined && memory !== 0)
    properties.push([version === 2 ? 'MemoryMax' : 'MemoryLimit', 't', memory < 0 ? INFINITY : String(memory)]);
  if (cpuShares !== undefined)
    properties.push(version === 2 ? ['CPUWeight', 't', weight(cpuShares)] : ['CPUShares', 't', String(cpuShares)]);
  if (cpuQuota !== undefined && cpuQuota !== 0)
    properties.push(['CPUQuotaPerSecUSec', 't', cpuQuota < 0 ? INFINITY : perSecond(cpuQuota, cpuPeriod ?? 100_000)]);
  if (cpuPeriod !== undefined && version === 2) properties.push(['CPUQuotaPeriodUSec', 't', String(cpuPeriod)]);
  if (pids !== undefined) properties.push(['TasksMax', 't', pids > 0 ? String(pids) : INFINITY]);
  return properties;
}

function weight(shares: number): string {
  return String(1 + Math.trunc(((shares - 2) * 9999) / 262_142));
}

/** systemd rounds to whole hundredths of a processor; it must not get less than was asked for. */
function perSecond(quota: number, period: number): string {
  const wanted = Math.trunc((quota * MICROSECONDS) / period);
  return String(Math.ceil(wanted / 10_000) * 10_000);
}

function ignoreExisting(error: unknown): void {
  if (!messageOf(error).includes('already exists')) throw error;
}

function ignoreMissing(error: unknown): void {
  if (!messageOf(error).includes('not loaded')) throw error;
}
