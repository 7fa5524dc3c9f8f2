import { parseQuantity, ValueError } from '../api/values/index.ts';
import {
  type AssignmentOptions,
  binary,
  checkAssignment,
  DEFAULT_ASSIGNMENT_OPTIONS,
  type MachineShape,
  type MachineTopology,
  madeTopology,
} from '../assignment/index.ts';
import type { ResourceTexts } from '../node/index.ts';
import type { SimulatedMachineOptions } from './simulated-machine.ts';

/**
 * A made-up machine, and how its processors and memory are assigned to containers. Settings of the managers have the names and defaults of
 * KubeletConfiguration.
 */
export interface SimulatedMachine
  extends
    Omit<MachineShape, 'memoryPerNumaNodeBytes'>,
    Partial<Omit<AssignmentOptions, 'cpuManagerReconcilePeriodMs'>> {
  /** Default `8Gi`. */
  readonly memoryPerNumaNode?: string;
  /** What the node keeps back from pods: `{ cpu: '1', memory: '1Gi' }`; default nothing. */
  readonly systemReserved?: ResourceTexts;
}

/** Limits that keep decisions quick: 8192 processors are the kernel's own. */
const MAX_PROCESSORS = 8192;
const MAX_NUMA_NODES = 64;
/** Each NUMA node more doubles the sets to look at, where NUMA nodes have to be agreed on. */
const MAX_AGREEING_NUMA_NODES = 16;
const DEFAULT_MEMORY = '8Gi';

const COUNTS = ['sockets', 'numaNodesPerSocket', 'coresPerNumaNode', 'threadsPerCore', 'cachesPerNumaNode'] as const;

/** A machine that was checked. */
export interface ShapedMachine {
  readonly topology: MachineTopology;
  readonly assignment: AssignmentOptions;
  /** What the machine has, and what it keeps back. */
  readonly resources: Required<Pick<SimulatedMachineOptions, 'capacity' | 'reserved'>>;
}

/** Throws on a machine that cannot be. */
export function shapeMachine(machine: SimulatedMachine): ShapedMachine {
  for (const name of COUNTS) {
    const count = machine[name] ?? 1;
    if (!Number.isInteger(count) || count < 1)
      throw new TypeError(`A machine cannot have ${name}: ${JSON.stringify(count)}: need an integer >= 1`);
  }
  const { sockets = 1, numaNodesPerSocket = 1, coresPerNumaNode, threadsPerCore = 1, cachesPerNumaNode = 1 } = machine;
  const pages = machine.hugePagesPerNumaNode ?? 0;
  if (!Number.isInteger(pages) || pages < 0)
    throw new TypeError(`A machine cannot have hugePagesPerNumaNode: ${pages}: need an integer >= 0`);
  const nodes = sockets * numaNodesPerSocket;
  const processors = nodes * coresPerNumaNode * threadsPerCore;
  if (processors > MAX_PROCESSORS)
    throw new TypeError(`A machine cannot have ${processors} processors: at most ${MAX_PROCESSORS}`);
  const assignment = assignmentOf(machine);
  const isAgreeing = assignment.topologyManagerPolicy !== 'none' || assignment.memoryManagerPolicy !== 'None';
  const maxNodes = isAgreeing ? MAX_AGREEING_NUMA_NODES : MAX_NUMA_NODES;
  if (nodes > maxNodes)
    throw new TypeError(
      `A machine cannot have ${nodes} NUMA nodes: at most ${MAX_NUMA_NODES}, and ${MAX_AGREEING_NUMA_NODES} with a topology or memory manager`,
    );
  if (coresPerNumaNode % cachesPerNumaNode !== 0)
    throw new TypeError(
      `${coresPerNumaNode} cores of a NUMA node cannot share ${cachesPerNumaNode} caches: each cache needs the same number of cores`,
    );
  const memory = bytesOf(machine.memoryPerNumaNode ?? DEFAULT_MEMORY);
  const topology = madeTopology({ ...machine, memoryPerNumaNodeBytes: memory });
  const capacity = {
    cpu: String(processors),
    memory: binary(memory * nodes),
    'hugepages-2Mi': binary(pages * 2 * 1024 ** 2 * nodes),
  };
  const { systemReserved: reserved = {} } = machine;
  checkAssignment({ options: assignment, topology, reserved });
  return { topology, assignment, resources: { capacity, reserved } };
}

function assignmentOf(machine: SimulatedMachine): AssignmentOptions {
  const entries = Object.keys(DEFAULT_ASSIGNMENT_OPTIONS)
    .map((name) => [name, machine[name as keyof SimulatedMachine]] as const)
    .filter(([, value]) => value !== undefined);
  return { ...DEFAULT_ASSIGNMENT_OPTIONS, ...Object.fromEntries(entries) };
}

function bytesOf(text: string): number {
  const amount = parseQuantity(text);
  if (amount instanceof ValueError || amount.value() <= 0)
    throw new TypeError(`A machine cannot have memoryPerNumaNode: ${JSON.stringify(text)}: need an amount`);
  return amount.value();
}
