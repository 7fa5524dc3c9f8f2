import type { Observed, Pod } from '../client/index.ts';
import type { ContainerSpec, PodStatus } from '../node/index.ts';
import type { ImageCommands } from './image-commands.ts';

/** The pods of a node that have a container whose image is mapped to a command. */
export class ProcessPods {
  readonly #commands: ImageCommands;
  /** By uid. */
  readonly #pods = new Map<string, Observed<Pod>>();

  constructor(commands: ImageCommands) {
    this.#commands = commands;
  }

  has(podUid: string): boolean {
    return this.#pods.has(podUid);
  }

  /** Whether any container of the pod is a process. */
  isProcessPod(pod: Observed<Pod>): boolean {
    return containersOf(pod).some((container) => this.#isProcess(pod, container));
  }

  /** Takes note of a pod. Returns it without the statuses of its processes, which the simulation must not take for its own. */
  update(pod: Observed<Pod>): Observed<Pod> {
    if (!this.isProcessPod(pod)) return pod;
    this.#pods.set(pod.metadata.uid, pod);
    const { status } = pod;
    if (status === undefined) return pod;
    const processes = new Set(containersOf(pod).flatMap((each) => (this.#isProcess(pod, each) ? [each.name] : [])));
    const others = (statuses: PodStatus['containerStatuses']) =>
      statuses?.filter(({ name }) => !processes.has(name)) ?? [];
    return {
      ...pod,
      status: {
        ...status,
        initContainerStatuses: others(status.initContainerStatuses),
        containerStatuses: others(status.containerStatuses),
        ephemeralContainerStatuses: others(status.ephemeralContainerStatuses),
      },
    };
  }

  forget(podUid: string): void {
    this.#pods.delete(podUid);
  }

  /** The variables that a container of a pod sets itself. */
  variablesOf(podUid: string, container: string): ReadonlySet<string> {
    return new Set((this.#find(podUid, container)?.env ?? []).map(({ name }) => name));
  }

  /** The TCP ports of a container of a pod. */
  portsOf(podUid: string, container: string): readonly number[] {
    const { ports = [] } = this.#find(podUid, container) ?? {};
    return ports.filter(({ protocol = 'TCP' }) => protocol === 'TCP').map(({ containerPort }) => containerPort);
  }

  #find(podUid: string, name: string): ContainerSpec | undefined {
    const pod = this.#pods.get(podUid);
    return pod === undefined ? undefined : containersOf(pod).find((container) => container.name === name);
  }

  #isProcess({ metadata }: Observed<Pod>, { image = '' }: ContainerSpec): boolean {
    return this.#commands.find(image, metadata.namespace ?? '') !== undefined;
  }
}

function containersOf({ spec }: Observed<Pod>): readonly ContainerSpec[] {
  return [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...((spec?.ephemeralContainers ?? []) as readonly ContainerSpec[]),
  ];
}
