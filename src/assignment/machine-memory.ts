// The memory of a machine by NUMA node, as the static policy counts it.
import { amountsOf } from '../api/meaning/index.ts';
import type { ResourceTexts } from '../node/index.ts';
import { binary } from './binary-size.ts';
import type { NumaNode } from './machine-topology.ts';
import type { MachineMemory, NodeMemory } from './memory-state.ts';

export interface ReservedNodes {
  readonly nodes: readonly NumaNode[];
  /** What is reserved on each NUMA node. */
  readonly reserved: readonly { readonly numaNode: number; readonly limits: ResourceTexts }[];
}

const MEMORY = 'memory';
const HUGE_PAGES = 'hugepages-';

/** The memory of a machine on which no container has any. */
export function unusedMemory({ nodes, reserved }: ReservedNodes): MachineMemory {
  const machine = new Map<number, NodeMemory>();
  for (const { id, memoryBytes, hugePages } of nodes) {
    const kept = (kind: string): number =>
      amountsOf(reserved.find(({ numaNode }) => numaNode === id)?.limits)
        .get(kind)
        ?.value() ?? 0;
    const memoryMap: Record<string, NodeMemory['memoryMap'][string]> = {};
    let inPages = 0;
    for (const [kibibytes, count] of hugePages) {
      const kind = `${HUGE_PAGES}${binary(kibibytes * 1024)}`;
      const total = kibibytes * 1024 * count;
      inPages += total;
      memoryMap[kind] = tableOf(total, kept(kind), 0);
    }
    memoryMap[MEMORY] = tableOf(memoryBytes, kept(MEMORY), inPages);
    machine.set(id, { numberOfAssignments: 0, memoryMap, cells: [id] });
  }
  return machine;
}

function tableOf(total: number, systemReserved: number, inPages: number): NodeMemory['memoryMap'][string] {
  const allocatable = total - systemReserved - inPages;
  return { total, systemReserved, allocatable, reserved: 0, free: allocatable };
}

/** How memory is divided within a group of NUMA nodes depends on the order of assignments, so groups are compared as a whole. */
export function isSameMachine(left: MachineMemory, right: MachineMemory): boolean {
  if (left.size !== right.size) return false;
  for (const [id, node] of left) {
    const other = right.get(id);
    if (other === undefined || node.numberOfAssignments !== other.numberOfAssignments) return false;
    if (!isSameGroup(node.cells, other.cells)) return false;
    const kinds = Object.keys(node.memoryMap);
    if (kinds.length !== Object.keys(other.memoryMap).length) return false;
    for (const kind of kinds) {
      const [one, two] = [node.memoryMap[kind], other.memoryMap[kind]];
      if (one?.total !== two?.total || one?.allocatable !== two?.allocatable) return false;
      const free = (machine: MachineMemory): number =>
        node.cells.reduce((sum, cell) => sum + (machine.get(cell)?.memoryMap[kind]?.free ?? 0), 0);
      if (free(left) !== free(right)) return false;
    }
  }
  return true;
}

export function isSameGroup(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((id) => right.includes(id));
}
