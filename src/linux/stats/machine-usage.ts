// What the machine uses, as the kernel tells it in /proc and in the cgroup of everything.
import { readFile } from 'node:fs/promises';
import type { InterfaceUsage, MeasuredUsage, Pressure, PressureShare } from '../../node/index.ts';
import { textOf } from '../machine/text-of.ts';

const KIBIBYTE = 1024;
/** The kernel's unit of processor time in /proc/stat is 1/100 s on all machines. */
const NS_PER_TICK = 10_000_000;
const NS_PER_US = 1000;

/** Processor time of the whole machine in nanoseconds. */
async function processorNs(): Promise<number> {
  const unified = /^usage_usec (\d+)$/m.exec(await textOf('/sys/fs/cgroup/cpu.stat'))?.[1];
  if (unified !== undefined) return Number(unified) * NS_PER_US;
  const accounted = await textOf('/sys/fs/cgroup/cpuacct/cpuacct.usage');
  if (accounted !== '') return Number(accounted);
  const [, ...ticks] = (/^cpu +(.*)$/m.exec(await textOf('/proc/stat'))?.[0] ?? '').split(/ +/).map(Number);
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, soft = 0] = ticks;
  return (user + nice + system + interrupts + soft) * NS_PER_TICK;
}

/** Everything that runs on the machine. */
export async function wholeUsage(nowMs: number): Promise<MeasuredUsage> {
  const [usageCoreNanoSeconds, memory, faults, cpu, stalls, io] = await Promise.all([
    processorNs(),
    textOf('/proc/meminfo'),
    textOf('/proc/vmstat'),
    pressureIn('/proc/pressure/cpu'),
    pressureIn('/proc/pressure/memory'),
    pressureIn('/proc/pressure/io'),
  ]);
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(memory)?.[1] ?? 0) * KIBIBYTE;
  const count = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(faults)?.[1] ?? 0);
  const usageBytes = bytes('MemTotal') - bytes('MemFree');
  const workingSetBytes = Math.max(0, usageBytes - bytes('Inactive\\(file\\)'));
  return {
    timestampMs: nowMs,
    usageCoreNanoSeconds,
    workingSetBytes,
    details: {
      memory: {
        availableBytes: Math.max(0, bytes('MemTotal') - workingSetBytes),
        usageBytes,
        rssBytes: bytes('AnonPages'),
        pageFaults: count('pgfault'),
        majorPageFaults: count('pgmajfault'),
      },
      swap: { availableBytes: bytes('SwapFree'), usageBytes: bytes('SwapTotal') - bytes('SwapFree') },
      pressure: {
        ...(cpu === undefined ? {} : { cpu }),
        ...(stalls === undefined ? {} : { memory: stalls }),
        ...(io === undefined ? {} : { io }),
      },
    },
  };
}

/** Pressure stall information; undefined on kernels without it. */
export async function pressureIn(path: string): Promise<Pressure | undefined> {
  const text = await textOf(path);
  const share = (kind: string): PressureShare | undefined => {
    const line = new RegExp(`^${kind} avg10=(\\S+) avg60=(\\S+) avg300=(\\S+) total=(\\d+)$`, 'm').exec(text);
    if (line === null) return undefined;
    const [, avg10, avg60, avg300, total] = line.map(Number);
    return { total: total ?? 0, avg10: avg10 ?? 0, avg60: avg60 ?? 0, avg300: avg300 ?? 0 };
  };
  const some = share('some');
  if (some === undefined) return undefined;
  return { some, full: share('full') ?? { total: 0, avg10: 0, avg60: 0, avg300: 0 } };
}

/** The interfaces of a network namespace, that with the default route first. */
export async function interfaces(): Promise<readonly InterfaceUsage[]> {
  const [devices, routes] = await Promise.all([readFile('/proc/net/dev', 'utf8'), textOf('/proc/net/route')]);
  const main = routes
    .split('\n')
    .find((line) => line.split('\t')[1] === '00000000')
    ?.split('\t')[0];
  const all = devices.split('\n').flatMap((line): InterfaceUsage[] => {
    const [name, numbers] = line.split(':').map((part) => part.trim());
    if (name === undefined || numbers === undefined || name === 'lo') return [];
    const [rxBytes = 0, , rxErrors = 0, , , , , , txBytes = 0, , txErrors = 0] = numbers.split(/\s+/).map(Number);
    return [{ name, rxBytes, rxErrors, txBytes, txErrors }];
  });
  return all.toSorted((left, right) => Number(right.name === main) - Number(left.name === main));
}
