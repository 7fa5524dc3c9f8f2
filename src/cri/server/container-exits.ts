import { writeFile } from 'node:fs/promises';
import type { Logger } from '../../base/index.ts';
import type { ContainerStatus } from '../../node/index.ts';
import type { KeptConfigs } from './kept-configs.ts';
import type { LogFiles } from './log-files.ts';
import type { ServedRuntime } from './served-runtime.ts';

/** The kubelet's annotation of containers. */
const MESSAGE_PATH = 'io.kubernetes.container.terminationMessagePath';

interface ContainerExitsParts extends Pick<ServedRuntime, 'terminationMessage'> {
  readonly kept: KeptConfigs;
  readonly logFiles: LogFiles | undefined;
  readonly log: Logger;
}

/** Completes the files of a container that has ended, before a client learns of the end and reads them. */
export class ContainerExits {
  readonly #parts: ContainerExitsParts;
  readonly #completed = new Map<string, Promise<void>>();

  constructor(parts: ContainerExitsParts) {
    this.#parts = parts;
  }

  /** Resolves when the files are complete; at once for a container that runs. */
  async completed(container: ContainerStatus): Promise<void> {
    if (container.state !== 'CONTAINER_EXITED') return;
    const known = this.#completed.get(container.id) ?? this.#complete(container);
    this.#completed.set(container.id, known);
    await known;
  }

  forget(containerId: string): void {
    this.#completed.delete(containerId);
    this.#parts.logFiles?.forget(containerId);
  }

  /** To be called before the sandbox is forgotten itself. */
  forgetSandbox(sandboxId: string): void {
    for (const [id, { podSandboxId }] of this.#parts.kept.containers) if (podSandboxId === sandboxId) this.forget(id);
  }

  async #complete({ id, annotations }: ContainerStatus): Promise<void> {
    const { kept, logFiles, log, terminationMessage } = this.#parts;
    await logFiles?.finished(id);
    const message = terminationMessage?.(id);
    const place = annotations[MESSAGE_PATH] ?? '';
    const path = kept.containers.get(id)?.mounts.find(({ containerPath }) => containerPath === place)?.hostPath;
    if (message === undefined || path === undefined || place === '') return;
    try {
      await writeFile(path, message, { flag: 'r+' }); // the client makes the file: none is made in another place
    } catch (error) {
      log.warn('termination message cannot be written', { error, path });
    }
  }
}
