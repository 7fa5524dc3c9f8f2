import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CriCalls, CriRuntime } from '../cri/index.ts';
import type { CallOptions, CreateContainerRequest, PodSandboxConfig } from '../node/index.ts';
import type { PodCgroups } from './cgroups/pod-cgroups.ts';

/** A runtime on this machine. The agent makes the folders of logs and the cgroups of pods, which runtimes expect to be there. */
export class LinuxRuntime extends CriRuntime {
  readonly #cgroups: PodCgroups;
  /** Whether files have labels on this machine; undefined until the first container. */
  #hasSelinux: boolean | undefined;

  constructor(name: string, calls: CriCalls, cgroups: PodCgroups) {
    super(name, calls);
    this.#cgroups = cgroups;
  }

  override async runPodSandbox(
    config: PodSandboxConfig,
    options?: CallOptions & { readonly runtimeHandler?: string },
  ): Promise<string> {
    const { cgroupParent, resources } = config.linux;
    await mkdir(config.logDirectory, { recursive: true, mode: 0o755 });
    await this.#cgroups.prepare(cgroupParent, resources);
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
}
