import { Buffer } from 'node:buffer';
import type { DeepReadonly } from '../../base/index.ts';
import { type Observed, type Pod, splitKey } from '../../client/index.ts';
import {
  type ContainerLogs,
  type ContainerStatus,
  type ExecSyncResponse,
  isRuntimeNotFound,
  type LogEntry,
  type OpenPort,
  type OpenProcess,
  RuntimeError,
  type RuntimeService,
  type StreamEndpoint,
} from '../runtime/index.ts';

import type * as core from '../../api/types/core/v1.d.ts';

export interface StreamOptions {
  readonly stdin?: boolean;
  readonly stdout?: boolean;
  readonly stderr?: boolean;
  readonly tty?: boolean;
  readonly signal?: AbortSignal;
}

export interface PodStreamsParts {
  readonly runtime: RuntimeService;
  readonly logs: ContainerLogs;
  /** The node's pod of this key. */
  pod(key: string): Observed<Pod> | undefined;
}

type Status = DeepReadonly<core.ContainerStatus>;

/** Logs, commands and ports of the containers of a node, for its HTTP server. */
export class PodStreams {
  readonly #parts: PodStreamsParts;

  constructor(parts: PodStreamsParts) {
    this.#parts = parts;
  }

  /** The output of a container as text, perhaps until it ends. Refusals are RuntimeErrors, before anything is read. */
  async *logs(key: string, container: string, options: PodLogOptions): AsyncGenerator<Uint8Array> {
    const { logs, runtime, pod } = this.#parts;
    const { name } = splitKey(key);
    const found = pod(key);
    if (found === undefined)
      throw new RuntimeError('NotFound', `pod ${JSON.stringify(name)} cannot be found - no logs available`);
    const id = loggedContainer(found, container, options.previous === true);
    const status = await runtime.containerStatus(id);
    const { tailLines, follow = false, signal } = options;
    const query = { follow, signal, ...(tailLines === undefined ? {} : { tailLines }) };
    yield* logOutput(logs.entries(status, query), options);
  }

  /** Runs a command in a container. */
  async exec(
    key: string,
    { container, command }: { readonly container: string; readonly command: readonly string[] },
    options: StreamOptions = {},
  ): Promise<StreamEndpoint<OpenProcess>> {
    const { id } = await this.#running(key, container, `container not found (${JSON.stringify(container)})`);
    return this.#parts.runtime.exec({ containerId: id, cmd: command, ...streamsOf(options) }, options);
  }

  /** Runs a command in a container to its end. */
  async run(
    key: string,
    { container, command }: { readonly container: string; readonly command: readonly string[] },
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<ExecSyncResponse> {
    const { id } = await this.#running(key, container, `container not found (${JSON.stringify(container)})`);
    return this.#parts.runtime.execSync(id, command, options);
  }

  /** Connects to the program that a container runs. */
  async attach(key: string, container: string, options: StreamOptions = {}): Promise<StreamEndpoint<OpenProcess>> {
    const { namespace = '', name } = splitKey(key);
    const { id } = await this.#running(key, container, `container ${container} not found in pod ${name}_${namespace}`);
    return this.#parts.runtime.attach({ containerId: id, ...streamsOf(options) }, options);
  }

  async portForward(
    key: string,
    ports: readonly number[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<StreamEndpoint<OpenPort>> {
    const { runtime, pod } = this.#parts;
    const { namespace = '', name } = splitKey(key);
    const podUid = pod(key)?.metadata.uid;
    const [sandbox] = podUid === undefined ? [] : await runtime.listPodSandbox({ podUid, state: 'SANDBOX_READY' });
    if (sandbox === undefined) throw new RuntimeError('NotFound', `pod not found ("${name}_${namespace}")`);
    return runtime.portForward({ podSandboxId: sandbox.id, ports }, options);
  }

  async #running(key: string, container: string, refusal: string): Promise<ContainerStatus> {
    const { runtime, pod } = this.#parts;
    const podUid = pod(key)?.metadata.uid;
    const sandboxes = podUid === undefined ? [] : await runtime.listPodSandbox({ podUid });
    for (const { id } of sandboxes) {
      const containers = await this.#containersOf(id);
      const found = containers.find(
        ({ metadata, state }) => metadata.name === container && state === 'CONTAINER_RUNNING',
      );
      if (found !== undefined) return found;
    }
    throw new RuntimeError('NotFound', refusal);
  }

  async #containersOf(podSandboxId: string): Promise<readonly ContainerStatus[]> {
    try {
      return await this.#parts.runtime.listContainers({ podSandboxId });
    } catch (error) {
      if (isRuntimeNotFound(error)) return [];
      throw error;
    }
  }
}

function streamsOf({
  stdin = false,
  stdout = true,
  stderr = true,
  tty = false,
}: StreamOptions): Required<Omit<StreamOptions, 'signal'>> {
  return { stdin, stdout, stderr: stderr && !tty, tty };
}

/** The id of the container whose log is requested. Throws when that container has not run. */
function loggedContainer({ metadata, status }: Observed<Pod>, name: string, isPrevious: boolean): string {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  const all: readonly Status[] = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  const about = all.find((each) => each.name === name);
  const what = `container ${JSON.stringify(name)} in pod ${JSON.stringify(metadata.name)}`;
  if (about === undefined) throw new RuntimeError('Invalid', `${what} is not available`);
  const { state = {}, lastState = {}, containerID } = about;
  const last = lastState.terminated?.containerID;
  if (isPrevious) {
    if (last === undefined) throw new RuntimeError('Invalid', `previous terminated ${what} not found`);
    return idOf(last);
  }
  if (state.running !== undefined && containerID !== undefined) return idOf(containerID);
  const ended = state.terminated?.containerID ?? last;
  if (ended !== undefined) return idOf(ended);
  if (state.terminated !== undefined || lastState.terminated !== undefined)
    throw new RuntimeError('Invalid', `${what} is terminated`);
  throw new RuntimeError('Invalid', `${what} is waiting to start${waitReason(state.waiting?.reason)}`);
}

function waitReason(reason: string | undefined): string {
  if (reason === 'ErrImagePull') return ": image can't be pulled";
  if (reason === 'ImagePullBackOff') return ': trying and failing to pull image';
  return reason === undefined ? ' - no logs yet' : `: ${reason}`;
}

function idOf(fullId: string): string {
  return fullId.slice(fullId.indexOf('://') + 3);
}

/** As `kubectl logs` asks for them. */
export interface PodLogOptions {
  /** Logs of the previous run of the container. */
  readonly previous?: boolean;
  readonly follow?: boolean;
  readonly tailLines?: number;
  readonly sinceMs?: number;
  readonly timestamps?: boolean;
  readonly limitBytes?: number;
  /** Default both. */
  readonly stream?: 'stdout' | 'stderr';
  readonly signal: AbortSignal;
}

const NEWLINE = Buffer.from('\n');

/** Entries as the text that is shown of them. */
export async function* logOutput(
  entries: AsyncIterable<LogEntry>,
  { sinceMs = -Infinity, timestamps = false, limitBytes = Infinity, stream }: PodLogOptions,
): AsyncGenerator<Uint8Array> {
  let left = limitBytes;
  let isLineStart = true;
  for await (const entry of entries) {
    if (stream !== undefined && entry.stream !== stream) continue;
    if (sinceMs !== -Infinity && Date.parse(entry.time) < sinceMs) continue;
    const stamp = timestamps && isLineStart ? [Buffer.from(`${entry.time} `)] : [];
    isLineStart = entry.isLineEnd;
    const text = Buffer.concat([...stamp, entry.content, ...(isLineStart ? [NEWLINE] : [])]);
    yield text.length > left ? text.subarray(0, left) : text;
    left -= text.length;
    if (left <= 0) return;
  }
}
