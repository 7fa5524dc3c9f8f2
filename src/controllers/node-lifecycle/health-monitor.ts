import { compareResourceVersions } from '../../api/client.ts';
import { hasTaint, zoneKeyOf } from '../../api/meaning/index.ts';
import type { Lease } from '../../api/types/coordination/v1.d.ts';
import type { Node, Pod } from '../../api/types/core/v1.d.ts';
import { type Clock, describeError, type Logger, type Histogram } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';
import { type EventRecorder, inParallel, type Objects, podsByNode } from '../../kit/index.ts';
import {
  conditionsOfLost,
  deadlineOf,
  type GracePeriods,
  type NodeHealth,
  type Readiness,
  readinessOf,
  seeLease,
  seeNode,
} from './node-health.ts';
import { evictionTaints } from './node-taints.ts';
import type { NodeWriter } from './node-writer.ts';
import { markNotReady } from './pod-readiness.ts';
import { isExcludedFromDisruption } from './zone.ts';
import type { Zones } from './zones.ts';

/** Maximum number of nodes written concurrently. */
const WRITES_AT_ONCE = 8;

export interface HealthMonitorParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly nodes: Objects<Node>;
  readonly pods: Objects<Pod>;
  readonly events: EventRecorder;
  readonly writer: NodeWriter;
  readonly zones: Zones;
  /** Records the time to check a node. */
  readonly nodeSeconds: Histogram;
  /** Nodes up to this resourceVersion were registered by a previous run. */
  readonly seenUpTo?: string | undefined;
  readonly grace: GracePeriods;
}

/** Detects nodes that stopped sending heartbeats, updates their conditions, and queues the eviction of their pods. */
export class HealthMonitor {
  readonly #parts: HealthMonitorParts;
  readonly #health = new Map<string, NodeHealth>();
  /** Nodes whose registration event was recorded, by name. */
  readonly #known = new Map<string, string>();
  /** Nodes with pods that could not all be marked as not ready. */
  readonly #unmarked = new Set<string>();

  constructor(parts: HealthMonitorParts) {
    this.#parts = parts;
  }

  /** The nodes that still send heartbeats. */
  get awaited(): readonly string[] {
    const waitedFor = this.#parts.nodes.list().filter((node) => readinessOf(node) !== 'Unknown');
    return waitedFor.map(({ metadata }) => metadata.name);
  }

  /** The time at which the next node would be considered lost; undefined when there is none. */
  get nextDeadlineMs(): number | undefined {
    const deadlines = this.awaited.map((name) => {
      const health = this.#health.get(name);
      return health === undefined ? Infinity : deadlineOf(health, this.#parts.grace);
    });
    return deadlines.length === 0 ? undefined : Math.min(...deadlines);
  }

  /** Whether a node's grace period is over. */
  get isOverdue(): boolean {
    return (this.nextDeadlineMs ?? Infinity) < this.#parts.clock.now();
  }

  seeNode(node: Observed<Node>): void {
    const { name } = node.metadata;
    this.#health.set(name, seeNode(this.#health.get(name), node, this.#parts.clock.now()));
  }

  seeLease(lease: Observed<Lease>): void {
    const health = this.#health.get(lease.metadata.name);
    if (health !== undefined) this.#health.set(lease.metadata.name, seeLease(health, lease, this.#parts.clock.now()));
  }

  forget(name: string): void {
    this.#health.delete(name);
    this.#unmarked.delete(name);
    this.#parts.zones.dequeue(name);
  }

  /** Whether the node is known to be not ready. */
  isUnready(name: string): boolean {
    const node = this.#parts.nodes.get(name);
    const readiness = node === undefined ? undefined : readinessOf(node);
    return readiness !== undefined && readiness !== 'True' && this.#health.has(name);
  }

  /** Checks all nodes once. */
  async check(): Promise<void> {
    await this.#recordRegistration();
    const { nodes, zones, log, clock, nodeSeconds } = this.#parts;
    const failed = new Set<string>();
    const look = async ({ metadata }: Observed<Node>): Promise<void> => {
      const startMs = clock.monotonic();
      try {
        await this.#checkNode(metadata.name);
        nodeSeconds.observe((clock.monotonic() - startMs) / 1000);
      } catch (error) {
        log.warn('node not checked', { node: metadata.name, error: describeError(error) });
        failed.add(metadata.name);
      }
    };
    await inParallel(nodes.list(), look, { limit: WRITES_AT_ONCE });
    const change = zones.assess(this.#readinessByZone());
    if (change === 'some are back') this.#restartGracePeriods();
    const treat = (node: Observed<Node>): Promise<void> =>
      change === 'all are lost' ? this.#makeReachable(node) : this.#followReadiness(node);
    const checked = nodes.list().filter(({ metadata }) => !failed.has(metadata.name));
    await inParallel(checked, treat, { limit: WRITES_AT_ONCE });
    if (failed.size > 0) throw new Error(`Cannot check nodes: ${[...failed].join(', ')}`);
  }

  /** Whether a previous run of the controller has registered the node. */
  #wasRegistered({ metadata }: Observed<Node>): boolean {
    const { seenUpTo } = this.#parts;
    if (seenUpTo === undefined) return false;
    const order = compareResourceVersions(metadata.resourceVersion, seenUpTo);
    return typeof order === 'number' && order <= 0;
  }

  async #recordRegistration(): Promise<void> {
    const { nodes, events } = this.#parts;
    const say = (name: string, uid: string, [reason, message]: readonly [string, string]): void =>
      events.event(
        { kind: 'Node', apiVersion: 'v1', metadata: { name, uid } },
        { reason, message: `Node ${name} event: ${message}` },
      );
    for (const node of nodes.list()) {
      const { name, uid } = node.metadata;
      if (this.#known.has(name)) continue;
      if (!this.#wasRegistered(node)) say(name, uid, ['RegisteredNode', `Registered Node ${name} in Controller`]);
      this.#known.set(name, uid);
      await this.#makeReachable(node);
    }
    for (const [name, uid] of this.#known) {
      if (nodes.get(name) !== undefined) continue;
      say(name, uid, ['RemovingNode', `Removing Node ${name} from Controller`]);
      this.#known.delete(name);
    }
  }

  /** Sets the conditions of a silent node to Unknown, and marks its pods as not ready. */
  async #checkNode(name: string): Promise<void> {
    const { clock, grace, writer, events } = this.#parts;
    const health = this.#health.get(name);
    if (health === undefined) return;
    if (clock.now() > deadlineOf(health, grace)) {
      const before = await writer.setConditions(name, (node) => conditionsOfLost(node, writer.now));
      if (before !== undefined && readinessOf(before) === 'True') {
        const message = `Node ${name} status is now: NodeNotReady`;
        const { uid } = before.metadata;
        events.event({ kind: 'Node', apiVersion: 'v1', metadata: { name, uid } }, { reason: 'NodeNotReady', message });
        this.#unmarked.add(name);
      }
    }
    if (!this.#unmarked.has(name)) return;
    if (this.isUnready(name)) await this.#markPods(name);
    this.#unmarked.delete(name);
  }

  async #markPods(name: string): Promise<void> {
    const { pods, events, writer } = this.#parts;
    await markNotReady(pods, pods.byIndex(podsByNode, name), { events, now: writer.now });
  }

  #readinessByZone(): Map<string, (Readiness | undefined)[]> {
    const byZone = new Map<string, (Readiness | undefined)[]>();
    for (const node of this.#parts.nodes.list()) {
      if (isExcludedFromDisruption(node)) continue;
      const zone = zoneKeyOf(node);
      byZone.set(zone, [...(byZone.get(zone) ?? []), readinessOf(node)]);
    }
    return byZone;
  }

  /** Restarts all grace periods: when no node could reach the API server, the nodes are not the cause. */
  #restartGracePeriods(): void {
    const seenMs = this.#parts.clock.now();
    for (const [name, health] of this.#health) this.#health.set(name, { ...health, seenMs });
  }

  /** Swaps the eviction taint of a node whose bad state changed at once; an untainted node waits for its turn. */
  async #followReadiness(node: Observed<Node>): Promise<void> {
    const readiness = readinessOf(node);
    if (readiness === undefined) return;
    if (readiness === 'True') return await this.#makeReachable(node);
    const { own, other } = evictionTaints(readiness);
    const taints = node.spec?.taints;
    if (hasTaint(taints, other)) {
      await this.#parts.writer.changeTaints(node.metadata.name, { add: [own], remove: [other] });
    } else if (!hasTaint(taints, own)) this.#parts.zones.enqueue(zoneKeyOf(node), node.metadata.name);
  }

  async #makeReachable(node: Observed<Node>): Promise<void> {
    const { name } = node.metadata;
    this.#parts.zones.dequeue(name);
    const { own, other } = evictionTaints('False');
    if (!hasTaint(node.spec?.taints, own) && !hasTaint(node.spec?.taints, other)) return;
    await this.#parts.writer.changeTaints(name, { add: [], remove: [own, other] });
  }
}
