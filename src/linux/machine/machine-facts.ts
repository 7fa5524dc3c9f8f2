// What a Linux machine says about itself in /proc, /sys and /etc.
import { readdir, readFile } from 'node:fs/promises';
import { availableParallelism, networkInterfaces, release } from 'node:os';
import type { DnsConfig, MachineInfo } from '../../node/index.ts';

const KIBIBYTE = 1024;

/** The content of a file without the space around it; empty when it cannot be read. */
export async function textOf(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return '';
  }
}

export async function machineInfo(): Promise<MachineInfo> {
  const [machineID, productId, bootID, osRelease] = await Promise.all([
    textOf('/etc/machine-id'),
    textOf('/sys/class/dmi/id/product_uuid'),
    textOf('/proc/sys/kernel/random/boot_id'),
    textOf('/etc/os-release'),
  ]);
  const osImage = /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(osRelease)?.[1] ?? 'Linux';
  return { machineID, systemUUID: productId === '' ? machineID : productId, bootID, kernelVersion: release(), osImage };
}

/** Memory in bytes: all of it, what programs can get without swapping, and swap. */
export async function memoryFacts(): Promise<{
  readonly total: number;
  readonly available: number;
  readonly swap: number;
}> {
  const text = await textOf('/proc/meminfo');
  const bytes = (name: string): number =>
    Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * KIBIBYTE;
  return { total: bytes('MemTotal'), available: bytes('MemAvailable'), swap: bytes('SwapTotal') };
}

export function cpuCount(): number {
  return availableParallelism();
}

/** The capacity in huge pages by resource name: `hugepages-2Mi`. */
export async function hugePages(): Promise<Readonly<Record<string, string>>> {
  const folder = '/sys/kernel/mm/hugepages';
  const sizes = await readdir(folder).catch(() => []);
  const entries = await Promise.all(
    sizes.map(async (name): Promise<readonly [string, string]> => {
      const kibibytes = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1] ?? 0);
      const count = Number(await textOf(`${folder}/${name}/nr_hugepages`));
      return [`hugepages-${binary(kibibytes)}`, count === 0 ? '0' : binary(kibibytes * count)];
    }),
  );
  return Object.fromEntries(entries);
}

/** `2Mi` for 2048 KiB. */
function binary(kibibytes: number): string {
  if (kibibytes % (KIBIBYTE * KIBIBYTE) === 0) return `${kibibytes / (KIBIBYTE * KIBIBYTE)}Gi`;
  return kibibytes % KIBIBYTE === 0 ? `${kibibytes / KIBIBYTE}Mi` : `${kibibytes}Ki`;
}

/** How many processes run and how many can. */
export async function processFacts(): Promise<{ readonly running: number; readonly max: number }> {
  const [load, pidMax, threadsMax] = await Promise.all([
    textOf('/proc/loadavg'),
    textOf('/proc/sys/kernel/pid_max'),
    textOf('/proc/sys/kernel/threads-max'),
  ]);
  const running = Number(/\d+\/(\d+)/.exec(load)?.[1] ?? 0);
  return { running, max: Math.min(Number(pidMax), Number(threadsMax)) };
}

/** The addresses of the interface that has the default route, IPv4 first; those of any other when no interface has one. */
export async function mainAddresses(): Promise<readonly string[]> {
  const all = networkInterfaces();
  const routes = (await textOf('/proc/net/route')).split('\n').map((line) => line.split('\t'));
  const byRoute = routes.find(([, destination, , flags]) => destination === '00000000' && Number(flags) > 0)?.[0];
  const names = byRoute === undefined ? Object.keys(all) : [byRoute];
  const found = names
    .flatMap((name) => all[name] ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const first = (family: string): string[] =>
    found
      .filter((each) => each.family === family)
      .slice(0, 1)
      .map(({ address }) => address);
  const addresses = [...first('IPv4'), ...first('IPv6')];
  return addresses.length === 0 ? ['127.0.0.1'] : addresses;
}

/** Reads a file in the form of resolv.conf(5). */
export async function resolverConfig(path: string): Promise<DnsConfig> {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const servers = lines.filter(([word]) => word === 'nameserver').map(([, address = '']) => address);
  const searches = lines.findLast(([word]) => word === 'search')?.slice(1) ?? [];
  const options = lines.filter(([word]) => word === 'options').flatMap(([, ...rest]) => rest);
  return { servers, searches: searches.filter((domain) => domain !== '.'), options };
}
