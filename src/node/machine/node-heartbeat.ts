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
import type { NodeRuntime } from '../runtime/index.ts';
import {
  isExtendedResourceNew,
  NODE_ANNOTATIONS,
  NODE_HEALTH,
  nodeLabels,
  nodeObject,
  nodeStatus,
  type NodeStatus,
  type StatusParts,
} from './node-object.ts';
import type { NodeDescription } from './node-options.ts';
import { registerDrivers } from './register-drivers.ts';

export interface HeartbeatParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly client: Client;
  readonly nodes: Objects<Node>;
  readonly events: EventRecorder;
  readonly runtime: NodeRuntime;
  /** Whether the node was registered before this process, or this copy of it, began. */
  readonly isRegistered?: boolean;
  /** The volumes that its pods use, as the status of nodes names them. */
  volumesInUse(): readonly string[];
}

export const RENEW_EVERY_MS = 10_000;
/** So that the renewals of many nodes do not meet. */
const RENEW_JITTER = 0.04;
export const REPORT_EVERY_MS = 300_000;

/** Registers a node and keeps it alive: the lease often, the status when it has changed or has not been written for long. */
export class NodeHeartbeat {
  readonly #node: NodeDescription;
  readonly #parts: HeartbeatParts;
  readonly #lease: NodeLease;
  #hasRenewed = false;
  #isRegistered: boolean;

  constructor(node: NodeDescription, parts: HeartbeatParts) {
    this.#node = node;
    this.#parts = parts;
    this.#isRegistered = parts.isRegistered ?? false;
    this.#lease = new NodeLease(node.name, parts.client);
  }

  /** Makes the node known, or takes up the one that is there. */
  async register(signal: AbortSignal): Promise<void> {
    const { nodes } = this.#parts;
    const { name } = this.#node;
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
    await registerDrivers(this.#node, { client: this.#parts.client, uid: uid ?? '' });
    this.#tellHealth(known?.status);
    this.#isRegistered = true;
  }

  /** Whether what pods use has changed while the node was registered. */
  get isBehind(): boolean {
    const told = this.#parts.nodes.get(this.#node.name)?.status?.volumesInUse ?? [];
    return !deepEqual([...told].toSorted(), [...this.#parts.volumesInUse()]);
  }

  /** Renews the lease; answers after how long to do it again. The first time it takes a part of that, by chance. */
  async renew(signal: AbortSignal): Promise<number> {
    const { nodes, random } = this.#parts;
    const uid = nodes.get(this.#node.name)?.metadata.uid;
    if (uid !== undefined) await this.#lease.renew(uid, signal); // a node that was deleted has no life to show
    const share = this.#hasRenewed ? 1 + RENEW_JITTER * random.float() : random.float();
    this.#hasRenewed = true;
    return RENEW_EVERY_MS * share;
  }

  /** Writes the status; answers after how long to do it again. */
  async report(signal: AbortSignal): Promise<number> {
    const known = this.#isRegistered ? this.#parts.nodes.get(this.#node.name) : undefined;
    if (known !== undefined) {
      const status = nodeStatus(this.#node, await this.#statusParts(), known.status);
      const wasReady = isReady(known.status);
      await this.#write(known, status, signal);
      if (!wasReady) this.#statusEvent('NodeReady');
    }
    return REPORT_EVERY_MS;
  }

  /** When to report first after the registration: at another time for each node. */
  firstReportMs(): number {
    return REPORT_EVERY_MS * (0.5 + this.#parts.random.float());
  }

  /** Whether somebody else has changed what the node says of its health, or what it has. */
  isOverruled({ status }: Observed<Node>): boolean {
    if (isExtendedResourceNew(this.#node, status)) return true;
    return !NODE_HEALTH.every(({ type, status: value, reason }) =>
      status?.conditions?.some((each) => each.type === type && each.status === value && each.reason === reason),
    );
  }

  async #statusParts(): Promise<StatusParts> {
    const { clock, runtime } = this.#parts;
    const { runtimeName, runtimeVersion } = await runtime.runtime.version();
    const images = await runtime.images.listImages();
    const volumesInUse = this.#parts.volumesInUse();
    return { nowMs: clock.now(), runtimeVersion: `${runtimeName}://${runtimeVersion}`, images, volumesInUse };
  }

  /** Labels and the pod range of a node that was there before. */
  async #reconcile(known: Observed<Node>, signal: AbortSignal): Promise<void> {
    const { name, podCidrs } = this.#node;
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
    await this.#parts.nodes.patchStatus(this.#node.name, strategicPatch(body), { signal });
  }

  #tellHealth(before: NodeStatus | undefined): void {
    for (const reason of ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID'])
      this.#statusEvent(reason);
    this.#event('NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods');
    if (!isReady(before)) this.#statusEvent('NodeReady');
  }

  #statusEvent(reason: string): void {
    this.#event(reason, `Node ${this.#node.name} status is now: ${reason}`);
  }

  /** Nodes speak of themselves by name only: their uid in events is their name. */
  #event(reason: string, message: string): void {
    const { name } = this.#node;
    this.#parts.events.event({ kind: 'Node', apiVersion: '', metadata: { name, uid: name } }, { reason, message });
  }
}

function isReady(status: NodeStatus | undefined): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
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
const DURATION_SECONDS = 40;

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
      spec: { ...lease.spec, holderIdentity: this.#name, leaseDurationSeconds: DURATION_SECONDS, renewTime },
    };
  }
}
