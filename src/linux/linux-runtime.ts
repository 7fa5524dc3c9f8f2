import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CriRuntime } from '../cri/index.ts';
import type { CallOptions, CreateContainerRequest, PodSandboxConfig } from '../node/index.ts';

/** A runtime on this machine. The agent makes the folders of logs, which runtimes expect to be there. */
export class LinuxRuntime extends CriRuntime {
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
    return super.createContainer(request, options);
  }
}
