import { amountsOf } from '../api/meaning/index.ts';
import type { Clock } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type {
  Checkpoints,
  ContainerSpec,
  Family,
  GivenMemory,
  GivenResources,
  LinuxContainerResources,
  Refusal,
  ResourceTexts,
  Sample,
} from '../node/index.ts';
import { formatCpuList, parseCpuList } from './cpu-list.ts';
import type { MachineTopology, Processor } from './machine-topology.ts';
import type { AssignmentMetrics } from './assignment-metrics.ts';
import { type AssignmentOptions, staticCpuOptions, topologyOptions } from './assignment-options.ts';
import { CpuCheckpoint } from './cpu-checkpoint.ts';
import { type MemoryBlock, MemoryCheckpoint } from './memory-state.ts';
import { reservedCpus, StaticCpus, type StaticCpuParts } from './static-cpus.ts';
import { checkReservedMemory, StaticMemory, type StaticMemoryParts } from './static-memory.ts';
import { TopologyAdmission } from './topology-admission.ts';
import { TopologyAgreement } from './topology-agreement.ts';
import type { HintProvider } from './topology-hints.ts';

export interface AssignerParts {
  readonly options: AssignmentOptions;
  readonly topology: MachineTopology;
  /** What the node keeps back from pods. */
  readonly reserved: ResourceTexts;
  readonly checkpoints: Checkpoints;
  /** Asked before processors and memory, as a kubelet asks its device manager: the first provider that cannot allocate rejects the pod. */
  readonly providers?: readonly HintProvider[];
  readonly clock: Clock;
  readonly metrics: AssignmentMetrics;
}

interface AssignedParts {
  readonly cpus: StaticCpus | undefined;
  readonly memory: StaticMemory | undefined;
  readonly processors: readonly Processor[];
}

type Settings = Pick<AssignerParts, 'options' | 'topology' | 'reserved'>;

/** Throws when the machine cannot be assigned to containers with these settings. */
export function checkAssignment(settings: Settings): void {
  if (settings.options.cpuManagerPolicy === 'none') checkNoOptions(settings);
  else staticCpuParts(settings);
  if (settings.options.memoryManagerPolicy === 'Static') staticMemoryParts(settings);
  agreementOf(settings);
}

/** Assigns processors and memory of the machine to containers, as the policies of the node say. */
export class ResourceAssigner {
  readonly #options: AssignmentOptions;
  readonly #processors: readonly Processor[];
  readonly #cpus: StaticCpus | undefined;
  readonly #memory: StaticMemory | undefined;
  readonly #admission: TopologyAdmission;

  static async open(parts: AssignerParts): Promise<ResourceAssigner> {
    const { options, topology, providers = [], clock, metrics } = parts;
    const { topologyManagerPolicy: policy } = options;
    const cpus = await openCpus(parts);
    const memory = await openMemory(parts);
    const agreement = agreementOf(parts);
    const own = [...(cpus === undefined ? [] : [cpus]), ...(memory === undefined ? [] : [memory])];
    const admission = new TopologyAdmission({
      providers: [...providers, ...own],
      agreement,
      scope: options.topologyManagerScope,
      isGuaranteed: policy === 'restricted' || policy === 'single-numa-node',
      ...{ clock, metrics },
    });
    return new ResourceAssigner(options, admission, { cpus, memory, processors: topology.processors });
  }

  private constructor(
    options: AssignmentOptions,
    admission: TopologyAdmission,
    { cpus, memory, processors }: AssignedParts,
  ) {
    this.#options = options;
    this.#admission = admission;
    this.#processors = processors;
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

  /** How many processors containers have for themselves, in all and of each NUMA node, and how many are left for the others. */
  families(): readonly Family[] {
    const cpus = this.#cpus;
    if (cpus === undefined) return [];
    const perNode = new Map<number, number>();
    const given = this.#processors.filter(({ cpu }) => cpus.isGiven(cpu));
    for (const { numaNode } of given) perNode.set(numaNode, (perNode.get(numaNode) ?? 0) + 1);
    const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({
      name: `kubelet_cpu_manager_${name}`,
      type: 'gauge',
      help,
      samples,
    });
    return [
      gauge(
        'allocation_per_numa',
        'Processors of a NUMA node that containers have for themselves.',
        [...perNode].map(([node, value]) => ({ labels: { numa_node: String(node) }, value })),
      ),
      gauge('exclusive_cpu_allocation_count', 'Processors that containers have for themselves.', [
        { value: given.length },
      ]),
      gauge('shared_pool_size_millicores', 'Processors of containers that have none for themselves, in thousandths.', [
        { value: cpus.givableCount * 1000 },
      ]),
    ];
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

function checkNoOptions({ options }: Settings): void {
  if (Object.keys(options.cpuManagerPolicyOptions).length > 0)
    throw new Error('The none policy of the CPU manager takes no options: cpuManagerPolicyOptions must be empty');
}

function agreementOf({ options, topology }: Settings): TopologyAgreement | undefined {
  const { topologyManagerPolicy: policy } = options;
  const settings = topologyOptions(options.topologyManagerPolicyOptions);
  return policy === 'none' ? undefined : new TopologyAgreement(policy, topology.numaNodes, settings);
}

async function openCpus(parts: AssignerParts): Promise<StaticCpus | undefined> {
  const { checkpoints, metrics } = parts;
  if (parts.options.cpuManagerPolicy === 'none') {
    checkNoOptions(parts);
    const checkpoint = new CpuCheckpoint(checkpoints, 'none');
    await checkpoint.read(); // refuses what another policy has assigned
    await checkpoint.write({ shared: new Set(), assigned: new Map() });
    return undefined;
  }
  return StaticCpus.open({ ...staticCpuParts(parts), checkpoints, metrics });
}

function staticCpuParts({ options, topology, reserved }: Settings): Omit<StaticCpuParts, 'checkpoints' | 'metrics'> {
  const { processors } = topology;
  const cpuOptions = staticCpuOptions(options.cpuManagerPolicyOptions);
  if (cpuOptions.isBySocket && options.topologyManagerPolicy === 'single-numa-node')
    throw new Error(
      'Topology manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option',
    );
  const listed = parseCpuList(options.reservedSystemCPUs);
  const milliCpu = amountsOf(reserved).get('cpu')?.milliValue() ?? 0;
  return {
    topology: processors,
    options: cpuOptions,
    reserved: reservedCpus(processors, { listed, milliCpu }, cpuOptions),
  };
}

async function openMemory(parts: AssignerParts): Promise<StaticMemory | undefined> {
  const { options, checkpoints, metrics } = parts;
  if (options.memoryManagerPolicy === 'None') {
    const checkpoint = new MemoryCheckpoint(checkpoints, 'None');
    await checkpoint.read();
    await checkpoint.write({ machine: new Map(), assigned: new Map() });
    return undefined;
  }
  return StaticMemory.open({ ...staticMemoryParts(parts), checkpoints, metrics });
}

function staticMemoryParts({
  options,
  topology,
  reserved,
}: Settings): Omit<StaticMemoryParts, 'checkpoints' | 'metrics'> {
  const memory = { nodes: topology.numaNodes, reserved: options.reservedMemory };
  checkReservedMemory(memory, reserved);
  return memory;
}
