import {
  type ContainerStatus,
  isRuntimeNotFound,
  type PodSandboxStatus,
  type RuntimeService,
} from './runtime/index.ts';

/** What the runtime has of a pod. */
export interface PodRuntimeState {
  /** The newest sandbox of the pod. */
  readonly sandbox: PodSandboxStatus;
  /** Of that sandbox, newest first. */
  readonly containers: readonly ContainerStatus[];
}

/** The sandbox that containers of a pod are made in. */
export interface PodSandbox {
  readonly id: string;
  readonly attempt: number;
}

/** One pod as its runtime knows it, whichever calls of the runtime fill that in. */
export class PodState {
  readonly #uid: string;
  readonly #runtime: RuntimeService;
  #sandbox: PodSandbox | undefined;

  constructor(uid: string, runtime: RuntimeService) {
    this.#uid = uid;
    this.#runtime = runtime;
  }

  /** As it was last found or made. */
  get sandbox(): PodSandbox | undefined {
    return this.#sandbox;
  }

  /** Undefined when the runtime has no sandbox of the pod. */
  async read(): Promise<PodRuntimeState | undefined> {
    if (this.#sandbox === undefined) {
      const [newest] = await this.sandboxes();
      if (newest === undefined) return undefined;
      this.#sandbox = { id: newest.id, attempt: newest.metadata.attempt };
    }
    try {
      const { status, containersStatuses } = await this.#runtime.podSandboxStatus(this.#sandbox.id);
      return { sandbox: status, containers: containersStatuses ?? (await this.#listContainers(status.id)) };
    } catch (error) {
      if (!isRuntimeNotFound(error)) throw error;
      this.#sandbox = undefined; // it was removed behind the agent's back
      return undefined;
    }
  }

  /** All sandboxes of the pod, newest first. */
  async sandboxes(): Promise<readonly PodSandboxStatus[]> {
    const sandboxes = await this.#runtime.listPodSandbox({ podUid: this.#uid });
    return [...sandboxes].sort((left, right) => right.createdAtMs - left.createdAtMs);
  }

  /** A new sandbox takes the place of the one before. */
  created(sandbox: PodSandbox): void {
    this.#sandbox = sandbox;
  }

  async #listContainers(podSandboxId: string): Promise<readonly ContainerStatus[]> {
    const listed = await this.#runtime.listContainers({ podSandboxId });
    const found = await Promise.all(
      listed.map(({ id }) =>
        this.#runtime.containerStatus(id).catch((error: unknown) => {
          if (isRuntimeNotFound(error)) return undefined;
          throw error;
        }),
      ),
    );
    const containers = found.filter((each) => each !== undefined);
    return containers.sort(
      (left, right) => right.createdAtMs - left.createdAtMs || right.metadata.attempt - left.metadata.attempt,
    );
  }
}

/** Dead containers that are not needed any more: of each container of a pod, the last run that has ended stays. */
export function deadContainers(containers: readonly ContainerStatus[]): readonly ContainerStatus[] {
  const kept = new Set<string>();
  return containers
    .filter(({ state }) => state === 'CONTAINER_EXITED')
    .toSorted((left, right) => right.createdAtMs - left.createdAtMs || right.metadata.attempt - left.metadata.attempt)
    .filter(({ podSandboxId, metadata }) => {
      const run = `${podSandboxId} ${metadata.name}`;
      const isOld = kept.has(run);
      kept.add(run);
      return isOld;
    });
}
