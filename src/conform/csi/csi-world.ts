import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, CryptoRandom, RealClock } from '../../base/index.ts';
import {
  Controller,
  ControllerServiceCapability_RPC_Type,
  GroupController,
  GroupControllerServiceCapability_RPC_Type,
  Identity,
  Node,
  NodeServiceCapability_RPC_Type,
  PluginCapability_Service_Type,
  type createVolumeRequest,
  type snapshot as snapshotTable,
  type volume as volumeTable,
  type volumeCapability as capabilityTable,
  type volumeGroupSnapshot,
} from '../../csi/protocol/csi-v1.ts';
import { Mounts, SmallShell } from '../../system/index.ts';
import { GrpcError, type Method } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { Breach, type ConformWorld, expectThat } from '../suite.ts';
import type { CsiSuiteOptions } from './csi-options.ts';
import { DriverLink } from './driver-link.ts';
import { MadeThings } from './made-things.ts';

export type ControllerCapability = keyof typeof ControllerServiceCapability_RPC_Type;
export type NodeCapability = keyof typeof NodeServiceCapability_RPC_Type;
export type CreateRequest = MessageOf<typeof createVolumeRequest>;
export type Volume = MessageOf<typeof volumeTable>;
export type Snapshot = MessageOf<typeof snapshotTable>;
export type SnapshotGroup = MessageOf<typeof volumeGroupSnapshot>;
export type GroupCapability = keyof typeof GroupControllerServiceCapability_RPC_Type;
type Capability = MessageOf<typeof capabilityTable>;

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
  /** For snapshots of several volumes; empty for a driver that takes none. */
  readonly group: ReadonlySet<string>;
  readonly nodeId: string;
  /** False for a driver without the node's calls. */
  readonly hasNode: boolean;
  readonly segments: ReadonlyMap<string, string>;
}

const POLL_MS = 50;
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
  readonly #link: DriverLink;
  readonly #made = new MadeThings();
  /** How each volume was asked to be used. */
  readonly #uses = new Map<string, Capability>();
  #facts: DriverFacts | undefined;
  #count = 0;
  #stagings = 0;

  static async open(options: CsiSuiteOptions, signal: AbortSignal): Promise<CsiWorld> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'keelson-conform-csi-')));
    const world = new CsiWorld(options, folder);
    try {
      await world.#link.start(signal);
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
    this.#link = new DriverLink(options, { folder, clock: this.clock, random: this.#random });
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
    return await this.#link.call(method, request, signal);
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
      if (isAway || this.#link.hasEnded)
        throw new Breach(`the driver has ended in ${nameOf(method)}${this.#link.lastWords}`);
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
  readonly blockCapability = { block: {}, accessMode: { mode: SINGLE_NODE_WRITER } };

  /** Creates a volume, which `tidy` deletes. */
  async create(signal: AbortSignal, request: CreateRequest = this.volumeRequest()): Promise<Volume> {
    const { volume } = await this.settle(Controller.createVolume, request, signal);
    const kept = this.keep(volume);
    this.#uses.set(kept.volumeId ?? '', request.volumeCapabilities?.[0] ?? this.capability);
    return kept;
  }

  /** Notes a volume that `tidy` has to delete. */
  keep(volume: Volume | undefined): Volume {
    const { volumeId = '' } = volume ?? {};
    expectThat(volume !== undefined && volumeId !== '', 'CreateVolume answers without a volume id');
    this.#made.volumes.add(volumeId);
    return volume;
  }

  async delete(volumeId: string, signal: AbortSignal): Promise<void> {
    await this.settle(Controller.deleteVolume, { volumeId, secrets: this.options.secrets }, signal);
    this.#made.volumes.delete(volumeId);
    this.#uses.delete(volumeId);
  }

  async snapshot(sourceVolumeId: string, signal: AbortSignal, name = this.newName()): Promise<Snapshot> {
    const { snapshot } = await this.settle(Controller.createSnapshot, { name, sourceVolumeId }, signal);
    return this.keepSnapshot(snapshot);
  }

  keepSnapshot(snapshot: Snapshot | undefined): Snapshot {
    const { snapshotId = '' } = snapshot ?? {};
    expectThat(snapshot !== undefined && snapshotId !== '', 'CreateSnapshot answers without a snapshot id');
    this.#made.snapshots.add(snapshotId);
    return snapshot;
  }

  async deleteSnapshot(snapshotId: string, signal: AbortSignal): Promise<void> {
    await this.settle(Controller.deleteSnapshot, { snapshotId }, signal);
    this.#made.snapshots.delete(snapshotId);
  }

  async snapshotGroup(
    sourceVolumeIds: readonly string[],
    signal: AbortSignal,
    name = this.newName(),
  ): Promise<SnapshotGroup> {
    const request = { name, sourceVolumeIds };
    const { groupSnapshot } = await this.settle(GroupController.createVolumeGroupSnapshot, request, signal);
    return this.keepGroup(groupSnapshot);
  }

  keepGroup(group: SnapshotGroup | undefined): SnapshotGroup {
    const { groupSnapshotId = '', snapshots = [] } = group ?? {};
    expectThat(group !== undefined && groupSnapshotId !== '', 'CreateVolumeGroupSnapshot answers without an id');
    const snapshotIds = snapshots.map(({ snapshotId = '' }) => snapshotId);
    this.#made.groups.set(groupSnapshotId, snapshotIds);
    return group;
  }

  async deleteGroup(groupSnapshotId: string, snapshotIds: readonly string[], signal: AbortSignal): Promise<void> {
    await this.settle(GroupController.deleteVolumeGroupSnapshot, { groupSnapshotId, snapshotIds }, signal);
    this.#made.groups.delete(groupSnapshotId);
  }

  /** Attaches a volume to the driver's node, where the driver attaches. Returns what the node's calls need. */
  async attach({ volumeId = '', volumeContext }: Volume, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    if (!this.facts.controller.has('PUBLISH_UNPUBLISH_VOLUME')) return new Map();
    const { nodeId } = this.facts;
    this.#made.attached.add(volumeId);
    const volumeCapability = this.#useOf(volumeId);
    const request = { volumeId, nodeId, volumeCapability, volumeContext: volumeContext ?? new Map() };
    const { publishContext = new Map() } = await this.settle(Controller.controllerPublishVolume, request, signal);
    return publishContext;
  }

  async detach(volumeId: string, signal: AbortSignal): Promise<void> {
    const request = { volumeId, nodeId: this.facts.nodeId };
    await this.settle(Controller.controllerUnpublishVolume, request, signal);
    this.#made.attached.delete(volumeId);
  }

  /** The request to stage a volume, at a folder of its own that is made. */
  async stageRequest(
    { volumeId = '', volumeContext }: Volume,
    publishContext: ReadonlyMap<string, string>,
  ): Promise<Parameters<(typeof Node.nodeStageVolume)['request']['encode']>[0]> {
    // a volume that is staged already stays where it is, as on a node
    const stagingTargetPath =
      this.#made.staged.get(volumeId) ?? join(this.folder, 'staging', String(++this.#stagings), 'globalmount');
    await mkdir(stagingTargetPath, { recursive: true });
    this.#made.staged.set(volumeId, stagingTargetPath);
    const context = { publishContext, volumeContext: volumeContext ?? new Map<string, string>() };
    return { volumeId, stagingTargetPath, volumeCapability: this.#useOf(volumeId), ...context };
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
    this.#made.published.set(targetPath, volumeId);
    const stagingTargetPath = this.facts.node.has('STAGE_UNSTAGE_VOLUME')
      ? (this.#made.staged.get(volumeId) ?? '')
      : '';
    const context = { publishContext, volumeContext: volumeContext ?? new Map<string, string>() };
    return { volumeId, targetPath, stagingTargetPath, volumeCapability: this.#useOf(volumeId), ...context };
  }

  async unpublish(volumeId: string, targetPath: string, signal: AbortSignal): Promise<void> {
    await this.settle(Node.nodeUnpublishVolume, { volumeId, targetPath }, signal);
    this.#made.published.delete(targetPath);
  }

  async unstage(volumeId: string, signal: AbortSignal): Promise<void> {
    const stagingTargetPath = this.#made.staged.get(volumeId);
    if (stagingTargetPath === undefined || !this.facts.node.has('STAGE_UNSTAGE_VOLUME')) return;
    await this.settle(Node.nodeUnstageVolume, { volumeId, stagingTargetPath }, signal);
    this.#made.staged.delete(volumeId);
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

  /** Kills the driver, if it still runs, and starts it again. */
  async restart(signal: AbortSignal): Promise<void> {
    await this.kill();
    await this.#link.start(signal);
  }

  async kill(): Promise<void> {
    await this.#link.kill();
  }

  async tidy(): Promise<void> {
    const { signal } = new AbortController();
    if (!this.#link.isOpen) await this.#link.start(signal);
    await this.#made.remove(this, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    if (this.options.canMount) await this.mounts.unmountBelow(this.folder);
    this.#shell[Symbol.dispose]();
    await rm(this.folder, { recursive: true, force: true });
  }

  #useOf(volumeId: string): Capability {
    return this.#uses.get(volumeId) ?? this.capability;
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

  async #learn(): Promise<DriverFacts> {
    const { signal } = new AbortController();
    const plugin = await this.call(Identity.getPluginCapabilities, {}, signal);
    const services = new Set((plugin.capabilities ?? []).map(({ service }) => service?.type));
    const hasController = services.has(PluginCapability_Service_Type.CONTROLLER_SERVICE);
    const controller = hasController ? await this.try(Controller.controllerGetCapabilities, {}, signal) : undefined;
    const hasGroups = services.has(PluginCapability_Service_Type.GROUP_CONTROLLER_SERVICE);
    const group = hasGroups ? await this.try(GroupController.groupControllerGetCapabilities, {}, signal) : undefined;
    const node = await this.try(Node.nodeGetCapabilities, {}, signal);
    const info = (await this.try(Node.nodeGetInfo, {}, signal)).response;
    return {
      hasController,
      hasTopology: services.has(PluginCapability_Service_Type.VOLUME_ACCESSIBILITY_CONSTRAINTS),
      controller: namesOf(ControllerServiceCapability_RPC_Type, controller?.response?.capabilities),
      node: namesOf(NodeServiceCapability_RPC_Type, node.response?.capabilities),
      group: namesOf(GroupControllerServiceCapability_RPC_Type, group?.response?.capabilities),
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

/** Such as `CreateVolume`. */
export function nameOf({ path }: Pick<Method<never, never>, 'path'>): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
