import {
  type ContainerStatus,
  isRuntimeNotFound,
  type PodSandboxStatus,
  type RuntimeService,
} from './runtime/index.ts';

/** The sandbox and containers of a pod in the runtime. */
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

/** Reads the state of one pod from the runtime, with whichever calls the runtime supports. */
export class PodState {
  readonly #uid: string;
  readonly #runtime: RuntimeService;
  #sandbox: PodSandbox | undefined;
  /** Whether the runtime had none when it was last asked for all of them. */
  #hasNone = false;
  /** Whether the pod never had another sandbox than this one. */
  #isOnly = false;
  /** Those of the sandbox that was asked last; a sandbox keeps its addresses. */
  #addresses: { readonly sandboxId: string; readonly ips: readonly string[] } | undefined;

  constructor(uid: string, runtime: RuntimeService) {
    this.#uid = uid;
    this.#runtime = runtime;
  }

  /** The sandbox that was found or created last. */
  get sandbox(): PodSandbox | undefined {
    return this.#sandbox;
  }

  /** Undefined when the runtime has no sandbox of the pod. */
  async read(): Promise<PodRuntimeState | undefined> {
    if (this.#sandbox === undefined) {
      const [newest] = await this.sandboxes();
      this.#hasNone = newest === undefined;
      if (newest === undefined) return undefined;
      this.#sandbox = { id: newest.id, attempt: newest.metadata.attempt };
    }
    try {
      const { status, containersStatuses } = await this.#runtime.podSandboxStatus(this.#sandbox.id);
      return { sandbox: status, containers: containersStatuses ?? (await this.#listContainers(status.id)) };
    } catch (error) {
      if (!isRuntimeNotFound(error)) throw error;
      this.#sandbox = undefined; // another program has removed it
      return undefined;
    }
  }

  /** The addresses of a sandbox, which the runtime is asked for once. */
  async addresses(sandboxId: string): Promise<readonly string[]> {
    if (this.#addresses?.sandboxId === sandboxId) return this.#addresses.ips;
    const { ip, additionalIps } = (await this.#runtime.podSandboxStatus(sandboxId)).status.network;
    const ips = ip === '' ? [] : [ip, ...additionalIps];
    if (ips.length > 0) this.#addresses = { sandboxId, ips };
    return ips;
  }

  /** The ids of all sandboxes of the pod, to remove them. */
  async ids(): Promise<readonly string[]> {
    if (this.#isOnly && this.#sandbox !== undefined) return [this.#sandbox.id];
    return (await this.sandboxes()).map(({ id }) => id);
  }

  /** All sandboxes of the pod, newest first. */
  async sandboxes(): Promise<readonly PodSandboxStatus[]> {
    const sandboxes = await this.#runtime.listPodSandbox({ podUid: this.#uid });
    return [...sandboxes].sort((left, right) => right.createdAtMs - left.createdAtMs);
  }

  /** Replaces the sandbox with a new one. */
  created(sandbox: PodSandbox): void {
    this.#isOnly = this.#hasNone && sandbox.attempt === 0;
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

/** Dead containers that can be removed: all but the last dead run of each container of a pod. */
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
