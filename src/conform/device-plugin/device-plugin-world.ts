import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, CryptoRandom, discardLogger, messageOf, RealClock } from '../../base/index.ts';
import {
  DEVICE_PLUGIN_VERSION,
  devicePluginProtocol as protocol,
  KUBELET_SOCKET,
  type PluginMessages,
} from '../../devices/index.ts';
import { GrpcError, GrpcServer, type Method, SocketCalls, unaryMethod } from '../../wire/grpc/index.ts';
import { Breach, type ConformWorld, expectThat } from '../suite.ts';
import { PluginProcess } from './plugin-process.ts';

export interface DevicePluginSuiteOptions {
  /** The plugin's program and its arguments; `{dir}` and `{root}` stand for folders. */
  readonly command: readonly string[];
  /** The folder of the sockets; undefined for a new one. */
  readonly folder: string | undefined;
  /** How long the plugin may take to register, to list its devices and to stop. */
  readonly withinMs: number;
  readonly breakDevice: string | undefined;
  readonly repairDevice: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A request of the plugin to register. */
export interface SeenRegistration {
  readonly request: PluginMessages['registerRequest'];
  /** What GetDevicePluginOptions answered while the plugin waited for its registration, as a kubelet asks; or the failure. */
  readonly options: PluginMessages['devicePluginOptions'] | GrpcError;
}

const LOOK_EVERY_MS = 10;
/** How long a kubelet tries to reach a plugin that registers. */
const DIAL_MS = 10_000;
const CALL_MS = 30_000;

/** Where the suite tries a plugin: a folder with the socket of a node's agent, and the plugin's process. */
export class DevicePluginWorld implements ConformWorld {
  readonly options: DevicePluginSuiteOptions;
  readonly folder: string;
  readonly #clock: Clock = new RealClock();
  readonly #own: string | undefined;
  readonly #registrations: SeenRegistration[] = [];
  readonly #calls = new Set<SocketCalls>();
  /** What GetDevicePluginOptions has answered last. */
  #options: PluginMessages['devicePluginOptions'] | undefined;
  /** Registrations to refuse. */
  #refusals = 0;
  #kubelet: GrpcServer | undefined;
  #plugin: PluginProcess | undefined;

  static async open(options: DevicePluginSuiteOptions): Promise<DevicePluginWorld> {
    const own = options.folder === undefined ? await mkdtemp(join(tmpdir(), 'kdp-')) : undefined;
    const folder = options.folder ?? join(own ?? '', 'device-plugins');
    await mkdir(folder, { recursive: true });
    const world = new DevicePluginWorld(options, folder, own);
    await world.startKubelet();
    return world;
  }

  private constructor(options: DevicePluginSuiteOptions, folder: string, own: string | undefined) {
    this.options = options;
    this.folder = folder;
    this.#own = own;
  }

  get plugin(): PluginProcess {
    if (this.#plugin === undefined) throw new Breach('the plugin was not started');
    return this.#plugin;
  }

  get hasPlugin(): boolean {
    return this.#plugin !== undefined && this.#plugin.end === undefined;
  }

  /** Starts the plugin's process. */
  startPlugin(): void {
    const root = join(this.folder, '..');
    const command = this.options.command.map((part) =>
      part.replaceAll('{dir}', this.folder).replaceAll('{root}', root),
    );
    this.#plugin = new PluginProcess(command, {
      ...this.options.environment,
      PLUGIN_SOCK_DIR: this.folder,
      DEVICE_PLUGIN_PATH: this.folder,
      KUBELET_DIR: root,
    });
  }

  /** The registration of a running plugin; the plugin is started when it does not run. */
  async registered(signal: AbortSignal): Promise<SeenRegistration> {
    if (!this.hasPlugin) {
      await this.#reset();
      this.startPlugin();
    }
    const last = this.#registrations.at(-1);
    return last ?? (await this.nextRegistration(0, signal));
  }

  /** Why a rule about an optional call does not apply; undefined when it does, or when the plugin was not asked for its options yet. */
  withoutOption(name: 'preStartRequired' | 'getPreferredAllocationAvailable'): string | undefined {
    const options = this.#options;
    return options === undefined || options[name] === true ? undefined : `the plugin does not set ${name}`;
  }

  get registrationCount(): number {
    return this.#registrations.length;
  }

  /** Waits until there are more registrations than `count`. */
  async nextRegistration(count: number, signal: AbortSignal): Promise<SeenRegistration> {
    await this.until(() => this.#registrations.length > count, { signal, endsWithPlugin: true }, 'has not registered');
    const last = this.#registrations.at(-1);
    if (last === undefined) throw new Breach('the plugin has not registered');
    return last;
  }

  /** Calls to the plugin through the socket of its last registration. */
  async connect(signal: AbortSignal): Promise<PluginCalls> {
    const { request } = await this.registered(signal);
    const calls = this.#dial(request.endpoint ?? '');
    this.#calls.add(calls);
    return new PluginCalls(calls, this, signal);
  }

  async startKubelet(): Promise<void> {
    const register = unaryMethod(protocol.Registration.register, async (request) => {
      const options = await this.#askOptions(request.endpoint ?? '');
      if (this.#refusals > 0) {
        this.#refusals -= 1;
        throw new GrpcError('UNKNOWN', 'the registration is refused by the suite');
      }
      this.#registrations.push({ request, options });
      if (!(options instanceof GrpcError)) this.#options = options;
      if (options instanceof GrpcError)
        throw new GrpcError('UNKNOWN', `failed to get device plugin options: ${options.message}`);
      if (request.version !== DEVICE_PLUGIN_VERSION) throw new GrpcError('UNKNOWN', 'the version is not supported');
      return {};
    });
    const address = `unix:${join(this.folder, KUBELET_SOCKET)}`;
    this.#kubelet = await GrpcServer.listen({ address, methods: [register], clock: this.#clock });
  }

  /** Ends the agent as a kubelet that is stopped. */
  async stopKubelet(): Promise<void> {
    for (const calls of this.#calls) await calls[Symbol.asyncDispose]();
    this.#calls.clear();
    await this.#kubelet?.[Symbol.asyncDispose]();
    this.#kubelet = undefined;
  }

  /** Removes all sockets of the folder, as a kubelet does when it starts. */
  async removeSockets(): Promise<void> {
    for (const path of await this.sockets()) await rm(path, { force: true });
  }

  /** The paths of the sockets in the folder, but the agent's. */
  async sockets(): Promise<readonly string[]> {
    const entries = await readdir(this.folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isSocket() && entry.name !== KUBELET_SOCKET)
      .map(({ name }) => join(this.folder, name));
  }

  async hasSocket({ request }: SeenRegistration): Promise<boolean> {
    const found = await stat(join(this.folder, basename(request.endpoint ?? ''))).catch(() => undefined); // none
    return found?.isSocket() === true;
  }

  refuseRegistrations(count: number): void {
    this.#refusals = count;
  }

  async runScript(script: string): Promise<void> {
    await promisify(execFile)('sh', ['-ec', script], { env: { ...this.options.environment } });
  }

  /** Looks until the condition holds, for as long as the plugin may take; breaks the rule otherwise. */
  async until(
    holds: () => boolean | Promise<boolean>,
    { signal, endsWithPlugin = false, withinMs = this.options.withinMs }: UntilOptions,
    problem: string,
  ): Promise<void> {
    const endMs = this.#clock.monotonic() + withinMs;
    while (!(await holds())) {
      signal.throwIfAborted();
      if (endsWithPlugin && this.plugin.end !== undefined)
        throw new Breach(`the plugin ${problem}: ${this.plugin.words}`);
      if (this.#clock.monotonic() > endMs)
        throw new Breach(`the plugin ${problem} within ${withinMs} ms; ${this.#plugin?.words ?? 'it does not run'}`);
      await this.#clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  pause(ms: number, signal: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }

  /** Each case finds an agent; the plugin keeps running from case to case as long as it does. */
  async tidy(): Promise<void> {
    for (const calls of this.#calls) await calls[Symbol.asyncDispose]();
    this.#calls.clear();
    this.#refusals = 0;
    if (this.#kubelet === undefined || this.#isStale()) await this.#stopPlugin();
    if (this.#kubelet === undefined) await this.startKubelet();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopPlugin();
    await this.stopKubelet();
    await this.removeSockets();
    if (this.#own !== undefined) await rm(this.#own, { recursive: true, force: true });
  }

  /** Ends the plugin, and forgets its registrations. */
  async #stopPlugin(): Promise<void> {
    await this.#plugin?.kill();
    this.#plugin = undefined;
    await this.#reset();
  }

  async #reset(): Promise<void> {
    this.#registrations.length = 0;
    await this.removeSockets();
  }

  #isStale(): boolean {
    return this.#plugin !== undefined && this.#plugin.end !== undefined;
  }

  #dial(endpoint: string): SocketCalls {
    return new SocketCalls({
      endpoint: `unix://${join(this.folder, endpoint)}`,
      server: 'the plugin',
      clock: this.#clock,
      random: new CryptoRandom(),
      log: discardLogger,
      timeoutMs: CALL_MS,
    });
  }

  async #askOptions(endpoint: string): Promise<SeenRegistration['options']> {
    await using calls = this.#dial(endpoint);
    const timeoutMs = Math.min(DIAL_MS, this.options.withinMs);
    const endMs = this.#clock.monotonic() + timeoutMs;
    for (;;) {
      try {
        return await calls.call(protocol.DevicePlugin.getDevicePluginOptions, {}, { timeoutMs });
      } catch (error) {
        const failure = error instanceof GrpcError ? error : new GrpcError('UNKNOWN', messageOf(error));
        if (!failure.isUnsent || this.#clock.monotonic() > endMs) return failure;
        await this.#clock.sleep(LOOK_EVERY_MS);
      }
    }
  }
}

export interface UntilOptions {
  readonly signal: AbortSignal;
  /** Stop looking when the plugin's process has ended; default false. */
  readonly endsWithPlugin?: boolean;
  readonly withinMs?: number;
}

type Device = PluginMessages['device'];

/** The calls of one case to the plugin. */
export class PluginCalls {
  readonly #calls: SocketCalls;
  readonly #world: DevicePluginWorld;
  readonly #signal: AbortSignal;

  constructor(calls: SocketCalls, world: DevicePluginWorld, signal: AbortSignal) {
    this.#calls = calls;
    this.#world = world;
    this.#signal = signal;
  }

  options(): Promise<PluginMessages['devicePluginOptions']> {
    return this.#call(protocol.DevicePlugin.getDevicePluginOptions, {});
  }

  allocate(
    ...containers: readonly (readonly string[])[]
  ): Promise<readonly PluginMessages['containerAllocateResponse'][]> {
    const containerRequests = containers.map((devicesIds) => ({ devicesIds }));
    return this.#call(protocol.DevicePlugin.allocate, { containerRequests }).then(
      ({ containerResponses = [] }) => containerResponses,
    );
  }

  async preferred(
    available: readonly string[],
    mustInclude: readonly string[],
    size: number,
  ): Promise<readonly string[]> {
    const request = { availableDeviceIDs: available, mustIncludeDeviceIDs: mustInclude, allocationSize: size };
    const { containerResponses = [] } = await this.#call(protocol.DevicePlugin.getPreferredAllocation, {
      containerRequests: [request],
    });
    expectThat(
      containerResponses.length === 1,
      `GetPreferredAllocation for one container has answered for ${containerResponses.length}`,
    );
    return containerResponses[0]?.deviceIDs ?? [];
  }

  async preStart(ids: readonly string[]): Promise<void> {
    await this.#call(protocol.DevicePlugin.preStartContainer, { devicesIds: ids });
  }

  /** A stream of the plugin's lists, followed in the background. */
  watch(): DeviceWatch {
    return new DeviceWatch(this.#calls, this.#world, this.#signal);
  }

  /** The first list. */
  async list(): Promise<readonly Device[]> {
    using watch = this.watch();
    return await watch.next();
  }

  /** Ids of healthy devices. Rules about allocations need at least one. */
  async healthyIds(): Promise<readonly string[]> {
    const ids = (await this.list()).filter(({ health }) => health === 'Healthy').map(({ id = '' }) => id);
    expectThat(ids.length > 0, 'the plugin has no healthy device, and the case needs one');
    return ids;
  }

  async #call<Request, Response>(method: Method<Request, Response>, request: Request): Promise<Response> {
    try {
      return await this.#calls.call(method, request, { signal: this.#signal });
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      throw new GrpcError(error.code, `${nameOf(method)} has failed: ${error.code} ${error.message}`, { cause: error });
    }
  }
}

/** Lists of a plugin as they come. */
export class DeviceWatch implements Disposable {
  readonly lists: (readonly Device[])[] = [];
  readonly #stop = new AbortController();
  readonly #world: DevicePluginWorld;
  readonly #signal: AbortSignal;
  #end: string | undefined;

  constructor(calls: SocketCalls, world: DevicePluginWorld, signal: AbortSignal) {
    this.#world = world;
    this.#signal = signal;
    void this.#follow(calls);
  }

  /** Why the stream has ended; undefined while it is open. */
  get end(): string | undefined {
    return this.#end;
  }

  /** Waits for a list after the first `seen` ones for which the condition holds. */
  async next(seen = 0, holds: (devices: readonly Device[]) => boolean = () => true): Promise<readonly Device[]> {
    const find = (): readonly Device[] | undefined => this.lists.slice(seen).find(holds);
    await this.#world.until(
      () => find() !== undefined || this.#end !== undefined,
      { signal: this.#signal },
      seen === 0 ? 'has not listed its devices' : 'has not sent the list that was expected',
    );
    const found = find();
    if (found === undefined) throw new Breach(`ListAndWatch has ended: ${this.#end ?? ''}`);
    return found;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #follow(calls: SocketCalls): Promise<void> {
    try {
      for await (const { devices = [] } of calls.stream(protocol.DevicePlugin.listAndWatch, {}, this.#stop.signal))
        this.lists.push(devices);
      this.#end = 'the plugin has closed the stream';
    } catch (error) {
      this.#end = messageOf(error);
    }
  }
}

function nameOf({ path }: { readonly path: string }): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
