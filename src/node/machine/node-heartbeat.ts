import { formatMicroTime, instantOfMillis } from '../../api/index.ts';
import { type Clock, deepEqual, type Random } from '../../base/index.ts';
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
import type { NodeBackend, NodeSettings } from '../backend/index.ts';
import { type NodeHealth, readHealth } from './node-health.ts';
import {
  type DescribedNode,
  isExtendedResourceNew,
  NODE_ANNOTATIONS,
  nodeLabels,
  nodeObject,
  nodeStatus,
  type NodeStatus,
  type StatusParts,
} from './node-object.ts';
import { registerDrivers } from './register-drivers.ts';

export interface HeartbeatParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly client: Client;
  readonly nodes: Objects<Node>;
  readonly events: EventRecorder;
  readonly backend: NodeBackend;
  /** Whether the node was registered before this process, or this copy of it, began. */
  readonly isRegistered?: boolean;
  /** The volumes that its pods use, as the status of nodes names them. */
  volumesInUse(): readonly string[];
  /** Runtime or network have failed, or work again. */
  healthChanged(): void;
}

export const RENEW_EVERY_MS = 10_000;
/** So that the renewals of many nodes do not meet. */
const RENEW_JITTER = 0.04;
export const REPORT_EVERY_MS = 300_000;
/** A node that is not ready looks this often whether it is. */
export const CHECK_EVERY_MS = 10_000;
export const LEASE_SECONDS = 40;

/** Registers a node and keeps it alive: the lease often, the status when it has changed or has not been written for long. */
export class NodeHeartbeat {
  readonly #node: DescribedNode;
  readonly #name: string;
  readonly #parts: HeartbeatParts;
  readonly #lease: NodeLease;
  #hasRenewed = false;
  #isRegistered: boolean;
  /** As it was found out last. */
  #health: NodeHealth | undefined;
  /** The version of the runtime, as it told last. */
  #runtimeVersion = '';

  constructor(settings: NodeSettings, parts: HeartbeatParts) {
    this.#node = { settings, machine: parts.backend.machine };
    this.#name = settings.name;
    this.#parts = parts;
    this.#isRegistered = parts.isRegistered ?? false;
    this.#lease = new NodeLease(settings.name, parts.client);
  }

  /** Makes the node known, or takes up the one that is there. */
  async register(signal: AbortSignal): Promise<void> {
    const { nodes } = this.#parts;
    const name = this.#name;
    const statusParts = await this.#statusParts();
    this.#event('Starting', 'Starting kubelet.');
    const known = nodes.get(name) ?? (await nodes.fetch(name, { signal }));
    let uid = known?.metadata.uid;
    if (known === undefined) {
      uid = (await nodes.create(nodeObject(this.#node, statusParts), { signal })).metadata.uid;
    } else {
      await this.#reconcile(known as Observed<Node>, signal);
      // what pods use may have been found out meanwhile
      const parts = { ...statusParts, volumesInUse: this.#parts.volumesInUse() };
      await this.#write(known as Observed<Node>, nodeStatus(this.#node, parts, known.status), signal);
    }
    await registerDrivers(this.#node.settings, { client: this.#parts.client, uid: uid ?? '' });
    this.#recordHealth(known?.status);
    this.#isRegistered = true;
  }

  /** As runtime and machine said last; undefined before they were asked. */
  get health(): NodeHealth | undefined {
    return this.#health;
  }

  /** Whether what pods use has changed while the node was registered. */
  get isBehind(): boolean {
    const told = this.#parts.nodes.get(this.#name)?.status?.volumesInUse ?? [];
    return !deepEqual([...told].toSorted(), [...this.#parts.volumesInUse()]);
  }

  /** Renews the lease; answers after how long to do it again. The first time it takes a part of that, by chance. */
  async renew(signal: AbortSignal): Promise<number> {
    const { nodes, random } = this.#parts;
    const uid = nodes.get(this.#name)?.metadata.uid;
    if (uid !== undefined) await this.#lease.renew(uid, signal); // a node that was deleted has no life to show
    const share = this.#hasRenewed ? 1 + RENEW_JITTER * random.float() : random.float();
    this.#hasRenewed = true;
    return RENEW_EVERY_MS * share;
  }

  /** Writes the status if it has changed or is old; answers after how long to look again. */
  async report(signal: AbortSignal): Promise<number> {
    const known = this.#isRegistered ? this.#parts.nodes.get(this.#name) : undefined;
    const { checkEveryMs = REPORT_EVERY_MS } = this.#parts.backend.polling;
    if (known === undefined) return Math.min(checkEveryMs, REPORT_EVERY_MS);
    const parts = await this.#statusParts();
    const status = nodeStatus(this.#node, parts, known.status);
    // a backend that is asked often has nothing new most times
    const isCheck = checkEveryMs < REPORT_EVERY_MS && isRecent(known.status, parts.nowMs);
    if (!isCheck || !isSameStatus(known.status, status)) {
      await this.#write(known, status, signal);
      for (const { type, status: value, event } of parts.health)
        if (known.status?.conditions?.find((each) => each.type === type)?.status !== value) this.#statusEvent(event);
    }
    return Math.min(checkEveryMs, this.#isWell ? REPORT_EVERY_MS : CHECK_EVERY_MS);
  }

  /** When to report first after the registration: at another time for each node. */
  firstReportMs(): number {
    return REPORT_EVERY_MS * (0.5 + this.#parts.random.float());
  }

  /** Whether another client has changed what the node says of its health, or what it has. */
  isOverruled({ status }: Observed<Node>): boolean {
    const { machine, devices } = this.#parts.backend;
    if (isExtendedResourceNew({ ...machine.capacity, ...devices.resources().capacity }, status)) return true;
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
    const health = await readHealth(backend);
    this.#health = health;
    if (health.runtime !== undefined) {
      const { runtimeName, runtimeVersion } = await backend.runtime.version();
      this.#runtimeVersion = `${runtimeName}://${runtimeVersion}`;
    }
    const images = health.runtime === undefined ? [] : await backend.images.listImages();
    const hasChanged =
      before !== undefined &&
      (before.networkProblem !== health.networkProblem || before.runtimeProblem !== health.runtimeProblem);
    if (hasChanged) this.#parts.healthChanged();
    return {
      nowMs: clock.now(),
      runtimeVersion: this.#runtimeVersion,
      health: health.conditions,
      runtime: health.runtime,
      devices: backend.devices.resources(),
      images,
      volumesInUse: this.#parts.volumesInUse(),
    };
  }

  /** Labels and the pod range of a node that was there before. */
  async #reconcile(known: Observed<Node>, signal: AbortSignal): Promise<void> {
    const name = this.#name;
    const { podCidrs } = this.#node.settings;
    const labels = different(nodeLabels(this.#node), known.metadata.labels);
    const annotations = different(NODE_ANNOTATIONS, known.metadata.annotations);
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

  #statusEvent(reason: string): void {
    this.#event(reason, `Node ${this.#name} status is now: ${reason}`);
  }

  /** Nodes speak of themselves by name only: their uid in events is their name. */
  #event(reason: string, message: string): void {
    const name = this.#name;
    this.#parts.events.event({ kind: 'Node', apiVersion: '', metadata: { name, uid: name } }, { reason, message });
  }
}

/** Whether the status was written within the time that it stays valid. */
function isRecent(status: NodeStatus | undefined, nowMs: number): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return nowMs - Date.parse(ready?.lastHeartbeatTime ?? '') < REPORT_EVERY_MS;
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

/** Addresses would be merged by type, which is not what makes them different; a resource goes by being null. */
function replacing(field: string, value: unknown, before: unknown): unknown {
  if (field === 'allocatable') {
    const gone = Object.keys({ ...(before as object | undefined) }).filter((name) => !(name in (value as object)));
    return { ...(value as object), ...Object.fromEntries(gone.map((name) => [name, null])) };
  }
  if (field === 'volumesInUse' && (value as readonly unknown[]).length === 0) return null;
  if (field !== 'addresses' || !Array.isArray(value)) return value;
  return [...(value as readonly unknown[]), { $patch: 'replace' }];
}

const NAMESPACE = 'kube-node-lease';

/** The sign of life of a node: a Lease that it renews. */
class NodeLease {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #leases: ResourceClient<Lease>;
  /** The lease after the last write. As a rule no one else writes it, so it is not read before it is written. */
  #latest: Stored<Lease> | undefined;

  constructor(name: string, client: Client) {
    this.#name = name;
    this.#clock = client.clock;
    this.#leases = client.kindIn(Lease, NAMESPACE);
  }

  /** Renews the lease, or makes it with the node as its owner. */
  async renew(nodeUid: string, signal: AbortSignal): Promise<void> {
    const lease = this.#latest ?? (await this.#find(signal));
    if (lease === undefined) {
      this.#latest = await this.#leases.create(this.#renewed({ metadata: { name: this.#name } }, nodeUid), { signal });
      return;
    }
    try {
      this.#latest = await this.#leases.update(this.#renewed(lease, nodeUid), { signal });
    } catch (error) {
      this.#latest = undefined; // read it anew next time
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
      spec: { ...lease.spec, holderIdentity: this.#name, leaseDurationSeconds: LEASE_SECONDS, renewTime },
    };
  }
}
