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

/** Containers whose start never came are forgotten, the oldest first; and so are the paths of logs, which the runtime knows, too. */
const MAX_CREATED = 1000;
const MAX_LOGS = 1000;

/** A runtime on this machine. The agent makes the folders of logs, which runtimes expect to be there. */
export class LinuxRuntime extends CriRuntime {
  readonly #logs: ContainerLogFiles;
  /** Containers that were created and not started yet. */
  readonly #created = new Map<string, LoggedContainer>();
  /** The logs of containers that were started, until the rotation of logs has asked for them. */
  readonly #logPaths = new Map<string, string>();
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
    dropOldest(this.#created, MAX_CREATED);
    return id;
  }

  override async startContainer(id: string, options?: CallOptions): Promise<void> {
    const created = this.#created.get(id);
    this.#created.delete(id);
    await super.startContainer(id, options);
    const container = created ?? (await this.containerStatus(id, options));
    await this.#logs.link(container);
    this.#logPaths.set(id, container.logPath);
    dropOldest(this.#logPaths, MAX_LOGS);
  }

  /** The log of a container that was started, the first time that it is asked for. */
  logPath(id: string): string | undefined {
    const path = this.#logPaths.get(id);
    this.#logPaths.delete(id);
    return path;
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

function dropOldest(map: Map<string, unknown>, max: number): void {
  const [oldest] = map.keys();
  if (oldest !== undefined && map.size > max) map.delete(oldest);
}
