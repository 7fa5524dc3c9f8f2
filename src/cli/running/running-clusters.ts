import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isProcessRunning } from '../../base/index.ts';
import type { ClusterAccess } from '../../cluster/index.ts';

/** What a running cluster notes for other commands, in a file that only its user may read. */
export interface RunningCluster {
  /** The name of its context. */
  readonly name: string;
  readonly pid: number;
  /** The command line, such as `keelson up --in-memory`. */
  readonly command: string;
  readonly isEphemeral: boolean;
  /** The access of its administrator. */
  readonly access: ClusterAccess;
  /** Contexts that were written for it besides its own. */
  readonly merged: readonly { readonly path: string; readonly name: string }[];
}

/** The clusters that run under one folder of data, each with a file. */
export class RunningClusters {
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, 'clusters');
  }

  /** Notes a cluster, or what has changed about it. */
  async note(cluster: RunningCluster): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(this.#fileOf(cluster.pid), JSON.stringify(cluster), { mode: 0o600 });
  }

  /** The note of a process. */
  async find(pid: number): Promise<RunningCluster | undefined> {
    try {
      return JSON.parse(await readFile(this.#fileOf(pid), 'utf8')) as RunningCluster;
    } catch {
      return undefined; // the process runs no cluster, or writes its note right now
    }
  }

  async remove(pid: number): Promise<void> {
    await rm(this.#fileOf(pid), { force: true });
  }

  /** Those whose process is alive; the notes of others are removed. */
  async list(): Promise<readonly RunningCluster[]> {
    const names = await readdir(this.#folder).catch(() => []); // no cluster has run yet
    const found: RunningCluster[] = [];
    for (const name of names.sort()) {
      const pid = Number(/^(\d+)\.json$/.exec(name)?.[1] ?? Number.NaN);
      if (!Number.isSafeInteger(pid)) continue;
      const cluster = isProcessRunning(pid) ? await this.find(pid) : undefined;
      if (cluster !== undefined) found.push(cluster);
      else if (!isProcessRunning(pid)) await this.remove(pid).catch(() => undefined); // a read-only folder keeps it
    }
    return found;
  }

  #fileOf(pid: number): string {
    return join(this.#folder, `${pid}.json`);
  }
}
