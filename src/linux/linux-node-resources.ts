import type { ResourceAssigner } from '../assignment/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type {
  CgroupLimits,
  Checkpoints,
  ContainerSpec,
  GivenResources,
  LinuxContainerResources,
  NodeResources,
  Refusal,
} from '../node/index.ts';
import type { NodeCgroups } from './cgroups/node-cgroups.ts';

export interface LinuxNodeResourcesParts {
  readonly cgroups: NodeCgroups;
  readonly assigner: ResourceAssigner;
  readonly checkpoints: Checkpoints;
  /** Called when processors were assigned or given back: containers that share the others have to follow. */
  cpusChanged(): void;
}

/** Limits pods in the machine's cgroups, and assigns processors and memory to them. */
export class LinuxNodeResources implements NodeResources {
  readonly checkpoints: Checkpoints;
  readonly #parts: LinuxNodeResourcesParts;

  constructor(parts: LinuxNodeResourcesParts) {
    this.#parts = parts;
    this.checkpoints = parts.checkpoints;
  }

  async admit(pod: Observed<Pod>): Promise<Refusal | undefined> {
    const refusal = await this.#parts.assigner.admit(pod);
    if (refusal === undefined && this.#parts.assigner.hasExclusiveCpus(pod)) this.#parts.cpusChanged();
    return refusal;
  }

  refuseResize(_pod: Observed<Pod>, changed: { readonly cpu: boolean; readonly memory: boolean }): string | undefined {
    return this.#parts.assigner.refuseResize(changed);
  }

  allocated(pod: Observed<Pod>): Promise<void> {
    return this.#parts.cgroups.count(pod);
  }

  prepare(pod: Observed<Pod>): Promise<void> {
    const { cgroups, assigner } = this.#parts;
    return cgroups.preparePod(pod, { hasExclusiveCpus: assigner.hasExclusiveCpus(pod) });
  }

  assigned(pod: Observed<Pod>, container: ContainerSpec, resources: LinuxContainerResources): LinuxContainerResources {
    return this.#parts.assigner.assigned(pod, container, resources);
  }

  given(podUid: string, container: string): GivenResources {
    return this.#parts.assigner.given(podUid, container);
  }

  givable(): GivenResources {
    return this.#parts.assigner.givable();
  }

  limits(pod: Observed<Pod>): Promise<CgroupLimits | undefined> {
    return this.#parts.cgroups.podLimits(pod);
  }

  setLimits(pod: Observed<Pod>, limits: CgroupLimits): Promise<void> {
    return this.#parts.cgroups.setPodLimits(pod, limits);
  }

  memoryUsage(pod: Observed<Pod>): Promise<number | undefined> {
    return this.#parts.cgroups.podMemoryUsage(pod);
  }

  async released(podUid: string): Promise<void> {
    const { assigner, cgroups, cpusChanged } = this.#parts;
    const hadOwn = assigner.podUids().includes(podUid);
    await assigner.release(podUid);
    await cgroups.discount(podUid);
    if (hadOwn) cpusChanged();
  }

  async remove(podUid: string): Promise<void> {
    await this.released(podUid);
    await this.#parts.cgroups.removePod(podUid);
  }

  async leftovers(): Promise<readonly string[]> {
    const { assigner, cgroups } = this.#parts;
    return [...new Set([...assigner.podUids(), ...(await cgroups.podUids())])];
  }
}
