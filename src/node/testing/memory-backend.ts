// A minimal backend: containers are entries of a map, and run until they are stopped or a test ends them.
import { Buffer } from 'node:buffer';
import { BoundedQueue } from '../../base/index.ts';
import { NO_DEVICES, NO_EDITS, type NodeBackend, type OpenNodeBackend, UNLIMITED } from '../backend/index.ts';
import type { NodeMeter } from '../eviction/index.ts';
import { NetworkActions } from '../probes/index.ts';
import { RuntimeUsage } from '../runtime-usage.ts';
import * as cri from '../runtime/index.ts';
import { MemoryImages } from './memory-images.ts';
import { memoryVolumes } from './memory-volumes.ts';
import { logEntries, runtimeStatus, TEST_MACHINE } from './test-machine.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** A machine that outlives the agents on it: what a test can see and change of it. */
export class MemoryMachine {
  readonly sandboxes = new Map<string, Writable<cri.PodSandboxStatus>>();
  readonly containers = new Map<string, Writable<cri.ContainerStatus> & { readonly config: cri.ContainerConfig }>();
  readonly images = new MemoryImages();
  /** By their paths: what volumes and files of pods hold. */
  readonly files = new Map<string, string>();
  readonly logs = new Map<string, string>();
  isNetworkReady = true;
  edits = NO_EDITS;
  meter: NodeMeter | undefined;
  #events = new BoundedQueue<cri.ContainerEvent>(1000);
  #count = 0;

  /** Ends a container's program. */
  exit(id: string, exitCode: number, nowMs: number): void {
    const container = this.containers.get(id);
    if (container?.state !== 'CONTAINER_RUNNING') return;
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    Object.assign(container, { state: 'CONTAINER_EXITED', exitCode, reason, finishedAtMs: nowMs });
    const pod = this.sandboxes.get(container.podSandboxId)?.metadata;
    if (pod === undefined) return;
    this.#events.offer({ containerId: id, containerEventType: 'CONTAINER_STOPPED_EVENT', createdAtMs: nowMs, pod });
  }

  /** Everything on the machine that belongs to pods. */
  get rest(): readonly string[] {
    return [...this.sandboxes.keys(), ...this.containers.keys(), ...this.files.keys()];
  }

  readonly open: OpenNodeBackend = async (node, { clock }): Promise<NodeBackend> => {
    const { sandboxes, containers, images, files } = this;
    const newId = (): string => String((this.#count += 1)).padStart(8, '0');
    const found = <T>(map: ReadonlyMap<string, T>, id: string): T => {
      const value = map.get(id);
      if (value === undefined) throw new cri.RuntimeError('NotFound', `there is no ${id}`);
      return value;
    };
    const runtime: Partial<cri.RuntimeService> = {
      name: 'memory',
      version: async () => ({ runtimeName: 'memory', runtimeVersion: '1', runtimeApiVersion: 'v1' }),
      status: async () => runtimeStatus(this.isNetworkReady),
      runPodSandbox: async ({ metadata, labels, annotations }) => {
        const [id, createdAtMs] = [newId(), clock.now()];
        const network = { ip: `10.0.0.${sandboxes.size + 2}`, additionalIps: [] };
        sandboxes.set(id, { id, metadata, labels, annotations, state: 'SANDBOX_READY', createdAtMs, network });
        return id;
      },
      stopPodSandbox: async (id) => void Object.assign(sandboxes.get(id) ?? {}, { state: 'SANDBOX_NOTREADY' }),
      removePodSandbox: async (id) => {
        for (const each of containers.values()) if (each.podSandboxId === id) containers.delete(each.id);
        sandboxes.delete(id);
      },
      podSandboxStatus: async (id) => ({ status: { ...found(sandboxes, id) }, containersStatuses: undefined }),
      listPodSandbox: async ({ podUid, state } = {}) =>
        [...sandboxes.values()].filter((each) => isLike(each.metadata.uid, podUid) && isLike(each.state, state)),
      createContainer: async ({ podSandboxId, config }) => {
        const [id, createdAtMs] = [newId(), clock.now()];
        const { metadata, image, labels, annotations, logPath } = config;
        const identity = { id, podSandboxId, metadata, image, labels, annotations, logPath, config, createdAtMs };
        const ending = { startedAtMs: undefined, finishedAtMs: undefined, exitCode: 0, reason: '', message: '' };
        containers.set(id, { ...identity, ...ending, imageRef: image.image, state: 'CONTAINER_CREATED' });
        return id;
      },
      startContainer: async (id) =>
        void Object.assign(found(containers, id), { state: 'CONTAINER_RUNNING', startedAtMs: clock.now() }),
      stopContainer: async (id) => this.exit(id, 137, clock.now()),
      removeContainer: async (id) => void containers.delete(id),
      listContainers: async ({ podSandboxId: id, state } = {}) =>
        [...containers.values()].filter((each) => isLike(each.podSandboxId, id) && isLike(each.state, state)),
      containerStatus: async (id) => ({ ...found(containers, id) }),
      containerStats: async () => [],
      execSync: async (id, cmd) => {
        const isThere = found(containers, id).state === 'CONTAINER_RUNNING' && cmd[0] === 'echo';
        const stdout = Buffer.from(isThere ? `${cmd.slice(1).join(' ')}\n` : '');
        return { stdout, stderr: Buffer.alloc(0), exitCode: isThere ? 0 : 1 };
      },
      containerEvents: (signal) => {
        const events = new BoundedQueue<cri.ContainerEvent>(1000);
        this.#events = events;
        signal.addEventListener('abort', () => events.close(), { once: true });
        return events;
      },
    };
    const service = runtime as cri.RuntimeService; // tests use no other calls
    return {
      machine: { ...TEST_MACHINE, addresses: node.addresses },
      runtime: service,
      images,
      ...memoryVolumes(files, TEST_MACHINE.folders.root),
      devices: { ...NO_DEVICES, prepare: async () => this.edits },
      resources: UNLIMITED,
      logs: { entries: ({ id }) => logEntries(this.logs.get(id) ?? '') },
      actions: new NetworkActions(service, clock),
      usage: new RuntimeUsage(service),
      polling: { relistEvery: 60_000, checkEvery: 10_000 },
      meter: this.meter,
      tasks: [],
      podUpdated: () => undefined,
      [Symbol.asyncDispose]: async () => this.#events.close(),
    };
  };
}

const isLike = (value: string, wanted: string | undefined): boolean => wanted === undefined || value === wanted;
