import { AbortScope, type Clock, type Logger, messageOf, type Random } from '../../base/index.ts';
import { goErrorText, isGrpcError, type Method, SocketCalls } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import * as protocol from '../protocol/device-plugin-v1beta1.ts';

/** A device as its plugin lists it. */
export interface PluginDevice {
  readonly id: string;
  readonly isHealthy: boolean;
  /** The NUMA nodes that it is near to; empty where the plugin says nothing about them. */
  readonly nodes: readonly number[];
}

export type ContainerAnswer = MessageOf<typeof protocol.containerAllocateResponse>;
export type PluginOptions = MessageOf<typeof protocol.devicePluginOptions>;

export interface ConnectionTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** How long a plugin that registers may take to serve its socket. */
const DIAL_MS = 10_000;
const DIAL_RETRY_MS = 100;
const OPTIONS_MS = 10_000;
/** A kubelet waits without limit. Here a plugin that hangs must not keep pods waiting forever. */
const ALLOCATE_MS = 120_000;
const PREFERRED_MS = 30_000;
/** That of a kubelet. */
const PRE_START_MS = 30_000;
/** More devices than this are taken as a fault of the plugin. */
const MAX_DEVICES = 100_000;

/** A registered plugin: the calls of the device plugin API v1beta1 over its socket. Errors have the words of a kubelet. */
export class PluginConnection implements AsyncDisposable {
  readonly resource: string;
  readonly options: PluginOptions;
  readonly #calls: SocketCalls;
  readonly #stop = new AbortScope();
  #isClosed = false;

  private constructor(resource: string, calls: SocketCalls, options: PluginOptions) {
    this.resource = resource;
    this.#calls = calls;
    this.options = options;
  }

  /** Connects to a plugin and asks for its options. */
  static async open(resource: string, socket: string, tools: ConnectionTools): Promise<PluginConnection> {
    const calls = new SocketCalls({
      endpoint: `unix://${socket}`,
      server: `the device plugin of ${resource}`,
      ...tools,
    });
    try {
      return new PluginConnection(resource, calls, await askOptions(calls, tools.clock));
    } catch (error) {
      await calls[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Calls `listed` with each list of devices; resolves with the reason when the plugin has ended the stream or is closed. */
  async follow(listed: (devices: readonly PluginDevice[]) => void): Promise<string> {
    try {
      for await (const { devices = [] } of this.#calls.stream(
        protocol.DevicePlugin.listAndWatch,
        {},
        this.#stop.signal,
      )) {
        if (this.#isClosed) break;
        if (devices.length > MAX_DEVICES) return `it has listed ${devices.length} devices, more than ${MAX_DEVICES}`;
        listed(devices.map(deviceOf));
      }
      return 'it has ended ListAndWatch';
    } catch (error) {
      return messageOf(error);
    }
  }

  /** The ids that the plugin would choose; none where it has no preference. */
  async preferred(available: readonly string[], mustInclude: readonly string[], size: number): Promise<string[]> {
    if (this.options.getPreferredAllocationAvailable !== true) return [];
    const request = { availableDeviceIDs: available, mustIncludeDeviceIDs: mustInclude, allocationSize: size };
    const { containerResponses = [] } = await this.#call(
      protocol.DevicePlugin.getPreferredAllocation,
      { containerRequests: [request] },
      { timeoutMs: PREFERRED_MS, prefix: 'device plugin GetPreferredAllocation rpc failed with err: ' },
    );
    return [...(containerResponses[0]?.deviceIDs ?? [])];
  }

  async allocate(ids: readonly string[]): Promise<ContainerAnswer> {
    const { containerResponses = [] } = await this.#call(
      protocol.DevicePlugin.allocate,
      { containerRequests: [{ devicesIds: ids }] },
      { timeoutMs: ALLOCATE_MS },
    );
    const [answer] = containerResponses;
    if (answer === undefined) throw new Error('no containers return in allocation response ');
    return answer;
  }

  async preStart(ids: readonly string[]): Promise<void> {
    if (this.options.preStartRequired !== true) return;
    await this.#call(
      protocol.DevicePlugin.preStartContainer,
      { devicesIds: ids },
      { timeoutMs: PRE_START_MS, prefix: 'device plugin PreStartContainer rpc failed with err: ' },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stop.abort();
    await this.#calls[Symbol.asyncDispose]();
  }

  async #call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { timeoutMs, prefix = '' }: { readonly timeoutMs: number; readonly prefix?: string },
  ): Promise<Response> {
    if (this.#isClosed) throw new Error(`endpoint ${this.resource} has been stopped`);
    try {
      return await this.#calls.call(method, request, { timeoutMs });
    } catch (error) {
      throw new Error(`${prefix}${textOf(error)}`, { cause: error });
    }
  }
}

/** A plugin may register before it serves its socket. */
async function askOptions(calls: SocketCalls, clock: Clock): Promise<PluginOptions> {
  const endMs = clock.monotonic() + DIAL_MS;
  for (;;) {
    try {
      return await calls.call(protocol.DevicePlugin.getDevicePluginOptions, {}, { timeoutMs: OPTIONS_MS });
    } catch (error) {
      const isAway = isGrpcError(error) && error.isUnsent;
      if (!isAway) throw new Error(`failed to get device plugin options: ${textOf(error)}`, { cause: error });
      if (clock.monotonic() >= endMs)
        throw new Error('failed to dial device plugin: context deadline exceeded', { cause: error });
      await clock.sleep(DIAL_RETRY_MS);
    }
  }
}

function deviceOf({ id = '', health, topology }: MessageOf<typeof protocol.device>): PluginDevice {
  const nodes = (topology?.nodes ?? []).map(({ id: node = 0 }) => node);
  return { id, isHealthy: health === 'Healthy', nodes };
}

function textOf(error: unknown): string {
  return isGrpcError(error) ? goErrorText(error) : messageOf(error);
}
