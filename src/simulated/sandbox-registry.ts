import { BoundedQueue, type Clock } from '../base/index.ts';
import {
  type ContainerEvent,
  type ContainerEventType,
  type ContainerFilter,
  type ContainerStatus,
  type PodSandboxFilter,
  podFolder,
  type PodSandboxStatus,
  RuntimeError,
} from '../node/index.ts';
import { type SharedVolume, SharedVolumes } from './shared-volumes.ts';
import type { SimulatedContainer } from './simulated-container.ts';
import type { SimulatedSandbox } from './simulated-sandbox.ts';

const MAX_MACHINE_VOLUMES = 64;

/** All sandboxes and containers of the simulated runtime, and the listeners for their changes. */
export class SandboxRegistry implements Disposable {
  readonly events = new ContainerEvents();
  /** Directories of the machine that containers mount. */
  readonly machineVolumes = new SharedVolumes(MAX_MACHINE_VOLUMES);
  readonly #clock: Clock;
  readonly #sharesMachine: boolean;
  readonly #disk: string | undefined;
  readonly #sandboxes = new Map<string, SimulatedSandbox>();
  readonly #sandboxOfPod = new Map<string, SimulatedSandbox>();
  readonly #containers = new Map<string, SimulatedContainer>();

  /** By default directories of the machine are made up, and shared by the containers that mount them; those below `disk` are real. */
  constructor(
    clock: Clock,
    { sharesMachine = true, disk }: { readonly sharesMachine?: boolean; readonly disk?: string | undefined } = {},
  ) {
    this.#clock = clock;
    this.#sharesMachine = sharesMachine;
    this.#disk = disk;
  }

  sandbox(id: string): SimulatedSandbox {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) throw new RuntimeError('NotFound', `Cannot find sandbox "${id}": there is none`);
    return sandbox;
  }

  findSandbox(id: string): SimulatedSandbox | undefined {
    return this.#sandboxes.get(id);
  }

  sandboxOfPod(uid: string): SimulatedSandbox | undefined {
    return this.#sandboxOfPod.get(uid);
  }

  container(id: string): SimulatedContainer {
    const container = this.#containers.get(id);
    if (container === undefined) throw new RuntimeError('NotFound', `Cannot find container "${id}": there is none`);
    return container;
  }

  findContainer(id: string): SimulatedContainer | undefined {
    return this.#containers.get(id);
  }

  running(id: string): SimulatedContainer {
    const container = this.container(id);
    if (container.state === 'CONTAINER_RUNNING') return container;
    throw new RuntimeError('Invalid', `Cannot reach container "${id}": it is in state ${container.state}`);
  }

  /** The volume at a path of the machine. Paths in the agent's folder `root` that are no volumes of the pod are shared by none. */
  sharedVolume(sandbox: SimulatedSandbox, path: string, root: string): SharedVolume | undefined {
    const volumes = `${podFolder(root, sandbox.config.metadata.uid)}/volumes/`;
    if (path.startsWith(volumes)) return sandbox.volumes.ofPod(path.slice(volumes.length), this.#clock.now());
    if (this.#disk !== undefined && path.startsWith(`${this.#disk}/`)) return this.machineVolumes.onDisk(path);
    return path.startsWith(`${root}/`) || !this.#sharesMachine
      ? undefined
      : this.machineVolumes.ofMachine(path, this.#clock.now());
  }

  listSandboxes({ podUid, ...filter }: PodSandboxFilter): readonly PodSandboxStatus[] {
    const ofPod = podUid === undefined ? undefined : this.#sandboxOfPod.get(podUid);
    const among = podUid === undefined ? this.#sandboxes.values() : ofPod === undefined ? [] : [ofPod];
    return Array.from(among, ({ status }) => status).filter((status) => matches(status, filter));
  }

  listContainers({ podSandboxId, ...filter }: ContainerFilter): readonly ContainerStatus[] {
    const sandbox = podSandboxId === undefined ? undefined : this.#sandboxes.get(podSandboxId);
    const among = podSandboxId === undefined ? this.#containers.values() : (sandbox?.containers ?? []);
    return Array.from(among, ({ status }) => status).filter((status) => matches(status, filter));
  }

  addSandbox(sandbox: SimulatedSandbox): void {
    this.#sandboxes.set(sandbox.id, sandbox);
    this.#sandboxOfPod.set(sandbox.config.metadata.uid, sandbox);
  }

  removeSandbox(sandbox: SimulatedSandbox): void {
    for (const container of [...sandbox.containers]) this.removeContainer(container);
    this.#sandboxes.delete(sandbox.id);
    const { uid } = sandbox.config.metadata;
    if (this.#sandboxOfPod.get(uid) === sandbox) this.#sandboxOfPod.delete(uid);
  }

  addContainer(container: SimulatedContainer): void {
    this.#containers.set(container.id, container);
    this.sandbox(container.podSandboxId).containers.unshift(container);
  }

  removeContainer(container: SimulatedContainer): void {
    const { containers } = this.sandbox(container.podSandboxId);
    container[Symbol.dispose]();
    this.#containers.delete(container.id);
    containers.splice(containers.indexOf(container), 1);
    this.tell(container, 'CONTAINER_DELETED_EVENT');
  }

  tell({ id, podSandboxId }: SimulatedContainer, containerEventType: ContainerEventType): void {
    const pod = this.sandbox(podSandboxId).config.metadata;
    this.events.tell({ containerId: id, containerEventType, createdAtMs: this.#clock.now(), pod });
  }

  [Symbol.dispose](): void {
    for (const container of this.#containers.values()) container[Symbol.dispose]();
    this.events[Symbol.dispose]();
  }
}

type Matched = Pick<ContainerStatus | PodSandboxStatus, 'id' | 'state' | 'labels'>;
type Filter = Pick<ContainerFilter | PodSandboxFilter, 'id' | 'state' | 'labelSelector'>;

function matches({ id, state, labels }: Matched, filter: Filter): boolean {
  if ((filter.id ?? id) !== id || (filter.state ?? state) !== state) return false;
  return Object.entries(filter.labelSelector ?? {}).every(([name, value]) => labels[name] === value);
}

/** A listener that is more events behind than this has to list the containers again. */
const MAX_EVENTS = 10_000;

/** Passes container events to all listeners. */
class ContainerEvents implements Disposable {
  readonly #listeners = new Set<BoundedQueue<ContainerEvent>>();

  tell(event: ContainerEvent): void {
    for (const listener of this.#listeners) if (!listener.offer(event)) listener.close();
  }

  async *listen(signal: AbortSignal): AsyncGenerator<ContainerEvent> {
    const events = new BoundedQueue<ContainerEvent>(MAX_EVENTS, { onClose: () => this.#listeners.delete(events) });
    const end = (): void => events.close();
    this.#listeners.add(events);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    try {
      yield* events;
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }

  [Symbol.dispose](): void {
    for (const listener of this.#listeners) listener.close();
  }
}
