import type { Observed, Pod } from '../client/index.ts';
import type {
  CgroupLimits,
  Checkpoints,
  ContainerSpec,
  LinuxContainerResources,
  NodeResources,
  Refusal,
} from '../node/index.ts';
import type { NodeCgroups } from './cgroups/node-cgroups.ts';

/** Limits pods in the machine's cgroups. */
export class LinuxNodeResources implements NodeResources {
  readonly checkpoints: Checkpoints;
  readonly #cgroups: NodeCgroups;

  constructor(cgroups: NodeCgroups, checkpoints: Checkpoints) {
    this.#cgroups = cgroups;
    this.checkpoints = checkpoints;
  }

  async admit(_pod: Observed<Pod>): Promise<Refusal | undefined> {
    return undefined;
  }

  refuseResize(): string | undefined {
    return undefined;
  }

  allocated(pod: Observed<Pod>): Promise<void> {
    return this.#cgroups.count(pod);
  }

  prepare(pod: Observed<Pod>): Promise<void> {
    return this.#cgroups.preparePod(pod);
  }

  assigned(
    _pod: Observed<Pod>,
    _container: ContainerSpec,
    resources: LinuxContainerResources,
  ): LinuxContainerResources {
    return resources;
  }

  limits(pod: Observed<Pod>): Promise<CgroupLimits | undefined> {
    return this.#cgroups.podLimits(pod);
  }

  setLimits(pod: Observed<Pod>, limits: CgroupLimits): Promise<void> {
    return this.#cgroups.setPodLimits(pod, limits);
  }

  memoryUsage(pod: Observed<Pod>): Promise<number | undefined> {
    return this.#cgroups.podMemoryUsage(pod);
  }

  released(podUid: string): Promise<void> {
    return this.#cgroups.discount(podUid);
  }

  remove(podUid: string): Promise<void> {
    return this.#cgroups.removePod(podUid);
  }

  leftovers(): Promise<readonly string[]> {
    return this.#cgroups.podUids();
  }
}
