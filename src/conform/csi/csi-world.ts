import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, CryptoRandom, discardLogger, messageOf, RealClock } from '../../base/index.ts';
import {
  Controller,
  ControllerServiceCapability_RPC_Type,
  Identity,
  Node,
  NodeServiceCapability_RPC_Type,
  PluginCapability_Service_Type,
  type createVolumeRequest,
  type snapshot as snapshotTable,
  type volume as volumeTable,
} from '../../csi/protocol/csi-v1.ts';
import { Mounts, SmallShell } from '../../system/index.ts';
import { GrpcError, type Method, SocketCalls } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { Breach, type ConformWorld, expectThat } from '../suite.ts';
import type { CsiSuiteOptions } from './csi-options.ts';
import { DriverProcess } from './driver-process.ts';

export type ControllerCapability = keyof typeof ControllerServiceCapability_RPC_Type;
export type NodeCapability = keyof typeof NodeServiceCapability_RPC_Type;
export type CreateRequest = MessageOf<typeof createVolumeRequest>;
export type Volume = MessageOf<typeof volumeTable>;
export type Snapshot = MessageOf<typeof snapshotTable>;

/** How a call ended. */
export type Outcome<Response> =
  | { readonly code: 'OK'; readonly response: Response; readonly message?: undefined }
  | { readonly code: string; readonly message: string; readonly response?: undefined };

/** What the driver says about itself. */
interface DriverFacts {
  readonly hasController: boolean;
  readonly hasTopology: boolean;
  readonly controller: ReadonlySet<string>;
  readonly node: ReadonlySet<string>;
  readonly nodeId: string;
  /** False for a driver without the node's calls. */
  readonly hasNode: boolean;
  readonly segments: ReadonlyMap<string, string>;
}

/** What there is of a driver's, to be compared. */
export interface DriverState {
  readonly volumes: readonly string[];
  readonly snapshots: readonly string[];
  readonly mounts: readonly string[];
  readonly files: readonly string[];
}

const START_MS = 30_000;
const POLL_MS = 50;
const CALL_MS = 60_000;
/** How often a call that another one is in the way of is repeated. */
const MAX_TRIES = 200;
/** How often a call is repeated while the driver does not answer at all. */
const MAX_AWAY = 3;
const SINGLE_NODE_WRITER = 1;

/** A driver, what it can do, and what the cases have made of it. */
export class CsiWorld implements ConformWorld {
  readonly options: CsiSuiteOptions;
  readonly clock: Clock = new RealClock();
  /** For staging and targets. */
  readonly folder: string;
  readonly #random = new CryptoRandom();
  readonly #shell = new SmallShell(this.clock);
  readonly mounts = new Mounts(this.#shell);
  #process: DriverProcess | undefined;
  #calls: SocketCalls | undefined;
  #facts: DriverFacts | undefined;
  #count = 0;
  readonly #volumes = new Set<string>();
  readonly #snapshots = new Set<string>();
  /** Volumes by where they are attached, staged and published. */
  readonly #attached = new Set<string>();
  readonly #staged = new Map<string, string>();
  readonly #published = new Map<string, string>();

  static async open(options: CsiSuiteOptions, signal: AbortSignal): Promise<CsiWorld> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'keelson-conform-csi-')));
    const world = new CsiWorld(options, folder);
    try {
      await world.#start(signal);
      world.#facts = await world.#learn();
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(options: CsiSuiteOptions, folder: string) {
    this.options = options;
    this.folder = folder;
  }

  get facts(): DriverFacts {
    if (this.#facts === undefined) throw new Error('The driver is not known yet');
    return this.#facts;
  }

  /** Whether the suite has started the driver, and so can kill it. */
  get canRestart(): boolean {
    return this.options.driver.type === 'command';
  }

  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal: AbortSignal,
  ): Promise<Response> {
    if (this.#calls === undefined) throw new Error('The driver is not running');
    return await this.#calls.call(method, request, { signal, timeoutMs: CALL_MS });
  }

  /** As `call`; failures of the driver are values. */
  async try<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal: AbortSignal,
  ): Promise<Outcome<Response>> {
    try {
      return { code: 'OK', response: await this.call(method, request, signal) };
    } catch (error) {
      if (!(error instanceof GrpcError)) throw error;
      return { code: error.code, message: error.message };
    }
  }

  /** Repeats a call that is refused because another one is in progress, as callers do, and returns its answer. */
  async settle<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal: AbortSignal,
  ): Promise<Response> {
    for (let left = MAX_TRIES; ; left--) {
      const outcome = await this.try(method, request, signal);
      if (outcome.response !== undefined) return outcome.response;
      signal.throwIfAborted();
      const isAway = outcome.code === 'UNAVAILABLE' && left <= MAX_TRIES - MAX_AWAY;
      if (isAway || this.#process?.hasEnded === true)
        throw new Breach(`the driver has ended in ${nameOf(method)}${printed(this.#process?.output)}`);
      if ((outcome.code !== 'ABORTED' && outcome.code !== 'UNAVAILABLE') || left === 0)
        throw new Breach(`${nameOf(method)} fails: ${outcome.code}: ${outcome.message ?? ''}`);
      await this.clock.sleep(POLL_MS, signal);
    }
  }

  /** The call must fail with one of these codes. */
  async requireCode<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { codes, when, signal }: { readonly codes: readonly string[]; readonly when: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { code, message = '' } = await this.try(method, request, signal);
    const text = message === '' ? code : `${code}: ${message}`;
    expectThat(codes.includes(code), `${nameOf(method)} ${when} answers ${text}, not ${codes.join(' or ')}`);
  }

  newName(): string {
    this.#count += 1;
    return `keelson-conform-${process.pid}-${this.#count}-${this.#random.nameSuffix(6)}`;
  }

  /** A request for a new volume, as the options want it. */
  volumeRequest(more: Partial<CreateRequest> = {}): CreateRequest {
    const { parameters, secrets, bytes } = this.options;
    const { segments, hasTopology } = this.facts;
    const here = [{ segments }];
    return {
      name: this.newName(),
      capacityRange: { requiredBytes: bytes },
      volumeCapabilities: [this.capability],
      parameters,
      secrets,
      ...(hasTopology ? { accessibilityRequirements: { requisite: here, preferred: here } } : {}),
      ...more,
    };
  }

  readonly capability = { mount: {}, accessMode: { mode: SINGLE_NODE_WRITER } };

  /** Creates a volume, which `tidy` deletes. */
  async create(signal: AbortSignal, request: CreateRequest = this.volumeRequest()): Promise<Volume> {
    const { volume } = await this.settle(Controller.createVolume, request, signal);
    return this.keep(volume);
  }

  /** Notes a volume that `tidy` has to delete. */
  keep(volume: Volume | undefined): Volume {
    const { volumeId = '' } = volume ?? {};
    expectThat(volume !== undefined && volumeId !== '', 'CreateVolume answers without a volume id');
    this.#volumes.add(volumeId);
    return volume;
  }

  async delete(volumeId: string, signal: AbortSignal): Promise<void> {
    await this.settle(Controller.deleteVolume, { volumeId, secrets: this.options.secrets }, signal);
    this.#volumes.delete(volumeId);
  }

  async snapshot(sourceVolumeId: string, signal: AbortSignal, name = this.newName()): Promise<Snapshot> {
    const { snapshot } = await this.settle(Controller.createSnapshot, { name, sourceVolumeId }, signal);
    return this.keepSnapshot(snapshot);
  }

  keepSnapshot(snapshot: Snapshot | undefined): Snapshot {
    const { snapshotId = '' } = snapshot ?? {};
    expectThat(snapshot !== undefined && snapshotId !== '', 'CreateSnapshot answers without a snapshot id');
    this.#snapshots.add(snapshotId);
    return snapshot;
  }

  async deleteSnapshot(snapshotId: string, signal: AbortSignal): Promise<void> {
    await this.settle(Controller.deleteSnapshot, { snapshotId }, signal);
    this.#snapshots.delete(snapshotId);
  }

  /** Attaches a volume to the driver's node, where the driver attaches. Returns what the node's calls need. */
  async attach({ volumeId = '', volumeContext }: Volume, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    if (!this.facts.controller.has('PUBLISH_UNPUBLISH_VOLUME')) return new Map();
    const { nodeId } = this.facts;
    this.#attached.add(volumeId);
    const request = { volumeId, nodeId, volumeCapability: this.capability, volumeContext: volumeContext ?? new Map() };
    const { publishContext = new Map() } = await this.settle(Controller.controllerPublishVolume, request, signal);
    return publishContext;
  }

  async detach(volumeId: string, signal: AbortSignal): Promise<void> {
    const request = { volumeId, nodeId: this.facts.nodeId };
    await this.settle(Controller.controllerUnpublishVolume, request, signal);
    this.#attached.delete(volumeId);
  }

  /** The request to stage a volume, at a folder of its own that is made. */
  async stageRequest(
    { volumeId = '', volumeContext }: Volume,
    publishContext: ReadonlyMap<string, string>,
  ): Promise<Parameters<(typeof Node.nodeStageVolume)['request']['encode']>[0]> {
    const stagingTargetPath = join(this.folder, 'staging', String(this.#staged.size + 1), 'globalmount');
    await mkdir(stagingTargetPath, { recursive: true });
    this.#staged.set(volumeId, stagingTargetPath);
    const context = { publishContext, volumeContext: volumeContext ?? new Map<string, string>() };
    return { volumeId, stagingTargetPath, volumeCapability: this.capability, ...context };
  }

  /** The request to publish a volume, at a path that does not exist; its parent does. */
  async publishRequest(
    { volumeId = '', volumeContext }: Volume,
    publishContext: ReadonlyMap<string, string>,
  ): Promise<Parameters<(typeof Node.nodePublishVolume)['request']['encode']>[0]> {
    this.#count += 1;
    const parent = join(this.folder, 'pods', String(this.#count));
    await mkdir(parent, { recursive: true });
    const targetPath = join(parent, 'mount');
    this.#published.set(targetPath, volumeId);
    const stagingTargetPath = this.facts.node.has('STAGE_UNSTAGE_VOLUME') ? (this.#staged.get(volumeId) ?? '') : '';
    const context = { publishContext, volumeContext: volumeContext ?? new Map<string, string>() };
    return { volumeId, targetPath, stagingTargetPath, volumeCapability: this.capability, ...context };
  }

  async unpublish(volumeId: string, targetPath: string, signal: AbortSignal): Promise<void> {
    await this.settle(Node.nodeUnpublishVolume, { volumeId, targetPath }, signal);
    this.#published.delete(targetPath);
  }

  async unstage(volumeId: string, signal: AbortSignal): Promise<void> {
    const stagingTargetPath = this.#staged.get(volumeId);
    if (stagingTargetPath === undefined || !this.facts.node.has('STAGE_UNSTAGE_VOLUME')) return;
    await this.settle(Node.nodeUnstageVolume, { volumeId, stagingTargetPath }, signal);
    this.#staged.delete(volumeId);
  }

  /** The ids of all volumes, page by page; undefined for a driver that does not list them. */
  async volumeIds(signal: AbortSignal): Promise<readonly string[] | undefined> {
    if (!this.facts.controller.has('LIST_VOLUMES')) return undefined;
    return await this.#all(async (startingToken) => {
      const { entries = [], nextToken } = await this.settle(Controller.listVolumes, { startingToken }, signal);
      return { ids: entries.map(({ volume }) => volume?.volumeId ?? ''), nextToken };
    });
  }

  async snapshotIds(signal: AbortSignal): Promise<readonly string[] | undefined> {
    if (!this.facts.controller.has('LIST_SNAPSHOTS')) return undefined;
    return await this.#all(async (startingToken) => {
      const { entries = [], nextToken } = await this.settle(Controller.listSnapshots, { startingToken }, signal);
      return { ids: entries.map(({ snapshot }) => snapshot?.snapshotId ?? ''), nextToken };
    });
  }

  /** What the driver has now. */
  async state(signal: AbortSignal): Promise<DriverState> {
    const points = this.options.canMount ? await this.mounts.below('/') : [];
    const files = await Promise.all(this.options.stateFolders.map((folder) => readdir(folder, { recursive: true })));
    return {
      volumes: (await this.volumeIds(signal)) ?? [],
      snapshots: (await this.snapshotIds(signal)) ?? [],
      mounts: points.map(({ point }) => point).filter((point) => point.startsWith(this.folder)),
      files: files.flatMap((names, at) => names.map((name) => join(this.options.stateFolders[at] ?? '', name))),
    };
  }

  async requireNothingLeft(before: DriverState, signal: AbortSignal): Promise<void> {
    const after = await this.state(signal);
    const left = (Object.keys(after) as (keyof DriverState)[]).flatMap((kind) => {
      const more = after[kind].filter((each) => !before[kind].includes(each));
      return more.length === 0 ? [] : [`${kind}: ${more.slice(0, 5).join(', ')}`];
    });
    expectThat(left.length === 0, `it has left ${left.join('; ')}`);
  }

  /** Kills the driver, if it still runs, and starts it again. */
  async restart(signal: AbortSignal): Promise<void> {
    await this.kill();
    await this.#start(signal);
  }

  async kill(): Promise<void> {
    await this.#calls?.[Symbol.asyncDispose]();
    this.#calls = undefined;
    await this.#process?.kill();
    this.#process = undefined;
  }

  async tidy(): Promise<void> {
    const { signal } = new AbortController();
    if (this.#calls === undefined) await this.#start(signal);
    const failures: unknown[] = [];
    const each = async (work: Promise<void>): Promise<void> =>
      work.catch((error: unknown) => void failures.push(error));
    for (const [path, id] of this.#published) await each(this.unpublish(id, path, signal));
    for (const id of this.#staged.keys()) await each(this.unstage(id, signal));
    for (const id of this.#attached) await each(this.detach(id, signal));
    for (const id of this.#snapshots) await each(this.deleteSnapshot(id, signal));
    for (const id of this.#volumes) await each(this.delete(id, signal));
    if (this.options.canMount) await this.mounts.unmountBelow(this.folder);
    for (const part of [this.#published, this.#staged, this.#attached, this.#snapshots, this.#volumes]) part.clear();
    if (failures.length > 0) throw failures[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    if (this.options.canMount) await this.mounts.unmountBelow(this.folder);
    this.#shell[Symbol.dispose]();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #all(
    page: (token: string) => Promise<{ readonly ids: readonly string[]; readonly nextToken: string | undefined }>,
  ): Promise<readonly string[]> {
    const found: string[] = [];
    for (let token = '', pages = 0; ; pages++) {
      const { ids, nextToken = '' } = await page(token);
      found.push(...ids);
      if (nextToken === '') return found;
      expectThat(
        nextToken !== token && pages < MAX_PAGES,
        `a list does not end: the token "${nextToken}" leads to itself`,
      );
      token = nextToken;
    }
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { driver, environment } = this.options;
    const endpoint = driver.type === 'endpoint' ? driver.endpoint : `unix://${join(this.folder, 'csi.sock')}`;
    if (driver.type === 'command') {
      const command = driver.command.map((word) =>
        word.replaceAll('{endpoint}', endpoint).replaceAll('{socket}', endpoint.slice('unix://'.length)),
      );
      this.#process = new DriverProcess(command, { ...environment, CSI_ENDPOINT: endpoint });
    }
    const server = 'the driver';
    this.#calls = new SocketCalls({ endpoint, server, clock: this.clock, random: this.#random, log: discardLogger });
    await this.#awaitReady(endpoint, signal);
  }

  async #awaitReady(endpoint: string, signal: AbortSignal): Promise<void> {
    const until = this.clock.monotonic() + START_MS;
    for (;;) {
      try {
        const { ready } = await this.call(Identity.probe, {}, signal);
        if (ready?.value !== false) return;
      } catch (error) {
        signal.throwIfAborted();
        const words = printed(this.#process?.output);
        if (this.#process?.hasEnded === true) throw new Error(`The driver has ended${words}`, { cause: error });
        if (this.clock.monotonic() > until)
          throw new Error(`No driver is ready at ${endpoint}: ${messageOf(error)}${words}`, { cause: error });
      }
      await this.clock.sleep(POLL_MS, signal);
    }
  }

  async #learn(): Promise<DriverFacts> {
    const { signal } = new AbortController();
    const plugin = await this.call(Identity.getPluginCapabilities, {}, signal);
    const services = new Set((plugin.capabilities ?? []).map(({ service }) => service?.type));
    const hasController = services.has(PluginCapability_Service_Type.CONTROLLER_SERVICE);
    const controller = hasController ? await this.try(Controller.controllerGetCapabilities, {}, signal) : undefined;
    const node = await this.try(Node.nodeGetCapabilities, {}, signal);
    const info = (await this.try(Node.nodeGetInfo, {}, signal)).response;
    return {
      hasController,
      hasTopology: services.has(PluginCapability_Service_Type.VOLUME_ACCESSIBILITY_CONSTRAINTS),
      controller: namesOf(ControllerServiceCapability_RPC_Type, controller?.response?.capabilities),
      node: namesOf(NodeServiceCapability_RPC_Type, node.response?.capabilities),
      hasNode: node.code !== 'UNIMPLEMENTED',
      nodeId: info?.nodeId ?? '',
      segments: info?.accessibleTopology?.segments ?? new Map(),
    };
  }
}

/** Pages of one list; a driver that gives more does not end. */
const MAX_PAGES = 10_000;

function namesOf(
  table: Readonly<Record<string, number>>,
  capabilities: readonly { readonly rpc?: { readonly type?: number } }[] = [],
): ReadonlySet<string> {
  const claimed = new Set(capabilities.map(({ rpc }) => rpc?.type));
  return new Set(Object.keys(table).filter((name) => claimed.has(table[name])));
}

function printed(output = ''): string {
  return output === '' ? '' : `; it has printed: ${output}`;
}

/** Such as `CreateVolume`. */
export function nameOf({ path }: Pick<Method<never, never>, 'path'>): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
