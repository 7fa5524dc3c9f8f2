import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Logger, messageOf } from '../base/index.ts';
import { AddressPool } from '../simulated/index.ts';
import { PROCESS_VARIABLES } from './container-environment.ts';
import type { ImageCommands } from './image-commands.ts';
import { findProgram, Launcher } from './launcher.ts';
import { canEnterNamespaces } from './mount-namespace.ts';
import type { ProcessContainer } from './process-container.ts';
import { hasVariable, processIdentity, type ProcessIdentity, signalGroup } from './process-groups.ts';

export interface ProcessHostOptions {
  /** The folder in which each run of this program has one of its own, which only the user can read. */
  readonly folder: string;
  readonly commands: ImageCommands;
  /** Where processes reach the API server. */
  readonly apiServer: () => URL;
  /** The variables of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether to try to mount volumes at their paths; default true. */
  readonly mountsVolumes?: boolean;
  /** Called with all that programs print, besides the logs. */
  readonly onOutput?: (bytes: Uint8Array) => void;
}

/** The processes of one node, which outlive its agent. */
export interface NodeProcesses {
  /** By id. */
  readonly containers: Map<string, ProcessContainer>;
  /** The addresses of pods, by uid. */
  readonly addresses: Map<string, string>;
}

/** What a run of this program writes down about itself and its processes, for the next one to clean up. */
interface RunRecord extends ProcessIdentity {
  /** The first process of each container, with the container's id. */
  readonly processes: readonly (ProcessIdentity & { readonly container: string })[];
}

const RECORD = 'run.json';
/** Runs of this program at the same time; each has its own loopback addresses 127.NUMBER.*.*. */
const MAX_RUNS = 254;
/** How long processes have to end when this program stops. */
const STOP_GRACE_MS = 5000;
/** The only loopback address of systems other than Linux. */
const LOOPBACK = '127.0.0.1';

/** Runs the processes of all nodes of this program, and leaves none behind. */
export class ProcessHost implements Disposable {
  readonly options: ProcessHostOptions;
  readonly launcher: Launcher;
  /** Whether processes have volumes at their mount paths. */
  readonly canMount: boolean;
  /** The folder of this run. */
  readonly folder: string;
  readonly #own: ProcessIdentity;
  readonly #pool: AddressPool | undefined;
  readonly #nodes = new Map<string, NodeProcesses>();
  /** The processes that were started, by container. */
  readonly #started = new Map<string, ProcessIdentity>();
  readonly #atExit = (): void => this.#killAll();
  #written: Promise<void> = Promise.resolve();
  #isStopping = false;

  /** Ends what is left of runs that were killed, and takes a folder and addresses that no other run has. */
  static async open(options: ProcessHostOptions): Promise<ProcessHost> {
    const { folder, environment, mountsVolumes = true } = options;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await endLeftRuns(folder);
      const own = (await processIdentity(process.pid)) ?? { pid: process.pid, startTime: '' };
      const number = takeNumber(folder, own);
      const place = { own, number, folder: join(folder, String(number)) };
      const path = environment['PATH'] ?? '';
      const hasSetpriv =
        process.platform === 'linux' && (await findProgram('setpriv', { path, folder: '/' })) !== undefined;
      const canMount = mountsVolumes && !folder.includes(':') && (await canEnterNamespaces(place.folder));
      return new ProcessHost(options, place, { canMount, hasSetpriv });
    } catch (cause) {
      throw new Error(`Cannot keep processes in "${folder}": ${messageOf(cause)}`, { cause });
    }
  }

  private constructor(
    options: ProcessHostOptions,
    { own, number, folder }: { readonly own: ProcessIdentity; readonly number: number; readonly folder: string },
    system: { readonly canMount: boolean; readonly hasSetpriv: boolean },
  ) {
    this.options = options;
    this.folder = folder;
    this.canMount = system.canMount;
    this.launcher = new Launcher(system);
    this.#own = own;
    this.#pool = process.platform === 'linux' ? new AddressPool(`127.${number}.0.0/16`) : undefined;
    process.on('exit', this.#atExit);
  }

  /** The processes of a node. */
  node(name: string): NodeProcesses {
    const known = this.#nodes.get(name) ?? { containers: new Map(), addresses: new Map() };
    this.#nodes.set(name, known);
    return known;
  }

  takeAddress(): string {
    return this.#pool?.take() ?? LOOPBACK;
  }

  releaseAddress(address: string): void {
    this.#pool?.release(address);
  }

  /** All processes that run now. */
  running(): readonly ProcessContainer[] {
    const all = [...this.#nodes.values()].flatMap(({ containers }) => [...containers.values()]);
    return all.filter(({ state }) => state === 'CONTAINER_RUNNING');
  }

  /** Starts a container's program, and writes down that it runs. */
  async start(container: ProcessContainer): Promise<void> {
    if (this.#isStopping) throw new Error('Cannot start a process: this program is stopping');
    this.#started.set(container.id, await container.start());
    void container.ended.then(() => {
      this.#started.delete(container.id);
      return this.#record();
    });
    await this.#record();
  }

  /** Ends all processes: asks first, and kills after a while. Resolves when none is left. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    try {
      await Promise.all(this.running().map((container) => container.stop(STOP_GRACE_MS)));
      for (const { containers, addresses } of this.#nodes.values()) {
        containers.clear();
        for (const address of addresses.values()) this.releaseAddress(address);
        addresses.clear();
      }
      await this.#record(); // the last one: nothing writes into the folder any more
    } finally {
      this.#isStopping = false;
    }
  }

  /** Removes the folder of this run, and kills processes that still run. */
  [Symbol.dispose](): void {
    process.off('exit', this.#atExit);
    this.#killAll();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #killAll(): void {
    for (const container of this.running()) container.kill();
  }

  async #record(): Promise<void> {
    const write = async (): Promise<void> => {
      const processes = Array.from(this.#started, ([container, identity]) => ({ container, ...identity }));
      const record: RunRecord = { ...this.#own, processes };
      const path = join(this.folder, RECORD);
      await writeFile(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
      await rename(`${path}.new`, path); // a reader finds a whole one
    };
    this.#written = this.#written.then(write).catch((error: unknown) => {
      this.options.log.warn('processes cannot be written down', { error: messageOf(error) });
    });
    await this.#written;
  }
}

/** The first free number. A folder is made by one run only, however many start at once. */
function takeNumber(folder: string, own: ProcessIdentity): number {
  const first = (process.getuid?.() ?? 0) % MAX_RUNS; // users of one machine begin at different numbers
  for (let tries = 0; tries < MAX_RUNS; tries++) {
    const number = 1 + ((first + tries) % MAX_RUNS);
    try {
      mkdirSync(join(folder, String(number)), { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    const record: RunRecord = { ...own, processes: [] };
    writeFileSync(join(folder, String(number), RECORD), JSON.stringify(record), { mode: 0o600 });
    return number;
  }
  throw new Error(`${MAX_RUNS} programs run processes already`);
}

/** Kills the processes of runs whose program is gone, and removes their folders. */
async function endLeftRuns(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const run = join(folder, name);
    const record = await readRecord(join(run, RECORD));
    if (record === undefined || (await isAlive(record))) continue;
    for (const each of record.processes) if (await isLeft(each)) signalGroup(each.pid, 'SIGKILL');
    await rm(run, { recursive: true, force: true });
  }
}

/** Undefined for a run that has just begun, and for folders of others. */
async function readRecord(path: string): Promise<RunRecord | undefined> {
  try {
    const { pid, startTime, processes } = JSON.parse(await readFile(path, 'utf8')) as Partial<RunRecord>;
    if (typeof pid !== 'number' || typeof startTime !== 'string' || !Array.isArray(processes)) return undefined;
    return { pid, startTime, processes };
  } catch {
    return undefined;
  }
}

/** Whether the first process of a container runs, or one of its group that the first has left behind. */
async function isLeft(identity: RunRecord['processes'][number]): Promise<boolean> {
  const { pid, container } = identity;
  return (await isAlive(identity)) || hasVariable(pid, `${PROCESS_VARIABLES.container}=${container}`);
}

async function isAlive({ pid, startTime }: ProcessIdentity): Promise<boolean> {
  return Number.isSafeInteger(pid) && pid > 1 && (await processIdentity(pid))?.startTime === startTime;
}
