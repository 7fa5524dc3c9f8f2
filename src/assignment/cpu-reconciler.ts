import { type Clock, type Logger, messageOf } from '../base/index.ts';
import { CONTAINER_NAME, type LinuxContainerResources, POD_UID, type RuntimeService } from '../node/index.ts';

export interface CpuReconcilerParts {
  readonly runtime: Pick<RuntimeService, 'listContainers' | 'updateContainerResources'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Delay before a failed update is tried again. */
  readonly retryMs: number;
  /** The processors that a container may use now; undefined for all. */
  cpusOf(podUid: string, container: string): string | undefined;
}

/** Sets the processors of running containers after those that are shared have changed. */
export class CpuReconciler implements Disposable {
  readonly #parts: CpuReconcilerParts;
  /** What was set last, by container id. */
  #set = new Map<string, string>();
  #running: Promise<void> = Promise.resolve();
  #retry: Disposable | undefined;
  #isClosed = false;

  constructor(parts: CpuReconcilerParts) {
    this.#parts = parts;
  }

  /** Resolves when all running containers were updated, or a retry is planned. */
  reconcile(): Promise<void> {
    this.#running = this.#running.then(() => this.#update());
    return this.#running;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#retry?.[Symbol.dispose]();
  }

  async #update(): Promise<void> {
    if (this.#isClosed) return;
    this.#retry?.[Symbol.dispose]();
    this.#retry = undefined;
    const { runtime, log } = this.#parts;
    try {
      const running = await runtime.listContainers({ state: 'CONTAINER_RUNNING' });
      const set = new Map<string, string>();
      for (const { id, labels } of running) {
        const [uid, name] = [labels[POD_UID], labels[CONTAINER_NAME]];
        const cpus = uid === undefined || name === undefined ? undefined : this.#parts.cpusOf(uid, name);
        if (cpus === undefined) continue;
        if (this.#set.get(id) !== cpus) await runtime.updateContainerResources(id, { ...UNCHANGED, cpusetCpus: cpus });
        set.set(id, cpus);
        this.#set.set(id, cpus);
      }
      this.#set = set;
    } catch (error) {
      log.warn('processors of containers are not updated', { error: messageOf(error) });
      this.#planRetry();
    }
  }

  #planRetry(): void {
    if (this.#isClosed) return;
    this.#retry = this.#parts.clock.timer(this.#parts.retryMs, () => void this.reconcile());
  }
}

/** Runtimes leave what is zero as it is. */
export const UNCHANGED: LinuxContainerResources = {
  cpuPeriod: 0,
  cpuQuota: 0,
  cpuShares: 0,
  memoryLimitInBytes: 0,
  oomScoreAdj: 0,
  hugepageLimits: [],
};
