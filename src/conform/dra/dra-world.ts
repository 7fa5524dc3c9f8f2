import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, CryptoRandom, discardLogger, RealClock } from '../../base/index.ts';
import type { Client, Observed, ResourceClaim, ResourceSlice } from '../../client/index.ts';
import { CdiFolder } from '../../devices/index.ts';
import { pluginRegistration } from '../../plugins/index.ts';
import { GrpcError, SocketCalls } from '../../wire/grpc/index.ts';
import { PluginProcess } from '../device-plugin/plugin-process.ts';
import { Breach, type ConformWorld, expectThat } from '../suite.ts';
import type { SuiteCluster } from '../suite-request.ts';
import { DraCalls, type ClaimRef, type DraVersion } from './dra-calls.ts';

export interface DraSuiteOptions {
  /** The driver's program and its arguments; `{root}`, `{registry}`, `{plugins}`, `{cdi}`, `{kubeconfig}` and `{node}` stand for where they are. */
  readonly command: readonly string[];
  /** How long the driver may take to register, to publish its devices and to stop. */
  readonly withinMs: number;
  readonly breakDevice: string | undefined;
  readonly repairDevice: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  openCluster(signal: AbortSignal): Promise<SuiteCluster>;
}

/** How the driver has described itself at its registration. */
export interface SeenDriver {
  readonly socket: string;
  readonly type: string;
  readonly name: string;
  readonly endpoint: string;
  readonly versions: readonly string[];
}

/** A device as published, with its pool. */
export interface PublishedDevice {
  readonly pool: string;
  readonly device: string;
}

export interface UntilOptions {
  readonly signal: AbortSignal;
  /** Stop looking when the driver's process has ended; default false. */
  readonly endsWithDriver?: boolean;
}

const LOOK_EVERY_MS = 20;
const CALL_MS = 30_000;
/** The name of the node that the suite plays. */
export const NODE = 'conform';
const NAMESPACE = 'conform';

/** Where the suite tries a driver: an API server with a node, the folders of the node's agent, and the driver's process. */
export class DraWorld implements ConformWorld {
  readonly options: DraSuiteOptions;
  readonly root: string;
  readonly cdi: CdiFolder;
  readonly #cluster: SuiteCluster;
  readonly #clock: Clock = new RealClock();
  readonly #calls = new Set<SocketCalls>();
  readonly #claims = new Map<
    string,
    { readonly claim: Observed<ResourceClaim>; readonly devices: PublishedDevice[] }
  >();
  /** CDI files that the driver has before any claim is prepared. */
  #ownFiles: ReadonlySet<string> | undefined;
  #process: PluginProcess | undefined;
  #driver: SeenDriver | undefined;
  #count = 0;

  static async open(options: DraSuiteOptions, signal: AbortSignal): Promise<DraWorld> {
    const cluster = await options.openCluster(signal);
    const world = new DraWorld(options, cluster, await mkdtemp(join(tmpdir(), 'kdra-')));
    for (const folder of [world.registry, world.plugins, world.cdi.path]) await mkdir(folder, { recursive: true });
    await cluster.client.core.v1.nodes.create({ metadata: { name: NODE } }, { signal });
    const labels = { 'resource.kubernetes.io/admin-access': 'true' };
    await cluster.client.core.v1.namespaces.create({ metadata: { name: NAMESPACE, labels } }, { signal });
    return world;
  }

  private constructor(options: DraSuiteOptions, cluster: SuiteCluster, root: string) {
    this.options = options;
    this.root = root;
    this.cdi = new CdiFolder(join(root, 'cdi'));
    this.#cluster = cluster;
  }

  get client(): Client {
    return this.#cluster.client;
  }

  get registry(): string {
    return join(this.root, 'plugins_registry');
  }

  get plugins(): string {
    return join(this.root, 'plugins');
  }

  get process(): PluginProcess {
    if (this.#process === undefined) throw new Breach('the driver was not started');
    return this.#process;
  }

  get isRunning(): boolean {
    return this.#process !== undefined && this.#process.end === undefined;
  }

  /** The driver as it registered last; undefined when it has not. */
  get seen(): SeenDriver | undefined {
    return this.#driver;
  }

  start(): void {
    const { registry, plugins, root, cdi } = this;
    const { kubeconfig } = this.#cluster;
    const places = { root, registry, plugins, cdi: cdi.path, kubeconfig, node: NODE };
    const command = this.options.command.map((part) =>
      Object.entries(places).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), part),
    );
    this.#driver = undefined;
    this.#process = new PluginProcess(command, this.#environment());
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
    await this.#closeCalls();
    this.#driver = undefined;
  }

  /** The driver, registered as by a kubelet; it is started when it does not run. */
  async registered(signal: AbortSignal): Promise<SeenDriver> {
    if (!this.isRunning) this.start();
    if (this.#driver !== undefined) return this.#driver;
    const driver = await this.found(signal);
    await this.notify(driver, { isRegistered: true });
    this.#ownFiles ??= new Set(await this.cdi.names());
    this.#driver = driver;
    return driver;
  }

  /** Waits until a socket of the folder answers GetInfo. */
  async found(signal: AbortSignal): Promise<SeenDriver> {
    let driver: SeenDriver | undefined;
    await this.until(
      async () => {
        for (const socket of await this.sockets()) driver ??= await this.#ask(socket);
        return driver !== undefined;
      },
      { signal, endsWithDriver: true },
      'has not opened a socket in plugins_registry that answers GetInfo',
    );
    if (driver === undefined) throw new Breach('the driver has not registered');
    return driver;
  }

  async notify({ socket }: SeenDriver, { isRegistered }: { readonly isRegistered: boolean }): Promise<void> {
    await using calls = this.#dial(socket);
    const error = isRegistered ? '' : 'the registration is refused by the suite';
    await calls.call(pluginRegistration.Registration.notifyRegistrationStatus, {
      pluginRegistered: isRegistered,
      error,
    });
  }

  /** The paths of the sockets in the folder where drivers register. */
  async sockets(): Promise<readonly string[]> {
    const entries = await readdir(this.registry, { withFileTypes: true });
    return entries.filter((entry) => entry.isSocket()).map(({ name }) => join(this.registry, name));
  }

  /** Calls to the registered driver, by default in the newest version that it announces. */
  async connect(signal: AbortSignal, version?: DraVersion): Promise<DraCalls> {
    const driver = await this.registered(signal);
    const chosen = version ?? (driver.versions.includes('v1.DRAPlugin') ? 'v1' : 'v1beta1');
    const calls = this.#dial(driver.endpoint);
    this.#calls.add(calls);
    return new DraCalls(calls, chosen, signal);
  }

  /** The slices of the driver, once they are complete. */
  async slices(signal: AbortSignal): Promise<readonly Observed<ResourceSlice>[]> {
    await this.registered(signal);
    let slices = await this.slicesNow(signal);
    await this.until(
      async () => {
        slices = await this.slicesNow(signal);
        return slices.length > 0 && incomplete(slices) === undefined;
      },
      { signal, endsWithDriver: true },
      `has not published a complete pool of ResourceSlices (${incomplete(slices) ?? 'there are none'})`,
    );
    return slices;
  }

  async slicesNow(signal: AbortSignal): Promise<readonly Observed<ResourceSlice>[]> {
    const name = (await this.registered(signal)).name;
    const selection = { fieldSelector: `spec.driver=${name}` };
    return (await this.client.resource.v1.resourceslices.list({ ...selection, signal })).items;
  }

  /** Published devices that no claim of the case has. */
  async freeDevices(signal: AbortSignal): Promise<readonly PublishedDevice[]> {
    const taken = new Set([...this.#claims.values()].flatMap(({ devices }) => devices.map(keyOf)));
    return devicesOf(await this.slices(signal)).filter((device) => !taken.has(keyOf(device)));
  }

  /** A claim to which devices are allocated, by default one that is free. */
  async allocate(
    signal: AbortSignal,
    options: { readonly devices?: readonly PublishedDevice[]; readonly hasAdminAccess?: boolean } = {},
  ): Promise<ClaimRef> {
    const { name: driver } = await this.registered(signal);
    const devices = options.devices ?? (await this.freeDevices(signal)).slice(0, 1);
    expectThat(devices.length > 0, 'the driver has no free device, and the case needs one');
    const { hasAdminAccess = false } = options;
    const claim = await this.create(signal, { count: devices.length, hasAdminAccess });
    const results = devices.map((device) => ({
      ...{ request: 'devices', driver, ...device },
      ...(hasAdminAccess ? { adminAccess: true } : {}),
    }));
    const claims = this.client.resource.v1.resourceclaims.namespace(NAMESPACE);
    await claims.status.update(
      {
        ...claim,
        status: {
          allocation: { devices: { results } },
          reservedFor: [{ resource: 'pods', name: 'conform', uid: claim.metadata.uid }],
        },
      },
      { signal },
    );
    this.#claims.set(claim.metadata.uid, { claim, devices: [...devices] });
    return refOf(claim);
  }

  /** A claim without an allocation. */
  async create(
    signal: AbortSignal,
    { count = 1, hasAdminAccess = false }: { readonly count?: number; readonly hasAdminAccess?: boolean } = {},
  ): Promise<Observed<ResourceClaim>> {
    const exactly = { deviceClassName: 'conform', count, ...(hasAdminAccess ? { adminAccess: true } : {}) };
    const claims = this.client.resource.v1.resourceclaims.namespace(NAMESPACE);
    this.#count += 1;
    const claim = await claims.create(
      { metadata: { name: `claim-${this.#count}` }, spec: { devices: { requests: [{ name: 'devices', exactly }] } } },
      { signal },
    );
    this.#claims.set(claim.metadata.uid, { claim, devices: [] });
    return claim;
  }

  /** Deletes a claim, as when its pod is gone for a while. */
  async deleteClaim({ name }: ClaimRef, signal: AbortSignal): Promise<void> {
    const claims = this.client.resource.v1.resourceclaims.namespace(NAMESPACE);
    const found = await claims.get(name, { signal });
    const { status: _, ...rest } = found;
    if (found.status?.reservedFor !== undefined) await claims.status.update({ ...rest, status: {} }, { signal });
    await claims.delete(name, { signal });
    for (const finalizers = found.metadata.finalizers ?? []; finalizers.length > 0; finalizers.pop())
      await claims.patch(name, {
        contentType: 'application/merge-patch+json',
        body: { metadata: { finalizers: null } },
      });
  }

  /** Deletes a claim that is no longer prepared: its devices are free again. */
  async release(claim: ClaimRef, signal: AbortSignal): Promise<void> {
    await this.deleteClaim(claim, signal);
    this.#claims.delete(claim.uid);
  }

  /** Names of CDI files, but those that the driver has without claims. */
  async claimFiles(): Promise<readonly string[]> {
    return (await this.cdi.names()).filter((name) => this.#ownFiles?.has(name) !== true);
  }

  /** Devices of the Container Device Interface must be in a file that runtimes would take. */
  async checkCdi(names: readonly string[]): Promise<void> {
    for (const name of await this.cdi.names()) {
      const { problems = [] } = (await this.cdi.read(name)) ?? {};
      expectThat(problems.length === 0, `the CDI file "${name}" is not valid: ${problems.join('; ')}`);
    }
    await this.cdi.edits(names);
  }

  async runScript(script: string): Promise<void> {
    await promisify(execFile)('sh', ['-ec', script], { env: this.#environment() });
  }

  /** Looks until the condition holds, for as long as the driver may take; breaks the rule otherwise. */
  async until(
    holds: () => boolean | Promise<boolean>,
    { signal, endsWithDriver = false }: UntilOptions,
    problem: string,
  ): Promise<void> {
    const { withinMs } = this.options;
    const endMs = this.#clock.monotonic() + withinMs;
    while (!(await holds())) {
      signal.throwIfAborted();
      if (endsWithDriver && this.process.end !== undefined) throw new Breach(`the driver ${problem}: ${this.words}`);
      if (this.#clock.monotonic() > endMs)
        throw new Breach(`the driver ${problem} within ${withinMs} ms; ${this.words}`);
      await this.#clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  pause(ms: number, signal: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }

  /** Milliseconds since some fixed moment. */
  elapsedMs(): number {
    return this.#clock.monotonic();
  }

  /** What was called a plugin in messages of processes is a driver here. */
  get words(): string {
    return (this.#process?.words ?? 'it does not run').replace(/^the plugin/, 'the driver');
  }

  /** Unprepares what a case has prepared; the driver keeps running from case to case as long as it does. */
  async tidy(): Promise<void> {
    const { signal } = new AbortController();
    if (this.isRunning && this.#driver !== undefined) {
      const calls = await this.connect(signal);
      for (const { claim } of this.#claims.values()) await calls.unprepare(refOf(claim)).catch(() => undefined); // its own case judges that
    }
    for (const { claim } of this.#claims.values()) await this.deleteClaim(refOf(claim), signal).catch(() => undefined); // the case may have deleted it
    this.#claims.clear();
    await this.#closeCalls();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#cluster[Symbol.asyncDispose]();
    await rm(this.root, { recursive: true, force: true });
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      ...this.options.environment,
      KUBECONFIG: this.#cluster.kubeconfig,
      NODE_NAME: NODE,
      KUBELET_DIR: this.root,
      KUBELET_REGISTRAR_DIRECTORY_PATH: this.registry,
      KUBELET_PLUGINS_DIRECTORY_PATH: this.plugins,
      CDI_ROOT: this.cdi.path,
      CDI_DIR: this.cdi.path,
    };
  }

  async #closeCalls(): Promise<void> {
    for (const calls of this.#calls) await calls[Symbol.asyncDispose]();
    this.#calls.clear();
  }

  async #ask(socket: string): Promise<SeenDriver | undefined> {
    await using calls = this.#dial(socket);
    try {
      const {
        type = '',
        name = '',
        endpoint = '',
        supportedVersions = [],
      } = await calls.call(
        pluginRegistration.Registration.getInfo,
        {},
        { timeoutMs: Math.min(CALL_MS, this.options.withinMs) },
      );
      return { socket, type, name, endpoint: endpoint === '' ? socket : endpoint, versions: supportedVersions };
    } catch (error) {
      if (error instanceof GrpcError) return undefined; // left over, or not served yet
      throw error;
    }
  }

  #dial(socket: string): SocketCalls {
    return new SocketCalls({
      endpoint: `unix://${socket}`,
      server: 'the driver',
      clock: this.#clock,
      random: new CryptoRandom(),
      log: discardLogger,
      timeoutMs: Math.min(CALL_MS, this.options.withinMs),
    });
  }
}

export function refOf({ metadata: { uid, name, namespace = '' } }: Observed<ResourceClaim>): ClaimRef {
  return { uid, name, namespace };
}

/** The devices of the newest generation of each pool. */
export function devicesOf(slices: readonly Observed<ResourceSlice>[]): readonly PublishedDevice[] {
  return current(slices).flatMap(({ spec }) =>
    (spec.devices ?? []).map(({ name }) => ({ pool: spec.pool.name, device: name })),
  );
}

/** What is missing for the pools to be complete; undefined when nothing is. */
export function incomplete(slices: readonly Observed<ResourceSlice>[]): string | undefined {
  for (const pool of new Set(slices.map(({ spec }) => spec.pool.name))) {
    const own = current(slices).filter(({ spec }) => spec.pool.name === pool);
    const counts = new Set(own.map(({ spec }) => spec.pool.resourceSliceCount));
    if (counts.size > 1) return `the slices of pool "${pool}" name different numbers of slices`;
    const [count = 0] = counts;
    if (count !== own.length)
      return `pool "${pool}" should have ${count} slices of its newest generation, and has ${own.length}`;
  }
  return undefined;
}

function current(slices: readonly Observed<ResourceSlice>[]): readonly Observed<ResourceSlice>[] {
  const newest = new Map<string, number>();
  for (const { spec } of slices)
    newest.set(spec.pool.name, Math.max(newest.get(spec.pool.name) ?? 0, spec.pool.generation));
  return slices.filter(({ spec }) => newest.get(spec.pool.name) === spec.pool.generation);
}

function keyOf({ pool, device }: PublishedDevice): string {
  return `${pool}/${device}`;
}
