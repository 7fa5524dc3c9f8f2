import { Buffer } from 'node:buffer';
import { AbortScope, BoundedQueue, type Clock, onAbort, type Random } from '../../base/index.ts';
import {
  type AttachRequest,
  type CallOptions,
  type ContainerEvent,
  type ContainerEventType,
  type ContainerFilter,
  type ContainerLogs,
  type ContainerStats,
  type ContainerStatus,
  type CreateContainerRequest,
  type ExecRequest,
  type ExecSyncResponse,
  type OpenPort,
  type OpenProcess,
  type PodSandboxConfig,
  type PodSandboxFilter,
  type PodSandboxState,
  type PodSandboxStatus,
  type PodSandboxStatusResponse,
  type PortForwardRequest,
  type ProcessInput,
  type ProcessStreams,
  READY_RUNTIME,
  RuntimeError,
  type RuntimeService,
  type RuntimeStatus,
  type RuntimeVersion,
  type StreamEndpoint,
} from '../../node/index.ts';
import { ByteInbox, cutBytes } from '../../wire/connections/index.ts';
import type { CriRuntimeDefinition, RuntimePod } from './runtime-definition.ts';
import { bytesOf, KeptContainer, nothing } from './kept-container.ts';

/** A listener that is more events behind than this has to list the containers again. */
const MAX_EVENTS = 10_000;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

interface KeptPod {
  readonly pod: RuntimePod;
  readonly createdAtMs: number;
  readonly stopping: AbortController;
  state: PodSandboxState;
}

/** Keeps the pods and containers of a runtime that is written with `criRuntime`. */
export class KeptRuntime implements RuntimeService {
  readonly name: string;
  readonly #definition: CriRuntimeDefinition;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #pods = new Map<string, KeptPod>();
  /** In the order in which they were made. */
  readonly #containers = new Map<string, KeptContainer>();
  readonly #listeners = new Set<BoundedQueue<ContainerEvent>>();
  #addresses = 0;

  constructor(definition: CriRuntimeDefinition, { clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.name = definition.name;
    this.#definition = definition;
    this.#clock = clock;
    this.#random = random;
  }

  readonly logs: ContainerLogs = {
    entries: ({ id }, query) => {
      const kept = this.#container(id);
      return kept.output.entries(query, kept);
    },
  };

  async version(): Promise<RuntimeVersion> {
    const { name, version } = this.#definition;
    return { runtimeName: name, runtimeVersion: version, runtimeApiVersion: 'v1' };
  }

  async status(): Promise<RuntimeStatus> {
    return READY_RUNTIME;
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const id = this.#newId();
    const { ip } = (await this.#definition.startPod?.({ id, config })) ?? { ip: this.#nextAddress() };
    const isOnNode = config.linux.securityContext.namespaceOptions.network === 'NODE';
    const pod = { id, config, ip: isOnNode ? '' : ip };
    this.#pods.set(id, {
      pod,
      createdAtMs: this.#clock.now(),
      stopping: new AbortController(),
      state: 'SANDBOX_READY',
    });
    return id;
  }

  async stopPodSandbox(id: string): Promise<void> {
    const kept = this.#pods.get(id);
    if (kept === undefined) return;
    for (const container of this.#containersOf(id)) container.kill();
    kept.state = 'SANDBOX_NOTREADY';
    kept.stopping.abort(new Error('The pod has stopped'));
    await this.#definition.stopPod?.(kept.pod);
  }

  async removePodSandbox(id: string): Promise<void> {
    await this.stopPodSandbox(id);
    for (const { container } of this.#containersOf(id)) await this.removeContainer(container.id);
    this.#pods.delete(id);
  }

  async podSandboxStatus(id: string): Promise<PodSandboxStatusResponse> {
    const containersStatuses = this.#containersOf(id).map(({ status }) => status);
    return { status: statusOf(this.#pod(id)), containersStatuses: containersStatuses.toReversed() };
  }

  async listPodSandbox({ podUid, ...filter }: PodSandboxFilter = {}): Promise<readonly PodSandboxStatus[]> {
    return [...this.#pods.values()]
      .map(statusOf)
      .filter((status) => isSelected(status, filter) && (podUid ?? status.metadata.uid) === status.metadata.uid);
  }

  async createContainer({ podSandboxId, config }: CreateContainerRequest): Promise<string> {
    const { pod, state } = this.#pod(podSandboxId);
    if (state !== 'SANDBOX_READY') throw new RuntimeError('Failed', `sandbox "${podSandboxId}" is not running`);
    const container = { id: this.#newId(), config, pod };
    const kept = new KeptContainer({
      container,
      run: (...call) => this.#definition.run(...call),
      clock: this.#clock,
      ended: () => this.#tell(kept, 'CONTAINER_STOPPED_EVENT'),
    });
    this.#containers.set(container.id, kept);
    this.#tell(kept, 'CONTAINER_CREATED_EVENT');
    return container.id;
  }

  async startContainer(id: string): Promise<void> {
    const kept = this.#container(id);
    kept.start();
    this.#tell(kept, 'CONTAINER_STARTED_EVENT');
  }

  async stopContainer(id: string, timeoutSeconds: number): Promise<void> {
    await this.#containers.get(id)?.stop(timeoutSeconds * 1000);
  }

  async removeContainer(id: string): Promise<void> {
    const kept = this.#containers.get(id);
    if (kept === undefined) return;
    kept.kill();
    this.#containers.delete(id);
    this.#tell(kept, 'CONTAINER_DELETED_EVENT');
  }

  async listContainers({ podSandboxId, ...filter }: ContainerFilter = {}): Promise<readonly ContainerStatus[]> {
    return [...this.#containers.values()]
      .map(({ status }) => status)
      .filter((status) => isSelected(status, filter) && (podSandboxId ?? status.podSandboxId) === status.podSandboxId);
  }

  async containerStatus(id: string): Promise<ContainerStatus> {
    return this.#container(id).status;
  }

  async containerStats(filter?: ContainerFilter): Promise<readonly ContainerStats[]> {
    return (await this.listContainers(filter)).map(({ id, metadata }) => {
      const usage = this.#definition.usage?.(this.#container(id).container);
      const { usageCoreNanoSeconds = 0, workingSetBytes = 0 } = usage ?? {};
      const timestampMs = this.#clock.now();
      return { id, metadata, timestampMs, usageCoreNanoSeconds, workingSetBytes, writableLayerBytes: 0 };
    });
  }

  async updateContainerResources(): Promise<void> {
    // the server keeps them for the status; a runtime of functions has no limits
  }

  async reopenContainerLog(): Promise<void> {
    // the server writes the files
  }

  async execSync(
    id: string,
    cmd: readonly string[],
    { signal, timeoutMs }: CallOptions & { readonly timeoutMs?: number } = {},
  ): Promise<ExecSyncResponse> {
    using scope = new AbortScope(signal);
    const late = new RuntimeError('DeadlineExceeded', `command timed out after ${timeoutMs} ms`);
    using _timeUp = timeoutMs === undefined ? undefined : this.#clock.timer(timeoutMs, () => scope.abort(late));
    const streams = this.#open(id, cmd, { signal: scope.signal });
    const [stdout, stderr, exitCode] = await Promise.all([
      cutBytes(streams.stdout, MAX_OUTPUT_BYTES),
      cutBytes(streams.stderr, MAX_OUTPUT_BYTES),
      streams.exitCode,
    ]);
    scope.signal.throwIfAborted();
    return { stdout, stderr, exitCode };
  }

  async exec({ containerId, cmd }: ExecRequest): Promise<StreamEndpoint<OpenProcess>> {
    this.#running(containerId);
    return { type: 'in process', open: (input) => this.#open(containerId, cmd, input) };
  }

  async attach({ containerId }: AttachRequest): Promise<StreamEndpoint<OpenProcess>> {
    const kept = this.#running(containerId);
    return { type: 'in process', open: (input) => attached(kept, input) };
  }

  async portForward({ podSandboxId }: PortForwardRequest): Promise<StreamEndpoint<OpenPort>> {
    const { pod, stopping } = this.#pod(podSandboxId);
    const { connect, name } = this.#definition;
    if (connect === undefined) throw new RuntimeError('Unimplemented', `runtime "${name}" forwards no ports`);
    return { type: 'in process', open: (...call) => connect(pod, ...call), ended: stopping.signal };
  }

  async *containerEvents(signal: AbortSignal): AsyncGenerator<ContainerEvent> {
    const events = new BoundedQueue<ContainerEvent>(MAX_EVENTS, { onClose: () => this.#listeners.delete(events) });
    this.#listeners.add(events);
    if (signal.aborted) events.close();
    using _end = onAbort(signal, () => events.close());
    try {
      yield* events;
    } finally {
      events.close();
    }
  }

  #open(id: string, cmd: readonly string[], { stdin = nothing(), signal }: ProcessInput): ProcessStreams {
    const { container, over } = this.#running(id);
    const { exec, name } = this.#definition;
    if (exec === undefined) throw new RuntimeError('Unimplemented', `runtime "${name}" runs no commands in containers`);
    const [stdout, stderr] = [new ByteInbox(), new ByteInbox()];
    const scope = new AbortScope(signal);
    const ending = onAbort(over, () => scope.abort(over.reason));
    const exitCode = exec(container, cmd, {
      stdin,
      stdout: (output) => stdout.deliver(bytesOf(output)),
      stderr: (output) => stderr.deliver(bytesOf(output)),
      signal: scope.signal,
    }).finally(() => {
      ending[Symbol.dispose]();
      scope[Symbol.dispose]();
      stdout.finish();
      stderr.finish();
    });
    return { stdout, stderr, exitCode };
  }

  #pod(id: string): KeptPod {
    const kept = this.#pods.get(id);
    if (kept === undefined) throw new RuntimeError('NotFound', `Cannot find sandbox "${id}": there is none`);
    return kept;
  }

  #container(id: string): KeptContainer {
    const kept = this.#containers.get(id);
    if (kept === undefined) throw new RuntimeError('NotFound', `Cannot find container "${id}": there is none`);
    return kept;
  }

  #running(id: string): KeptContainer {
    const kept = this.#container(id);
    if (kept.state === 'CONTAINER_RUNNING') return kept;
    throw new RuntimeError('Failed', `Cannot reach container "${id}": it is in state ${kept.state}`);
  }

  #containersOf(podSandboxId: string): readonly KeptContainer[] {
    return [...this.#containers.values()].filter(({ container }) => container.pod.id === podSandboxId);
  }

  #tell({ container }: KeptContainer, containerEventType: ContainerEventType): void {
    const { metadata: pod } = container.pod.config;
    const event = { containerId: container.id, containerEventType, createdAtMs: this.#clock.now(), pod };
    for (const listener of this.#listeners) if (!listener.offer(event)) listener.close();
  }

  #newId(): string {
    return Buffer.from(this.#random.bytes(32)).toString('hex');
  }

  #nextAddress(): string {
    this.#addresses = (this.#addresses % 65_000) + 1;
    return `10.88.${this.#addresses >> 8}.${this.#addresses & 0xff}`;
  }
}

function statusOf({ pod, createdAtMs, state }: KeptPod): PodSandboxStatus {
  const { metadata, labels, annotations } = pod.config;
  const network = { ip: state === 'SANDBOX_READY' ? pod.ip : '', additionalIps: [] };
  return { id: pod.id, metadata, labels, annotations, state, createdAtMs, network };
}

type Selected = Pick<ContainerStatus | PodSandboxStatus, 'id' | 'state' | 'labels'>;
type Selection = Pick<ContainerFilter | PodSandboxFilter, 'id' | 'state' | 'labelSelector'>;

function isSelected({ id, state, labels }: Selected, filter: Selection): boolean {
  if ((filter.id ?? id) !== id || (filter.state ?? state) !== state) return false;
  return Object.entries(filter.labelSelector ?? {}).every(([name, value]) => labels[name] === value);
}

/** What the container writes from now on; what the client sends is its input. */
function attached(kept: KeptContainer, { stdin, signal }: ProcessInput): ProcessStreams {
  const bring = async (): Promise<void> => {
    for await (const bytes of stdin ?? nothing()) await kept.input?.deliver(bytes);
    if (kept.container.config.stdinOnce) kept.input?.finish();
  };
  void bring().catch(() => undefined); // the client is gone
  const [stdout, stderr] = [new ByteInbox(), new ByteInbox()];
  const follow = async (): Promise<number> => {
    for await (const { stream, content, isLineEnd } of kept.output.entries(
      { tailLines: 0, follow: true, signal },
      kept,
    ))
      await (stream === 'stdout' ? stdout : stderr).deliver(
        isLineEnd ? Buffer.concat([content, Buffer.from('\n')]) : content,
      );
    stdout.finish();
    stderr.finish();
    return kept.exitCode;
  };
  return { stdout, stderr, exitCode: follow() };
}
