import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatCpuList } from '../../assignment/index.ts';

/** The shape of a machine whose files are written into a folder. */
export interface MadeMachine {
  readonly sockets: number;
  readonly nodesPerSocket: number;
  readonly coresPerNode: number;
  readonly threadsPerCore: number;
  /** How many shared caches a NUMA node is divided by; default 1, which is a cache of the whole node. */
  readonly cachesPerNode?: number;
  readonly memoryPerNodeBytes?: number;
}

/**
 * Writes the files of a machine below `root`, as the kernel lays them out. Threads are numbered as Linux numbers them on most machines:
 * the first threads of all cores, then their second threads.
 */
export async function makeMachine(root: string, machine: MadeMachine): Promise<void> {
  const { sockets, nodesPerSocket, coresPerNode, threadsPerCore, cachesPerNode = 1 } = machine;
  const nodes = sockets * nodesPerSocket;
  const cores = nodes * coresPerNode;
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), `${text}\n`);
  };
  const memoryKb = (machine.memoryPerNodeBytes ?? 8 * 1024 ** 3) / 1024;
  for (let node = 0; node < nodes; node++) {
    const folder = `sys/devices/system/node/node${node}`;
    await write(`${folder}/meminfo`, `Node ${node} MemTotal:       ${memoryKb} kB`);
    const distances = Array.from({ length: nodes }, (_, other) =>
      other === node ? 10 : Math.floor(other / nodesPerSocket) === Math.floor(node / nodesPerSocket) ? 11 : 21,
    );
    await write(`${folder}/distance`, distances.join(' '));
    await write(`${folder}/hugepages/hugepages-2048kB/nr_hugepages`, '0');
  }
  for (let cpu = 0; cpu < cores * threadsPerCore; cpu++) {
    const core = cpu % cores;
    const node = Math.floor(core / coresPerNode);
    const own = `sys/devices/system/cpu/cpu${cpu}`;
    await write(`${own}/topology/physical_package_id`, String(Math.floor(node / nodesPerSocket)));
    await write(`${own}/topology/core_id`, String(core % (coresPerNode * nodesPerSocket)));
    const perCache = coresPerNode / cachesPerNode;
    const cache = Math.floor(core / perCache);
    const sharing = Array.from({ length: cores * threadsPerCore }, (_, other) => other).filter(
      (other) => Math.floor((other % cores) / perCache) === cache,
    );
    await write(`${own}/cache/index3/level`, '3');
    await write(`${own}/cache/index3/id`, String(cache));
    await write(`${own}/cache/index3/shared_cpu_list`, formatCpuList(sharing));
    await mkdir(join(root, `sys/devices/system/node/node${node}/cpu${cpu}`), { recursive: true });
  }
  await write(
    'proc/meminfo',
    `MemTotal:       ${memoryKb * nodes} kB\nMemAvailable:   ${memoryKb} kB\nSwapTotal:             0 kB`,
  );
}
