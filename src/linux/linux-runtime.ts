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
import type { ContainerLogFiles } from './logs/container-log-files.ts';

/** A runtime on this machine. The agent makes the folders of logs, which runtimes expect to be there. */
export class LinuxRuntime extends CriRuntime {
  readonly #logs: ContainerLogFiles;
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
    await mkdir(dirname(join(sandboxConfig.logDirectory, config.logPath)), { recursive: true, mode: 0o755 });
    this.#hasSelinux ??= existsSync('/sys/fs/selinux/enforce');
    if (this.#hasSelinux) return super.createContainer(request, options);
    const mounts = config.mounts.map((mount) => ({ ...mount, selinuxRelabel: false }));
    return super.createContainer({ ...request, config: { ...config, mounts } }, options);
  }

  override async startContainer(id: string, options?: CallOptions): Promise<void> {
    await super.startContainer(id, options);
    await this.#logs.link(await this.containerStatus(id, options));
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
