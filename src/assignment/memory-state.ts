import { type Checkpoints, goChecksum } from '../node/index.ts';
import { type PolicyContent, readPolicyCheckpoint } from './policy-checkpoint.ts';

/** One kind of memory on a NUMA node, in bytes. */
export interface MemoryTable {
  readonly total: number;
  readonly systemReserved: number;
  readonly allocatable: number;
  reserved: number;
  free: number;
}

/** The memory of a NUMA node. */
export interface NodeMemory {
  /** Each kind of memory of each container counts. */
  numberOfAssignments: number;
  readonly memoryMap: Readonly<Record<string, MemoryTable>>;
  /** The NUMA nodes that containers use together with this one. */
  cells: readonly number[];
}

/** Memory that a container was given. */
export interface MemoryBlock {
  readonly numaAffinity: readonly number[];
  /** `memory`, `hugepages-2Mi`. */
  readonly type: string;
  readonly size: number;
}

export type MachineMemory = ReadonlyMap<number, NodeMemory>;
/** By pod and container. */
export type MemoryAssignments = Map<string, Map<string, readonly MemoryBlock[]>>;

export interface MemoryState {
  readonly machine: MachineMemory;
  readonly assigned: MemoryAssignments;
}

/** The name that a kubelet gives the file. */
const NAME = 'memory_manager_state';

interface Content extends PolicyContent {
  readonly machineState?: Readonly<Record<string, NodeMemory>>;
  readonly entries?: Readonly<Record<string, Readonly<Record<string, readonly MemoryBlock[]>>>>;
}

/** Stores assignments of memory in a kubelet's file and format. */
export class MemoryCheckpoint {
  readonly #checkpoints: Checkpoints;
  readonly #policy: string;

  constructor(checkpoints: Checkpoints, policy: 'None' | 'Static') {
    this.#checkpoints = checkpoints;
    this.#policy = policy;
  }

  /** Undefined when nothing was stored. Throws on a file that is damaged or of another policy: running containers rely on it. */
  async read(): Promise<MemoryState | undefined> {
    const content = await readPolicyCheckpoint<Content>(this.#checkpoints, {
      name: NAME,
      policy: this.#policy,
      checksumOf: (found) => checksumOf(found.policyName ?? '', stateOf(found)),
    });
    const state = stateOf(content ?? {});
    return state.machine.size === 0 ? undefined : state;
  }

  async write(state: MemoryState): Promise<void> {
    const machineState = Object.fromEntries([...state.machine].map(([id, node]) => [String(id), node]));
    const entries = Object.fromEntries(
      [...state.assigned].map(([uid, containers]) => [uid, Object.fromEntries(containers)]),
    );
    const checksum = checksumOf(this.#policy, state);
    const filled = state.assigned.size === 0 ? {} : { entries };
    await this.#checkpoints.write(
      NAME,
      JSON.stringify({ policyName: this.#policy, machineState, ...filled, checksum }),
    );
  }
}

function stateOf({ machineState = {}, entries = {} }: Content): MemoryState {
  return {
    machine: new Map(Object.entries(machineState).map(([id, node]) => [Number(id), node])),
    assigned: new Map(Object.entries(entries).map(([uid, containers]) => [uid, new Map(Object.entries(containers))])),
  };
}

/** Over the content as Go prints the kubelet's struct. */
function checksumOf(policy: string, { machine, assigned }: MemoryState): number {
  const nodes = [...machine]
    .toSorted(([left], [right]) => left - right)
    .map(([id, node]) => `${id}:<*>${nodeText(node)}`);
  const pods = sorted([...assigned]).map(([uid, containers]) => {
    const own = sorted([...containers]).map(([name, blocks]) => `${name}:[${blocks.map(blockText).join(' ')}]`);
    return `${uid}:map[${own.join(' ')}]`;
  });
  const state = `MachineState:(state.NUMANodeMap)map[${nodes.join(' ')}]`;
  const entries = `Entries:(state.ContainerMemoryAssignments)map[${pods.join(' ')}]`;
  return goChecksum(
    `(*state.MemoryManagerCheckpoint){PolicyName:(string)${policy} ${state} ${entries} Checksum:(checksum.Checksum)0}`,
  );
}

function nodeText({ numberOfAssignments, memoryMap, cells }: NodeMemory): string {
  const tables = sorted(Object.entries(memoryMap)).map(
    ([name, { total, systemReserved, allocatable, reserved, free }]) => {
      const sizes = `TotalMemSize:(uint64)${total} SystemReserved:(uint64)${systemReserved} Allocatable:(uint64)${allocatable}`;
      return `${name}:<*>{${sizes} Reserved:(uint64)${reserved} Free:(uint64)${free}}`;
    },
  );
  const map = `MemoryMap:(map[v1.ResourceName]*state.MemoryTable)map[${tables.join(' ')}]`;
  return `{NumberOfAssignments:(int)${numberOfAssignments} ${map} Cells:([]int)[${cells.join(' ')}]}`;
}

function blockText({ numaAffinity, type, size }: MemoryBlock): string {
  return `{NUMAAffinity:([]int)[${numaAffinity.join(' ')}] Type:(v1.ResourceName)${type} Size:(uint64)${size}}`;
}

function sorted<T>(entries: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] {
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
}
