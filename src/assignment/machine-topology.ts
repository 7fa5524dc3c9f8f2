/** A logical processor and where it is. */
export interface Processor {
  readonly cpu: number;
  /** The lowest processor of the same physical core: unique over all sockets. */
  readonly core: number;
  readonly socket: number;
  readonly numaNode: number;
  /** The cache that the processor shares with a part of its NUMA node; the socket where it shares none. */
  readonly uncoreCache: number;
}

/** A NUMA node with its memory. */
export interface NumaNode {
  readonly id: number;
  readonly memoryBytes: number;
  /** Number of pages by size in KiB. */
  readonly hugePages: ReadonlyMap<number, number>;
  /** To each NUMA node, in the order of their ids: 10 to itself. */
  readonly distances: readonly number[];
}

/** Where the processors and the memory of a machine are. */
export interface MachineTopology {
  /** Those that are online, by number. */
  readonly processors: readonly Processor[];
  readonly numaNodes: readonly NumaNode[];
}
