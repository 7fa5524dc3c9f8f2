// What a Linux machine says about itself in /proc, /sys and /etc.
import { readFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { binary } from '../../assignment/index.ts';
import type { DnsConfig, MachineInfo } from '../../node/index.ts';
import { textOf } from './text-of.ts';

const KIBIBYTE = 1024;

/** Identity and operating system, read below `root`, which is `/` but in tests. */
export async function machineInfo(root = '/'): Promise<MachineInfo> {
  const [machineID, systemUUID, bootID, osRelease, { swap }] = await Promise.all([
    firstOf(root, ['etc/machine-id', 'var/lib/dbus/machine-id']),
    firstOf(root, [
      'sys/class/dmi/id/product_uuid',
      'proc/device-tree/system-id',
      'proc/device-tree/vm,uuid',
      'etc/machine-id',
    ]),
    textOf(join(root, 'proc/sys/kernel/random/boot_id')),
    firstOf(root, ['etc/os-release', 'usr/lib/os-release']),
    memoryFacts(root),
  ]);
  const osImage = /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(osRelease)?.[1] ?? 'Linux';
  const swapCapacity = swap === 0 ? {} : { swapCapacity: swap };
  return { machineID, systemUUID, bootID, kernelVersion: release(), osImage, ...swapCapacity };
}

/** The content of the first of these files that has any. */
async function firstOf(root: string, paths: readonly string[]): Promise<string> {
  for (const path of paths) {
    const text = (await textOf(join(root, path))).replaceAll('\0', '');
    if (text !== '') return text;
  }
  return '';
}

/** Memory in bytes: all of it, what programs can get without swapping, and swap. */
export async function memoryFacts(root = '/'): Promise<{
  readonly total: number;
  readonly available: number;
  readonly swap: number;
}> {
  const text = await textOf(join(root, 'proc/meminfo'));
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * KIBIBYTE;
  return { total: bytes('MemTotal'), available: bytes('MemAvailable'), swap: bytes('SwapTotal') };
}

/** The capacity in huge pages by resource name: `hugepages-2Mi`. */
export function hugePageCapacity(pages: ReadonlyMap<number, number>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...pages].map(([kibibytes, count]) => [
      `hugepages-${binary(kibibytes * KIBIBYTE)}`,
      binary(kibibytes * KIBIBYTE * count),
    ]),
  );
}

/** How many processes run and how many can. */
export async function processFacts(root = '/'): Promise<{ readonly running: number; readonly max: number }> {
  const [load, pidMax, threadsMax] = await Promise.all([
    textOf(join(root, 'proc/loadavg')),
    textOf(join(root, 'proc/sys/kernel/pid_max')),
    textOf(join(root, 'proc/sys/kernel/threads-max')),
  ]);
  const running = Number(/\d+\/(\d+)/.exec(load)?.[1] ?? 0);
  return { running, max: Math.min(Number(pidMax), Number(threadsMax)) };
}

/** Reads a file in the form of resolv.conf(5). */
export async function resolverConfig(path: string): Promise<DnsConfig> {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const servers = lines.filter(([word]) => word === 'nameserver').map(([, address = '']) => address);
  const searches = lines.findLast(([word]) => word === 'search')?.slice(1) ?? [];
  const options = lines.filter(([word]) => word === 'options').flatMap(([, ...rest]) => rest);
  return { servers, searches: searches.filter((domain) => domain !== '.'), options };
}
