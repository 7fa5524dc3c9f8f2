import type { Clock, Logger, Random } from '../../base/index.ts';
import { GrpcError, type Method, SocketCalls } from '../../wire/grpc/index.ts';
import {
  Controller,
  ControllerServiceCapability_RPC_Type as Rpc,
  GroupController,
  GroupControllerServiceCapability_RPC_Type as GroupRpc,
  Identity,
  Node,
  NodeServiceCapability_RPC_Type as NodeRpc,
  PluginCapability_Service_Type as Service,
} from '../protocol/csi-v1.ts';

export interface CsiClientOptions {
  /** `/csi/csi.sock`, or `unix:///csi/csi.sock`. */
  readonly address: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** How long a call may take; default 15 s. */
  readonly timeoutMs?: number;
}

/** What a driver says that it can do, by the names of the protocol. */
export interface CsiCapabilities {
  readonly services: ReadonlySet<keyof typeof Service>;
  readonly controller: ReadonlySet<keyof typeof Rpc>;
  readonly node: ReadonlySet<keyof typeof NodeRpc>;
  readonly group: ReadonlySet<keyof typeof GroupRpc>;
}

/** Who a driver is. */
export interface CsiIdentity {
  readonly name: string;
  readonly version: string;
}

const TIMEOUT_MS = 15_000;

/** Calls a CSI driver behind a unix socket: its identity, and what its controller can do. Failures are GrpcErrors. */
export class CsiClient implements AsyncDisposable {
  readonly #calls: SocketCalls;

  constructor({ address, clock, random, log, timeoutMs = TIMEOUT_MS }: CsiClientOptions) {
    this.#calls = new SocketCalls({
      endpoint: address.startsWith('/') ? `unix://${address}` : address,
      server: 'the CSI driver',
      clock,
      random,
      log,
      timeoutMs,
    });
  }

  /** Calls any method of the protocol. */
  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Response> {
    return await this.#calls.call(method, request, options);
  }

  /** Whether the driver is ready. Throws while it is away. */
  async isReady(options: { readonly signal?: AbortSignal } = {}): Promise<boolean> {
    const { ready } = await this.call(Identity.probe, {}, options);
    return ready === undefined || ready.value === true;
  }

  async identity(options: { readonly signal?: AbortSignal } = {}): Promise<CsiIdentity> {
    const { name = '', vendorVersion = '' } = await this.call(Identity.getPluginInfo, {}, options);
    if (name === '') throw new GrpcError('INTERNAL', 'driver name is empty');
    return { name, version: vendorVersion };
  }

  /** All that the driver says it can do; a service that it does not have can do nothing. */
  async capabilities(options: { readonly signal?: AbortSignal } = {}): Promise<CsiCapabilities> {
    const { capabilities = [] } = await this.call(Identity.getPluginCapabilities, {}, options);
    const services = namesOf(
      Service,
      capabilities.map(({ service }) => service?.type),
    );
    const has = async <Name extends string>(
      isServed: boolean,
      names: Readonly<Record<Name, number>>,
      ask: () => Promise<{ readonly capabilities?: readonly { readonly rpc?: { readonly type?: number } }[] }>,
    ): Promise<ReadonlySet<Name>> =>
      isServed
        ? namesOf(
            names,
            ((await ask()).capabilities ?? []).map(({ rpc }) => rpc?.type),
          )
        : new Set();
    return {
      services,
      controller: await has(services.has('CONTROLLER_SERVICE'), Rpc, () =>
        this.call(Controller.controllerGetCapabilities, {}, options),
      ),
      node: await has(true, NodeRpc, () => this.#nodeCapabilities(options)),
      group: await has(services.has('GROUP_CONTROLLER_SERVICE'), GroupRpc, () =>
        this.call(GroupController.groupControllerGetCapabilities, {}, options),
      ),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calls[Symbol.asyncDispose]();
  }

  /** A driver's controller may be a process without the services of nodes. */
  async #nodeCapabilities(options: {
    readonly signal?: AbortSignal;
  }): Promise<{ readonly capabilities?: readonly { readonly rpc?: { readonly type?: number } }[] }> {
    try {
      return await this.call(Node.nodeGetCapabilities, {}, options);
    } catch (error) {
      if (error instanceof GrpcError && error.code === 'UNIMPLEMENTED') return {};
      throw error;
    }
  }
}

function namesOf<Name extends string>(
  names: Readonly<Record<Name, number>>,
  numbers: readonly (number | undefined)[],
): ReadonlySet<Name> {
  const all = Object.entries(names) as [Name, number][];
  return new Set(all.filter(([, number]) => numbers.includes(number)).map(([name]) => name));
}
