import { formatMicroTime, instantOfMillis } from '../../api/index.ts';
import { type Clock, deepEqual, type Logger, millisecondsOf, type Random } from '../../base/index.ts';
import {
  type Client,
  hasReason,
  Lease,
  type Node,
  type Observed,
  type ResourceClient,
  type Stored,
  strategicPatch,
} from '../../client/index.ts';
import type { EventRecorder, Objects } from '../../kit/index.ts';
import type { DeviceResources, MachinePressure, NodeBackend, NodeSettings, ResourceTexts } from '../backend/index.ts';
import { type NodeHealth, readHealth } from './node-health.ts';
import {
  CHOSEN_ADDRESSES,
  type DescribedNode,
  isExtendedResourceNew,
  nodeAnnotations,
  nodeLabels,
  nodeObject,
  nodeStatus,
  type NodeStatus,
  type StatusParts,
} from './node-object.ts';
import { registerDrivers } from './register-drivers.ts';
import { RuntimeRanges } from './runtime-ranges.ts';

export interface HeartbeatParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly client: Client;
  readonly nodes: Objects<Node>;
  readonly events: EventRecorder;
  readonly backend: NodeBackend;
  /** Whether the node was registered before this process, or this copy of it, began. */
  readonly isRegistered?: boolean;
  /** The volumes that its pods use, as the status of nodes names them. */
  volumesInUse(): readonly string[];
  /** What evictions have found; default what the machine says. */
  pressure?(): MachinePressure | undefined;
  /** Why the node is not ready, besides what runtime and network say. */
  problem?(): string | undefined;
  /** Called when runtime or network have failed, or work again. */
  healthChanged(): void;
}

export const RENEW_EVERY_MS = 10_000;
/** Jitter factor, so that many nodes do not renew at the same time. */
const RENEW_JITTER = 0.04;
export const REPORT_EVERY_MS = 300_000;
/** Interval at which a node that is not ready checks its health. */
export const CHECK_EVERY_MS = 10_000;
export const LEASE_SECONDS = 40;
const RENEWALS_A_LEASE = 4;

/** Registers a node and keeps it alive: the lease often, the status when it has changed or has not been written for long. */
export class NodeHeartbeat {
  readonly #node: DescribedNode;
  readonly #name: string;
  readonly #reportEveryMs: number;
  readonly #renewEveryMs: number;
  readonly #parts: HeartbeatParts;
  readonly #lease: NodeLease;
  readonly #ranges: RuntimeRanges;
  #hasRenewed = false;
  #isRegistered: boolean;
  /** The result of the last check. */
  #health: NodeHealth | undefined;
  /** The images that the status listed when it was put together last. */
  #images: ReadonlySet<string> = new Set();
  /** The version that the runtime reported last. */
  #runtimeVersion = '';
  /** Zero for each resource that devices have ever added. */
  #deviceZeros: ResourceTexts = {};

  constructor(settings: NodeSettings, parts: HeartbeatParts) {
    this.#node = { settings, machine: parts.backend.machine };
    this.#name = settings.name;
    const { reportEvery = REPORT_EVERY_MS, leaseDuration = LEASE_SECONDS * 1000 } = settings.reporting ?? {};
    const leaseMs = millisecondsOf(leaseDuration);
    this.#reportEveryMs = millisecondsOf(reportEvery);
    this.#renewEveryMs = leaseMs / RENEWALS_A_LEASE;
    this.#parts = parts;
    this.#ranges = new RuntimeRanges(parts.backend.runtime, parts.log);
    this.#isRegistered = parts.isRegistered ?? false;
    this.#lease = new NodeLease(settings.name, { client: parts.client, leaseSeconds: Math.trunc(leaseMs / 1000) });
  }

  /** Creates the Node object, or updates the one that exists. Without leave to register, one that exists only gets its status. */
  async register(signal: AbortSignal): Promise<void> {
    const { nodes } = this.#parts;
    const name = this.#name;
    const { registers = true, podRanges = this.#node.settings.podCidrs } = this.#node.settings.reporting ?? {};
    await this.#ranges.send(podRanges);
    const statusParts = await this.#statusParts();
    this.#event('Starting', 'Starting kubelet.');
    const known = nodes.get(name) ?? (await nodes.fetch(name, { signal }));
    await this.#ranges.send(known?.spec?.podCIDRs ?? []);
    let uid = known?.metadata.uid;
    if (known === undefined && !registers) {
      this.#isRegistered = true;
      return;
    }
    if (known === undefined) {
      uid = (await nodes.create(nodeObject(this.#node, statusParts), { signal })).metadata.uid;
    } else {
      this.#noteReboot(known.status?.nodeInfo?.bootID);
      if (registers) await this.#reconcile(known as Observed<Node>, signal);
      // pods may have begun to use volumes meanwhile
      const parts = { ...statusParts, volumesInUse: this.#parts.volumesInUse() };
      await this.#write(known as Observed<Node>, nodeStatus(this.#node, parts, known.status), signal);
    }
    const { bootID = '' } = known?.status?.nodeInfo ?? {};
    const now = this.#node.machine.info.bootID;
    if (bootID !== '' && bootID !== now) {
      const message = `Node ${name} has been rebooted, boot id: ${now}`;
      this.#event('Rebooted', message, 'Warning');
    }
    await registerDrivers(this.#node.settings, { client: this.#parts.client, uid: uid ?? '' });
    this.#recordHealth(known?.status);
    this.#isRegistered = true;
  }

  /** The result of the last check; undefined before the first one. */
  get health(): NodeHealth | undefined {
    return this.#health;
  }

  /** Whether the volumes in use have changed while the node was registered. */
  get isBehind(): boolean {
    const reported = this.#parts.nodes.get(this.#name)?.status?.volumesInUse ?? [];
    return !deepEqual([...reported].toSorted(), [...this.#parts.volumesInUse()]);
  }

  /** Renews the lease; returns the delay until the next renewal, which is a random part of the interval the first time. */
  async renew(signal: AbortSignal): Promise<number> {
    const { nodes, random } = this.#parts;
    const uid = nodes.get(this.#name)?.metadata.uid;
    if (uid !== undefined) await this.#lease.renew(uid, signal); // a deleted node has no lease to renew
    const share = this.#hasRenewed ? 1 + RENEW_JITTER * random.float() : random.float();
    this.#hasRenewed = true;
    return this.#renewEveryMs * share;
  }

  /** Writes the status if it has changed or is old; returns the delay until the next report. */
  async report(signal: AbortSignal): Promise<number> {
    const known = this.#isRegistered ? this.#parts.nodes.get(this.#name) : undefined;
    const checkEveryMs = this.#checkEveryMs();
    if (known === undefined) return checkEveryMs;
    await this.#ranges.send(known.spec?.podCIDRs ?? []);
    const parts = await this.#statusParts();
    const status = nodeStatus(this.#node, parts, known.status);
    // a backend that is checked often rarely has news
    const isCheck =
      checkEveryMs < this.#reportEveryMs && parts.nowMs - reportedAtMs(known.status) < this.#reportEveryMs;
    if (!isCheck || !isSameStatus(known.status, status)) {
      await this.#write(known, status, signal);
      for (const { type, status: value, event } of parts.health)
        if (known.status?.conditions?.find((each) => each.type === type)?.status !== value) this.#statusEvent(event);
    }
    return Math.min(checkEveryMs, this.#isWell ? this.#reportEveryMs : CHECK_EVERY_MS);
  }

  /** Whether the last report listed an image. */
  hasReported(imageId: string): boolean {
    return this.#images.has(imageId);
  }

  /** When to report first after the registration: at a random time, so that nodes that started together do not report together. */
  firstReportMs(): number {
    return this.#checkEveryMs() * (0.5 + this.#parts.random.float());
  }

  /** How often the backend wants to be checked; at least as often as the status is reported. */
  #checkEveryMs(): number {
    const { checkEvery = this.#reportEveryMs } = this.#parts.backend.polling;
    return Math.min(millisecondsOf(checkEvery), this.#reportEveryMs);
  }

  /** Whether another client has changed the node's conditions or extended resources. */
  isOverruled({ status }: Observed<Node>): boolean {
    const { machine } = this.#parts.backend;
    if (isExtendedResourceNew({ ...machine.capacity, ...this.#deviceResources().capacity }, status)) return true;
    if (this.#health === undefined) return false;
    return !this.#health.conditions.every(({ type, status: value, reason }) =>
      status?.conditions?.some((each) => each.type === type && each.status === value && each.reason === reason),
    );
  }

  get #isWell(): boolean {
    return this.#health === undefined || this.#health.conditions.at(-1)?.status === 'True';
  }

  async #statusParts(): Promise<StatusParts> {
    const { clock, backend } = this.#parts;
    const before = this.#health;
    const health = await readHealth(backend, { pressure: this.#parts.pressure?.(), problem: this.#parts.problem?.() });
    this.#health = health;
    if (health.runtime !== undefined) {
      const { runtimeName, runtimeVersion } = await backend.runtime.version();
      this.#runtimeVersion = `${runtimeName}://${runtimeVersion}`;
    }
    const images = health.runtime === undefined ? [] : await backend.images.listImages();
    this.#images = new Set(images.map(({ id }) => id));
    const hasChanged =
      before !== undefined &&
      (before.networkProblem !== health.networkProblem || before.runtimeProblem !== health.runtimeProblem);
    if (hasChanged) this.#parts.healthChanged();
    return {
      nowMs: clock.now(),
      runtimeVersion: this.#runtimeVersion,
      health: health.conditions,
      runtime: health.runtime,
      devices: this.#deviceResources(),
      images,
      volumesInUse: this.#parts.volumesInUse(),
    };
  }

  /** What devices have; resources whose devices have gone stay in the status of the node, with the amount zero. */
  #deviceResources(): DeviceResources {
    const { capacity, allocatable } = this.#parts.backend.devices.resources();
    const zeros = this.#deviceZeros;
    const added = Object.keys(capacity).filter((name) => !(name in zeros));
    if (added.length > 0) this.#deviceZeros = { ...zeros, ...Object.fromEntries(added.map((name) => [name, '0'])) };
    return { capacity: { ...zeros, ...capacity }, allocatable: { ...zeros, ...allocatable } };
  }

  /** Updates labels and pod range of a node that exists. */
  async #reconcile(known: Observed<Node>, signal: AbortSignal): Promise<void> {
    const name = this.#name;
    const { podCidrs } = this.#node.settings;
    const labels = different(nodeLabels(this.#node), known.metadata.labels);
    const wanted = nodeAnnotations(this.#node);
    const isStale =
      wanted[CHOSEN_ADDRESSES] === undefined && known.metadata.annotations?.[CHOSEN_ADDRESSES] !== undefined;
    const changed = different(wanted, known.metadata.annotations);
    const annotations = isStale ? { ...changed, [CHOSEN_ADDRESSES]: null } : changed;
    const [podCIDR] = podCidrs;
    const lacksRange = podCIDR !== undefined && known.spec?.podCIDR === undefined;
    if (labels === undefined && annotations === undefined && !lacksRange) return;
    const body = {
      metadata: { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) },
      ...(lacksRange ? { spec: { podCIDR, podCIDRs: podCidrs } } : {}),
    };
    await this.#parts.nodes.patch(name, strategicPatch(body), { signal });
  }

  async #write(known: Observed<Node>, status: NodeStatus, signal: AbortSignal): Promise<void> {
    const { conditions = [], ...rest } = status;
    const before = known.status as Readonly<Record<string, unknown>> | undefined;
    const changed = Object.entries(rest).filter(([field, value]) => !deepEqual(before?.[field], value));
    const replaced = changed.map(([field, value]) => [field, replacing(field, value, before?.[field])]);
    const body = { status: { ...Object.fromEntries(replaced), conditions } };
    await this.#parts.nodes.patchStatus(this.#name, strategicPatch(body), { signal });
  }

  #recordHealth(before: NodeStatus | undefined): void {
    const { conditions = [] } = this.#health ?? {};
    for (const { type, event } of conditions) if (type !== 'Ready') this.#statusEvent(event);
    this.#event('NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods');
    const ready = conditions.find(({ type }) => type === 'Ready');
    const was = before?.conditions?.find(({ type }) => type === 'Ready')?.status;
    if (ready !== undefined && ready.status !== was) this.#statusEvent(ready.event);
  }

  #noteReboot(before: string | undefined): void {
    const { bootID } = this.#parts.backend.machine.info;
    if (before === undefined || before === '' || before === bootID) return;
    const message = `Node ${this.#name} has been rebooted, boot id: ${bootID}`;
    this.#event('Rebooted', message, 'Warning');
  }

  #statusEvent(reason: string): void {
    this.#event(reason, `Node ${this.#name} status is now: ${reason}`);
  }

  /** Records an event about the node. As with a kubelet, the uid in it is the node's name. */
  #event(reason: string, message: string, type: 'Normal' | 'Warning' = 'Normal'): void {
    const name = this.#name;
    this.#parts.events.event(
      { kind: 'Node', apiVersion: '', metadata: { name, uid: name } },
      { type, reason, message },
    );
  }
}

/** When the status was written last; NaN where the node has not reported yet. */
function reportedAtMs(status: NodeStatus | undefined): number {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return Date.parse(ready?.lastHeartbeatTime ?? '');
}

/** Whether two statuses differ in nothing but the times of heartbeats. */
function isSameStatus(before: NodeStatus | undefined, after: NodeStatus): boolean {
  const { conditions = [], ...rest } = after;
  const old = before as Readonly<Record<string, unknown>> | undefined;
  if (!Object.entries(rest).every(([field, value]) => deepEqual(old?.[field], value))) return false;
  return conditions.every(({ type, status, reason, message }) => {
    const found = before?.conditions?.find((each) => each.type === type);
    return found?.status === status && found.reason === reason && found.message === message;
  });
}

function different(
  wanted: Readonly<Record<string, string>>,
  present: Readonly<Record<string, string>> | undefined,
): Record<string, string> | undefined {
  const entries = Object.entries(wanted).filter(([name, value]) => present?.[name] !== value);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The value with which a strategic patch replaces a field: null clears a resource or a list, and addresses are not merged by type. */
function replacing(field: string, value: unknown, before: unknown): unknown {
  if (field === 'allocatable') {
    const gone = Object.keys({ ...(before as object | undefined) }).filter((name) => !(name in (value as object)));
    return { ...(value as object), ...Object.fromEntries(gone.map((name) => [name, null])) };
  }
  if (!Array.isArray(value)) return value;
  const items: readonly unknown[] = value;
  if (items.length === 0) return null;
  return field === 'addresses' ? [...items, { $patch: 'replace' }] : items;
}

const NAMESPACE = 'kube-node-lease';

/** The Lease that shows that a node is alive. */
class NodeLease {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #leaseSeconds: number;
  readonly #leases: ResourceClient<Lease>;
  /** The lease after the last write. Usually only the node writes it, so it is not read before each update. */
  #latest: Stored<Lease> | undefined;

  constructor(name: string, { client, leaseSeconds }: { readonly client: Client; readonly leaseSeconds: number }) {
    this.#name = name;
    this.#leaseSeconds = leaseSeconds;
    this.#clock = client.clock;
    this.#leases = client.kindIn(Lease, NAMESPACE);
  }

  /** Renews the lease, or creates it with the node as its owner. */
  async renew(nodeUid: string, signal: AbortSignal): Promise<void> {
    const lease = this.#latest ?? (await this.#find(signal));
    if (lease === undefined) {
      this.#latest = await this.#leases.create(this.#renewed({ metadata: { name: this.#name } }, nodeUid), { signal });
      return;
    }
    try {
      this.#latest = await this.#leases.update(this.#renewed(lease, nodeUid), { signal });
    } catch (error) {
      this.#latest = undefined; // read it again next time
      throw error;
    }
  }

  async #find(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    try {
      return await this.#leases.get(this.#name, { signal });
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #renewed(lease: Lease, uid: string): Lease {
    const owner = { apiVersion: 'v1', kind: 'Node', name: this.#name, uid };
    const renewTime = formatMicroTime(instantOfMillis(this.#clock.now()));
    const { ownerReferences = [] } = lease.metadata ?? {};
    return {
      ...lease,
      metadata: { ...lease.metadata, ownerReferences: ownerReferences.length === 0 ? [owner] : ownerReferences },
      spec: { ...lease.spec, holderIdentity: this.#name, leaseDurationSeconds: this.#leaseSeconds, renewTime },
    };
  }
}
