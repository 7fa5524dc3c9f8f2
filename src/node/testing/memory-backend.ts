// The smallest backend that there can be: containers are entries of a map, and run until they are stopped or a test ends them.
import { Buffer } from 'node:buffer';
import { BoundedQueue } from '../../base/index.ts';
import { type DeviceEdits, NO_EDITS, type NodeBackend, type OpenNodeBackend, volumeFolder } from '../backend/index.ts';
import { NetworkActions } from '../probes/index.ts';
import { RuntimeUsage } from '../runtime-usage.ts';
import {
  type ContainerConfig,
  type ContainerEvent,
  type ContainerStatus,
  type LogEntry,
  type PodSandboxStatus,
  RuntimeError,
  type RuntimeService,
  type RuntimeStatus,
} from '../runtime/index.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** A machine that outlives the agents on it: what a test can see and change of it. */
export class MemoryMachine {
  readonly sandboxes = new Map<string, Writable<PodSandboxStatus>>();
  readonly containers = new Map<string, Writable<ContainerStatus> & { readonly config: ContainerConfig }>();
  readonly images = new Set<string>();
  /** By their paths: what volumes and files of pods hold. */
  readonly files = new Map<string, string>();
  readonly logs = new Map<string, string>();
  isNetworkReady = true;
  edits: DeviceEdits = NO_EDITS;
  #events = new BoundedQueue<ContainerEvent>(1000, {});
  #count = 0;

  /** Ends a container's program. */
  exit(id: string, exitCode: number, nowMs: number): void {
    const container = this.containers.get(id);
    if (container?.state !== 'CONTAINER_RUNNING') return;
    Object.assign(container, { state: 'CONTAINER_EXITED', exitCode, finishedAtMs: nowMs });
    container.reason = exitCode === 0 ? 'Completed' : 'Error';
    const pod = this.sandboxes.get(container.podSandboxId)?.metadata;
    if (pod === undefined) return;
    this.#events.offer({ containerId: id, containerEventType: 'CONTAINER_STOPPED_EVENT', createdAtMs: nowMs, pod });
  }

  /** What is on the machine of pods. */
  get rest(): readonly string[] {
    return [...this.sandboxes.keys(), ...this.containers.keys(), ...this.files.keys()];
  }

  readonly open: OpenNodeBackend = async (node, { clock }): Promise<NodeBackend> => {
    const { sandboxes, containers, images, files } = this;
    const newId = (): string => String((this.#count += 1)).padStart(8, '0');
    const found = <T>(map: ReadonlyMap<string, T>, id: string): T => {
      const value = map.get(id);
      if (value === undefined) throw new RuntimeError('NotFound', `there is no ${id}`);
      return value;
    };
    const runtime: Partial<RuntimeService> = {
      name: 'memory',
      version: async () => ({ runtimeName: 'memory', runtimeVersion: '1', runtimeApiVersion: 'v1' }),
      status: async () => statusOf(this.isNetworkReady),
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
        [...sandboxes.values()].filter(
          (each) => (podUid ?? each.metadata.uid) === each.metadata.uid && (state ?? each.state) === each.state,
        ),
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
      listContainers: async ({ podSandboxId, state } = {}) =>
        [...containers.values()].filter(
          (each) => (podSandboxId ?? each.podSandboxId) === each.podSandboxId && (state ?? each.state) === each.state,
        ),
      containerStatus: async (id) => ({ ...found(containers, id) }),
      containerStats: async () => [],
      execSync: async (id, cmd) => {
        const isThere = found(containers, id).state === 'CONTAINER_RUNNING' && cmd[0] === 'echo';
        const stdout = Buffer.from(isThere ? `${cmd.slice(1).join(' ')}\n` : '');
        return { stdout, stderr: Buffer.alloc(0), exitCode: isThere ? 0 : 1 };
      },
      containerEvents: (signal) => {
        const events = new BoundedQueue<ContainerEvent>(1000, {});
        this.#events = events;
        signal.addEventListener('abort', () => events.close(), { once: true });
        return events;
      },
    };
    const service = runtime as RuntimeService;
    const root = '/var/lib/kubelet';
    const remove = (folder: string): void =>
      [...files.keys()].filter((path) => path.startsWith(folder)).forEach((path) => files.delete(path));
    return {
      machine: {
        operatingSystem: 'linux',
        architecture: 'arm64',
        kubeletVersion: 'v1.36.0',
        addresses: node.addresses,
        info: { machineID: 'm', systemUUID: 's', bootID: 'b', kernelVersion: 'k', osImage: 'memory' },
        capacity: { cpu: '4', memory: '8Gi', pods: '20' },
        reserved: { cpu: '1' },
        folders: { root, podLogs: '/var/log/pods' },
        cgroupDriver: 'systemd',
        dns: { clusterServers: ['10.96.0.10'], clusterDomain: 'cluster.local', resolver: undefined },
        pressure: async () => ({ memory: false, disk: false, pid: false }),
      },
      runtime: service,
      images: {
        listImages: async () => [...images].map((id) => ({ id, repoTags: [id], repoDigests: [], size: 1 })),
        imageStatus: async ({ image }) =>
          images.has(image) ? { id: image, repoTags: [image], repoDigests: [], size: 1 } : undefined,
        pullImage: async ({ image }) => [...images.add(image)].at(-1) ?? '',
        removeImage: async ({ image }) => void images.delete(image),
        fsInfo: async () => ({ mountpoint: '/', capacityBytes: 100, availableBytes: 100 }),
      },
      volumes: [
        {
          name: 'memory',
          refreshEveryMs: 60_000,
          supports: () => true,
          grow: async () => undefined,
          mount: async ({ pod, volume, payload }) => {
            const folder = volumeFolder(root, pod.metadata.uid, { plugin: 'memory', name: volume.name });
            const { files: made, missing } = (await payload?.()) ?? { files: [], missing: [] };
            if (missing[0] !== undefined) throw new Error(missing[0]);
            for (const { path, bytes } of [{ path: '', bytes: Buffer.alloc(0) }, ...made])
              files.set(`${folder}/${path}`, Buffer.from(bytes).toString());
            return folder;
          },
          unmount: async ({ podUid, volume }) =>
            remove(`${volumeFolder(root, podUid, { plugin: 'memory', name: volume })}/`),
          mounted: async () =>
            [...files.keys()].flatMap((path) => {
              const [, podUid = '', volume = ''] = /\/pods\/([^/]+)\/volumes\/memory\/([^/]+)\/$/.exec(path) ?? [];
              return podUid === '' ? [] : [{ podUid, volume, path }];
            }),
        },
      ],
      files: {
        write: async (path, content) => void files.set(path, await content()),
        read: async (path) => (files.has(path) ? Buffer.from(files.get(path) ?? '') : undefined),
        removePod: async (uid) => remove(`${root}/pods/${uid}/`),
      },
      devices: {
        admit: async () => undefined,
        prepare: async () => this.edits,
        unprepare: async () => undefined,
        resources: () => ({ capacity: {}, allocatable: {} }),
      },
      logs: { entries: ({ id }) => entriesOf(this.logs.get(id) ?? '') },
      actions: new NetworkActions(service, clock),
      usage: new RuntimeUsage(service),
      polling: { relistEveryMs: 60_000, checkEveryMs: 10_000 },
      podUpdated: () => undefined,
      [Symbol.asyncDispose]: async () => this.#events.close(),
    };
  };
}

function statusOf(isNetworkReady: boolean): RuntimeStatus {
  const network = {
    type: 'NetworkReady',
    status: isNetworkReady,
    reason: 'NetworkPluginNotReady',
    message: 'no plugin',
  };
  const conditions = [{ type: 'RuntimeReady', status: true, reason: '', message: '' }, network];
  return { conditions, runtimeHandlers: [], features: { supplementalGroupsPolicy: true } };
}

async function* entriesOf(text: string): AsyncGenerator<LogEntry> {
  for (const line of text.split('\n').filter((each) => each !== ''))
    yield { time: '2026-01-01T00:00:00.000000000Z', stream: 'stdout', content: Buffer.from(line), isLineEnd: true };
}
