import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CriCalls, CriRuntime } from '../cri/index.ts';
import {
  type CallOptions,
  type CreateContainerRequest,
  isRuntimeNotFound,
  type PodSandboxConfig,
} from '../node/index.ts';
import type { ContainerLogFiles, LoggedContainer } from './logs/container-log-files.ts';

/** Containers whose start never came are forgotten, the oldest first. */
const MAX_CREATED = 1000;

/** A runtime on this machine. The agent makes the folders of logs, which runtimes expect to be there. */
export class LinuxRuntime extends CriRuntime {
  readonly #logs: ContainerLogFiles;
  /** Containers that were created and not started yet. */
  readonly #created = new Map<string, LoggedContainer>();
  /** Whether files have labels on this machine; undefined until the first container. */
  #hasSelinux: boolean | undefined;

  constructor(name: string, calls: CriCalls, logs: ContainerLogFiles) {
    super(name, calls);
    this.#logs = logs;
  }

  override async runPodSandbox(
    config: PodSandboxConfig,
    options?: CallOptions & { readonly runtimeHandler?: string },
  ): Promise<string> {
    await mkdir(config.logDirectory, { recursive: true, mode: 0o755 });
    return super.runPodSandbox(config, options);
  }

  override async createContainer(request: CreateContainerRequest, options?: CallOptions): Promise<string> {
    const { config, sandboxConfig } = request;
    const logPath = join(sandboxConfig.logDirectory, config.logPath);
    await mkdir(dirname(logPath), { recursive: true, mode: 0o755 });
    this.#hasSelinux ??= existsSync('/sys/fs/selinux/enforce');
    const mounts = this.#hasSelinux
      ? config.mounts
      : config.mounts.map((mount) => ({ ...mount, selinuxRelabel: false }));
    const id = await super.createContainer({ ...request, config: { ...config, mounts } }, options);
    this.#created.set(id, { id, labels: config.labels, logPath });
    const [oldest] = this.#created.keys();
    if (oldest !== undefined && this.#created.size > MAX_CREATED) this.#created.delete(oldest);
    return id;
  }

  override async startContainer(id: string, options?: CallOptions): Promise<void> {
    const created = this.#created.get(id);
    this.#created.delete(id);
    await super.startContainer(id, options);
    await this.#logs.link(created ?? (await this.containerStatus(id, options)));
  }

  override async checkpointContainer(
    id: string,
    options: Parameters<CriRuntime['checkpointContainer']>[1],
  ): Promise<void> {
    await mkdir(dirname(options.location), { recursive: true, mode: 0o700 });
    await super.checkpointContainer(id, options);
  }

  override async removeContainer(id: string, options?: CallOptions): Promise<void> {
    try {
      await this.#logs.remove(await this.containerStatus(id, options));
    } catch (error) {
      if (!isRuntimeNotFound(error)) throw error;
    }
    await super.removeContainer(id, options);
  }
}
