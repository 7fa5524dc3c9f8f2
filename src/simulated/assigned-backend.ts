import {
  assignmentMetrics,
  CpuReconciler,
  formatCpuList,
  type HintProvider,
  type MachineTopology,
  ResourceAssigner,
  UNCHANGED,
} from '../assignment/index.ts';
import { messageOf } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import {
  type BackendContext,
  type Checkpoints,
  CONTAINER_NAME,
  type NodeBackend,
  type NodeResources,
  POD_UID,
  type Refusal,
  UNLIMITED,
} from '../node/index.ts';
import type { ContainerPlaces } from './container-files.ts';
import type { ShapedMachine } from './simulated-machine-shape.ts';

/**
 * A simulated node on a made-up machine, whose processors and memory are assigned to containers by the code that does so on Linux.
 *
 * Assignments are in memory: after a restart of the process, pods that run are assigned processors and memory as if they were new.
 */
export async function assignedBackend(
  backend: NodeBackend,
  { topology, assignment, resources }: ShapedMachine,
  { clock, log, providers }: Pick<BackendContext, 'clock' | 'log'> & { readonly providers: readonly HintProvider[] },
): Promise<NodeBackend> {
  const metrics = assignmentMetrics();
  const assigner = await ResourceAssigner.open({
    options: assignment,
    topology,
    reserved: resources.reserved,
    checkpoints: new MemoryCheckpoints(),
    providers,
    clock,
    metrics,
  });
  const reconciler = new CpuReconciler({
    runtime: backend.runtime,
    clock,
    log,
    retryMs: assignment.cpuManagerReconcilePeriodMs,
    cpusOf: (uid, name) => assigner.cpusOf(uid, name),
  });
  const assigned = new AssignedResources(assigner, topology, () => void reconciler.reconcile());
  return {
    ...backend,
    podUpdated(pod) {
      backend.podUpdated(pod);
      if (!assigned.meets(pod)) return;
      assigned.showPlaces(pod, backend.runtime).catch((error: unknown) => {
        log.warn('processors of containers are not shown', { error: messageOf(error) });
      });
    },
    metrics: {
      families: () => [...(backend.metrics?.families() ?? []), ...metrics.families(), ...assigner.families()],
      pullMs: (uid) => backend.metrics?.pullMs(uid) ?? 0,
    },
    resources: assigned,
    async [Symbol.asyncDispose]() {
      reconciler[Symbol.dispose]();
      await backend[Symbol.asyncDispose]();
    },
  };
}

class MemoryCheckpoints implements Checkpoints {
  readonly #texts = new Map<string, string>();

  async read(name: string): Promise<string | undefined> {
    return this.#texts.get(name);
  }

  async write(name: string, text: string): Promise<void> {
    this.#texts.set(name, text);
  }
}

/** Assigns processors and memory, and limits nothing. */
class AssignedResources implements NodeResources {
  readonly checkpoints = undefined;
  readonly prepare = UNLIMITED.prepare;
  readonly limits = UNLIMITED.limits;
  readonly setLimits = UNLIMITED.setLimits;
  readonly memoryUsage = UNLIMITED.memoryUsage;
  readonly #assigner: ResourceAssigner;
  readonly #cpusChanged: () => void;
  /** All processors and NUMA nodes, for containers that are not restricted. */
  readonly #everywhere: ContainerPlaces;
  /** The uids of pods whose containers show where they may run. */
  readonly #met = new Set<string>();

  constructor(assigner: ResourceAssigner, { processors, numaNodes }: MachineTopology, cpusChanged: () => void) {
    this.#assigner = assigner;
    this.#cpusChanged = cpusChanged;
    this.#everywhere = {
      cpusetCpus: formatCpuList(processors.map(({ cpu }) => cpu)),
      cpusetMems: formatCpuList(numaNodes.map(({ id }) => id)),
    };
  }

  /** True for a pod that an earlier run of the process has started, when it is seen first. */
  meets({ metadata, status }: Observed<Pod>): boolean {
    if (this.#met.has(metadata.uid)) return false;
    this.#met.add(metadata.uid);
    return status?.startTime !== undefined;
  }

  /** Shows the containers of a pod where they may run. */
  async showPlaces(pod: Observed<Pod>, runtime: NodeBackend['runtime']): Promise<void> {
    for (const { id, labels } of await runtime.listContainers()) {
      const name = labels[CONTAINER_NAME];
      if (labels[POD_UID] !== pod.metadata.uid || name === undefined) continue;
      await runtime.updateContainerResources(id, this.assigned(pod, { name }, UNCHANGED));
    }
  }

  async admit(pod: Observed<Pod>): Promise<Refusal | undefined> {
    const refusal = await this.#assigner.admit(pod);
    if (refusal === undefined && this.#assigner.hasExclusiveCpus(pod)) this.#cpusChanged();
    return refusal;
  }

  refuseResize(_pod: Observed<Pod>, changed: { readonly cpu: boolean; readonly memory: boolean }): string | undefined {
    return this.#assigner.refuseResize(changed);
  }

  async allocated(pod: Observed<Pod>): Promise<void> {
    const isOfEarlierRun = pod.status?.startTime !== undefined && !this.#assigner.podUids().includes(pod.metadata.uid);
    if (isOfEarlierRun) await this.admit(pod);
  }

  assigned(
    ...[pod, container, resources]: Parameters<NodeResources['assigned']>
  ): ReturnType<NodeResources['assigned']> {
    return { ...this.#everywhere, ...this.#assigner.assigned(pod, container, resources) };
  }

  given(...[podUid, container]: Parameters<NodeResources['given']>): ReturnType<NodeResources['given']> {
    return this.#assigner.given(podUid, container);
  }

  givable(): ReturnType<NodeResources['givable']> {
    return this.#assigner.givable();
  }

  async released(podUid: string): Promise<void> {
    this.#met.delete(podUid);
    const hadOwn = this.#assigner.podUids().includes(podUid);
    await this.#assigner.release(podUid);
    if (hadOwn) this.#cpusChanged();
  }

  remove(podUid: string): Promise<void> {
    return this.released(podUid);
  }

  async leftovers(): Promise<readonly string[]> {
    return this.#assigner.podUids();
  }
}
