import { Buffer } from 'node:buffer';
import type { NodeBackend } from './backend/index.ts';
import { terminationFile } from './config/index.ts';
import type { ContainerStatus } from './runtime/index.ts';
import { logOutput } from './streams/index.ts';

/** Maximum size of a message; the end of the file is kept. */
const MAX_FILE_BYTES = 4096;
/** Maximum lines and bytes of a log that replaces the message. */
const MAX_LOG_LINES = 80;
const MAX_LOG_BYTES = 2048;

/** Termination messages of the containers of one pod, from their files or their logs; each is read once. */
export class TerminationMessages {
  readonly #podUid: string;
  readonly #backend: Pick<NodeBackend, 'files' | 'logs' | 'machine'>;
  /** By the id of the container. */
  readonly #read = new Map<string, string>();

  constructor(podUid: string, backend: Pick<NodeBackend, 'files' | 'logs' | 'machine'>) {
    this.#podUid = podUid;
    this.#backend = backend;
  }

  /** Appends the termination message to the message of the runtime. */
  async complete(container: ContainerStatus): Promise<ContainerStatus> {
    if (container.state !== 'CONTAINER_EXITED') return container;
    const known = this.#read.get(container.id) ?? (await this.#messageOf(container));
    this.#read.set(container.id, known);
    if (known === '') return container;
    return { ...container, message: container.message === '' ? known : `${container.message}: ${known}` };
  }

  /** Forgets containers that are not among these. */
  keepOnly(containers: readonly ContainerStatus[]): void {
    for (const id of this.#read.keys()) if (!containers.some((each) => each.id === id)) this.#read.delete(id);
  }

  async #messageOf(container: ContainerStatus): Promise<string> {
    const { metadata, annotations, exitCode } = container;
    const { files, machine } = this.#backend;
    const path = annotations['io.kubernetes.container.terminationMessagePath'] ?? '';
    const policy = annotations['io.kubernetes.container.terminationMessagePolicy'];
    const file = terminationFile(machine.folders.root, this.#podUid, metadata);
    const bytes = path === '' ? undefined : await files.read(file, MAX_FILE_BYTES);
    if (bytes !== undefined && bytes.length > 0) return Buffer.from(bytes).toString();
    return policy === 'FallbackToLogsOnError' && exitCode !== 0 ? this.#lastOfLog(container) : '';
  }

  async #lastOfLog(container: ContainerStatus): Promise<string> {
    const { signal } = new AbortController();
    const query = { tailLines: MAX_LOG_LINES, follow: false, signal };
    const parts: Uint8Array[] = [];
    try {
      for await (const bytes of logOutput(this.#backend.logs.entries(container, query), { signal })) parts.push(bytes);
    } catch {
      return ''; // a log that cannot be read says nothing
    }
    return Buffer.concat(parts).subarray(-MAX_LOG_BYTES).toString();
  }
}
