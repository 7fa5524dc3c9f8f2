import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type MachineTopology, type NumaNode, parseCpuList, type Processor } from '../../assignment/index.ts';
import { textOf } from './text-of.ts';

const LAST_CORE_CACHE_LEVEL = 2;

/** Reads where processors and memory are. `sysRoot` is `/sys`, or a folder with the same files. */
export async function readTopology(sysRoot: string): Promise<MachineTopology> {
  const system = join(sysRoot, 'devices/system');
  const nodes = await numbered(join(system, 'node'), 'node');
  if (nodes.length === 0) {
    const processors = await processorsOf(system, { folder: join(system, 'cpu'), numaNode: 0 });
    return { processors: inOrder(processors), numaNodes: [] };
  }
  const processors: Processor[] = [];
  const numaNodes: NumaNode[] = [];
  for (const id of nodes) {
    const folder = join(system, 'node', `node${id}`);
    processors.push(...(await processorsOf(system, { folder, numaNode: id })));
    numaNodes.push({
      id,
      memoryBytes: Number(/MemTotal: +(\d+) kB/.exec(await textOf(join(folder, 'meminfo')))?.[1] ?? 0) * 1024,
      hugePages: await hugePagesIn(join(folder, 'hugepages')),
      distances: (await textOf(join(folder, 'distance')))
        .split(/\s+/)
        .filter((text) => text !== '')
        .map(Number),
    });
  }
  return { processors: inOrder(processors), numaNodes };
}

/** The number of huge pages by their size in KiB, from a folder such as `/sys/kernel/mm/hugepages`. */
export async function hugePagesIn(folder: string): Promise<ReadonlyMap<number, number>> {
  const pages = new Map<number, number>();
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    const kibibytes = Number(/^hugepages-(\d+)kB$/.exec(name)?.[1] ?? 0);
    if (kibibytes > 0) pages.set(kibibytes, Number(await textOf(join(folder, name, 'nr_hugepages'))));
  }
  return pages;
}

interface NodeFolder {
  readonly folder: string;
  readonly numaNode: number;
}

interface Place {
  readonly cpu: number;
  readonly socket: number;
  readonly coreId: string;
}

async function processorsOf(system: string, { folder, numaNode }: NodeFolder): Promise<Processor[]> {
  const places: Place[] = [];
  for (const cpu of await numbered(folder, 'cpu')) {
    const own = join(system, 'cpu', `cpu${cpu}`);
    if ((await textOf(join(own, 'online'))) === '0') continue;
    const socket = await textOf(join(own, 'topology/physical_package_id'));
    const coreId = await textOf(join(own, 'topology/core_id'));
    places.push({ cpu, socket: Number(socket === '' ? 0 : socket), coreId });
  }
  const siblings = (place: Place): Place[] =>
    places.filter((other) => other.socket === place.socket && other.coreId === place.coreId);
  return Promise.all(
    places.map(async (place): Promise<Processor> => {
      const core = Math.min(...siblings(place).map(({ cpu }) => cpu));
      const shared = await sharedCache(join(system, 'cpu', `cpu${core}`, 'cache'), places.length);
      return { cpu: place.cpu, core, socket: place.socket, numaNode, uncoreCache: shared ?? place.socket };
    }),
  );
}

/** The id of a cache beyond those of one core that only a part of the NUMA node shares. */
async function sharedCache(folder: string, nodeProcessors: number): Promise<number | undefined> {
  for (const index of await numbered(folder, 'index')) {
    const cache = join(folder, `index${index}`);
    if (Number(await textOf(join(cache, 'level'))) <= LAST_CORE_CACHE_LEVEL) continue;
    const cpus = parseCpuList(await textOf(join(cache, 'shared_cpu_list')));
    if (cpus.length !== nodeProcessors) return Number(await textOf(join(cache, 'id')));
  }
  return undefined;
}

/** The numbers of the entries `<prefix><number>` of a folder. */
async function numbered(folder: string, prefix: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((left, right) => left - right);
}

function inOrder(processors: readonly Processor[]): readonly Processor[] {
  return processors.toSorted((left, right) => left.cpu - right.cpu);
}
