import type { MachineTopology, NumaNode, Processor } from './machine-topology.ts';

/** The shape of a made-up machine, all of whose sockets, NUMA nodes and cores are alike. */
export interface MachineShape {
  /** Default 1. */
  readonly sockets?: number;
  /** Default 1. */
  readonly numaNodesPerSocket?: number;
  readonly coresPerNumaNode: number;
  /** Default 1. */
  readonly threadsPerCore?: number;
  /** How many shared caches a NUMA node is divided by; default 1, which is a cache of the whole node. */
  readonly cachesPerNumaNode?: number;
  readonly memoryPerNumaNodeBytes: number;
  /** The number of huge pages of 2 MiB that the memory of each NUMA node has; default 0. */
  readonly hugePagesPerNumaNode?: number;
}

/** Distances as firmware reports them: to itself, to another NUMA node of the socket, to one of another socket. */
const DISTANCES = { same: 10, near: 11, far: 21 };
const HUGE_PAGE_KIBIBYTES = 2048;

/**
 * The topology of a made-up machine. Threads are numbered as Linux numbers them on most machines: the first threads of all cores, then their
 * second threads.
 *
 * Example: 2 sockets of 1 NUMA node with 2 cores of 2 threads: core 0 has the processors 0 and 4, NUMA node 1 has 2, 3, 6 and 7.
 */
export function madeTopology(shape: MachineShape): MachineTopology {
  const { sockets = 1, numaNodesPerSocket = 1, coresPerNumaNode, threadsPerCore = 1, cachesPerNumaNode = 1 } = shape;
  const nodes = sockets * numaNodesPerSocket;
  const cores = nodes * coresPerNumaNode;
  const socketOf = (node: number): number => Math.floor(node / numaNodesPerSocket);
  const processors = Array.from({ length: cores * threadsPerCore }, (_, cpu): Processor => {
    const core = cpu % cores;
    const numaNode = Math.floor(core / coresPerNumaNode);
    const socket = socketOf(numaNode);
    const cache = Math.floor(core / (coresPerNumaNode / cachesPerNumaNode));
    return { cpu, core, socket, numaNode, uncoreCache: cachesPerNumaNode === 1 ? socket : cache };
  });
  const numaNodes = Array.from({ length: nodes }, (_, id): NumaNode => ({
    id,
    memoryBytes: shape.memoryPerNumaNodeBytes,
    hugePages: new Map([[HUGE_PAGE_KIBIBYTES, shape.hugePagesPerNumaNode ?? 0]]),
    distances: Array.from({ length: nodes }, (_each, other) => {
      if (other === id) return DISTANCES.same;
      return socketOf(other) === socketOf(id) ? DISTANCES.near : DISTANCES.far;
    }),
  }));
  return { processors, numaNodes };
}
