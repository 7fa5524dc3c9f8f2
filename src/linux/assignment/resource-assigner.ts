import { amountsOf } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type {
  Checkpoints,
  ContainerSpec,
  GivenMemory,
  GivenResources,
  LinuxContainerResources,
  Refusal,
  ResourceTexts,
} from '../../node/index.ts';
import { formatCpuList, parseCpuList } from '../machine/cpu-list.ts';
import type { MachineTopology } from '../machine/machine-topology.ts';
import { type AssignmentOptions, staticCpuOptions, topologyOptions } from './assignment-options.ts';
import { CpuCheckpoint } from './cpu-checkpoint.ts';
import { type MemoryBlock, MemoryCheckpoint } from './memory-state.ts';
import { reservedCpus, StaticCpus } from './static-cpus.ts';
import { checkReservedMemory, StaticMemory } from './static-memory.ts';
import { TopologyAdmission } from './topology-admission.ts';
import { TopologyAgreement } from './topology-agreement.ts';
import type { HintProvider } from './topology-hints.ts';

export interface AssignerParts {
  readonly options: AssignmentOptions;
  readonly topology: MachineTopology;
  /** What the node keeps back from pods. */
  readonly reserved: ResourceTexts;
  readonly checkpoints: Checkpoints;
  /** Asked after processors and memory: devices. */
  readonly providers?: readonly HintProvider[];
}

/** Assigns processors and memory of the machine to containers, as the policies of the node say. */
export class ResourceAssigner {
  readonly #options: AssignmentOptions;
  readonly #cpus: StaticCpus | undefined;
  readonly #memory: StaticMemory | undefined;
  readonly #admission: TopologyAdmission;

  static async open(parts: AssignerParts): Promise<ResourceAssigner> {
    const { options, topology, reserved, checkpoints, providers = [] } = parts;
    const cpus = await openCpus(parts);
    const memory = await openMemory({ options, topology, reserved, checkpoints });
    const { topologyManagerPolicy: policy } = options;
    const settings = topologyOptions(options.topologyManagerPolicyOptions);
    const agreement = policy === 'none' ? undefined : new TopologyAgreement(policy, topology.numaNodes, settings);
    const own = [...(cpus === undefined ? [] : [cpus]), ...(memory === undefined ? [] : [memory])];
    const admission = new TopologyAdmission({
      providers: [...own, ...providers],
      agreement,
      scope: options.topologyManagerScope,
    });
    return new ResourceAssigner(options, admission, { cpus, memory });
  }

  private constructor(
    options: AssignmentOptions,
    admission: TopologyAdmission,
    { cpus, memory }: { readonly cpus: StaticCpus | undefined; readonly memory: StaticMemory | undefined },
  ) {
    this.#options = options;
    this.#admission = admission;
    this.#cpus = cpus;
    this.#memory = memory;
  }

  admit(pod: Observed<Pod>): Promise<Refusal | undefined> {
    return this.#admission.admit(pod);
  }

  release(podUid: string): Promise<void> {
    return this.#admission.release(podUid);
  }

  /** The uids of pods that have something, also those of an earlier run of the agent. */
  podUids(): readonly string[] {
    return [...new Set([...(this.#cpus?.podUids() ?? []), ...(this.#memory?.podUids() ?? [])])];
  }

  refuseResize({ cpu, memory }: { readonly cpu: boolean; readonly memory: boolean }): string | undefined {
    if (cpu && this.#cpus !== undefined) return refusal('CPU', this.#options.cpuManagerPolicy);
    return memory && this.#memory !== undefined ? refusal('Memory', this.#options.memoryManagerPolicy) : undefined;
  }

  /** Whether a container of the pod has processors alone: a quota would only slow it down. */
  hasExclusiveCpus({ metadata }: Observed<Pod>): boolean {
    return this.#cpus?.podUids().includes(metadata.uid) ?? false;
  }

  /** The list of processors that a container may use; undefined for all. */
  cpusOf(podUid: string, container: string): string | undefined {
    const cpus = this.#cpus?.exclusive(podUid, container) ?? this.#cpus?.shared;
    return cpus === undefined ? undefined : formatCpuList(cpus);
  }

  /** What a container has for itself. */
  given(podUid: string, container: string): GivenResources {
    const cpus = [...(this.#cpus?.exclusive(podUid, container) ?? [])].toSorted(ascending);
    return { cpus, memory: givenMemory(this.#memory?.blocksOf(podUid, container) ?? []) };
  }

  /** What containers can be given for themselves, in use or not. */
  givable(): GivenResources {
    const cpus = [...(this.#cpus?.allocatable() ?? [])].toSorted(ascending);
    return { cpus, memory: givenMemory(this.#memory?.allocatable() ?? []) };
  }

  assigned(pod: Observed<Pod>, { name }: ContainerSpec, resources: LinuxContainerResources): LinuxContainerResources {
    const { uid } = pod.metadata;
    const cpusetCpus = this.cpusOf(uid, name);
    const nodes = this.#memory?.nodesOf(uid, name);
    const isExclusive = this.#cpus?.exclusive(uid, name) !== undefined;
    return {
      ...resources,
      ...(isExclusive && resources.cpuPeriod > 0 ? { cpuQuota: -1 } : {}),
      ...(cpusetCpus === undefined ? {} : { cpusetCpus }),
      ...(nodes === undefined ? {} : { cpusetMems: formatCpuList(nodes) }),
    };
  }
}

function ascending(left: number, right: number): number {
  return left - right;
}

function givenMemory(blocks: readonly MemoryBlock[]): readonly GivenMemory[] {
  return blocks.map(({ type, size, numaAffinity }) => ({ type, size, nodes: numaAffinity }));
}

function refusal(what: 'CPU' | 'Memory', policy: string): string {
  return `Resize is infeasible for Guaranteed Pods alongside ${what} Manager policy "${policy}"`;
}

async function openCpus({ options, topology, reserved, checkpoints }: AssignerParts): Promise<StaticCpus | undefined> {
  if (options.cpuManagerPolicy === 'none') {
    if (Object.keys(options.cpuManagerPolicyOptions).length > 0)
      throw new Error('The none policy of the CPU manager takes no options: cpuManagerPolicyOptions must be empty');
    const checkpoint = new CpuCheckpoint(checkpoints, 'none');
    await checkpoint.read(); // refuses what another policy has assigned
    await checkpoint.write({ shared: new Set(), assigned: new Map() });
    return undefined;
  }
  const { processors } = topology;
  const cpuOptions = staticCpuOptions(options.cpuManagerPolicyOptions);
  if (cpuOptions.isBySocket && options.topologyManagerPolicy === 'single-numa-node')
    throw new Error(
      'Topology manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option',
    );
  const listed = parseCpuList(options.reservedSystemCPUs);
  const milliCpu = amountsOf(reserved).get('cpu')?.milliValue() ?? 0;
  return StaticCpus.open({
    topology: processors,
    options: cpuOptions,
    reserved: reservedCpus(processors, { listed, milliCpu }, cpuOptions),
    checkpoints,
  });
}

async function openMemory(parts: AssignerParts): Promise<StaticMemory | undefined> {
  const { options, topology, reserved, checkpoints } = parts;
  if (options.memoryManagerPolicy === 'None') {
    const checkpoint = new MemoryCheckpoint(checkpoints, 'None');
    await checkpoint.read();
    await checkpoint.write({ machine: new Map(), assigned: new Map() });
    return undefined;
  }
  const memory = { nodes: topology.numaNodes, reserved: options.reservedMemory };
  checkReservedMemory(memory, reserved);
  return StaticMemory.open({ ...memory, checkpoints });
}
