import type { Service } from '../../api/types/core/v1.d.ts';
import type { EndpointSlice } from '../../api/types/discovery/v1.d.ts';
import {
  type Clock,
  type DeepReadonly,
  type Logger,
  type Runnable,
  runTogether,
  Slice,
  Turns,
} from '../../base/index.ts';
import type { NodeFacts } from './node-facts.ts';
import { type IpFamily, type ProxiedPort } from './proxied-port.ts';
import type { ProxyHealth } from './proxy-health.ts';
import { serviceOfSlice } from './read-endpoint-slices.ts';
import { type PortChange, ServiceTable } from './service-table.ts';
import type { ServiceUpdate, Surroundings, SyncContext } from './service-update.ts';
import { SyncLoop } from './sync-loop.ts';
import { observeSync, type SyncMetrics } from './sync-metrics.ts';

export interface SyncPeriods {
  readonly minMs: number;
  readonly retryMs: number;
  readonly fullMs: number;
}

export interface FamilySyncOptions {
  readonly node: string;
  sync(update: ServiceUpdate, context: SyncContext): Promise<void>;
  readonly check: ((family: IpFamily, context: SyncContext) => Promise<boolean>) | undefined;
  surroundings(): Surroundings;
  readonly periods: SyncPeriods;
  readonly clock: Clock;
  readonly log: Logger;
  readonly health: ProxyHealth;
  readonly metrics: SyncMetrics;
}

/** The annotation of a slice that says when the change happened that it follows from. */
const TRIGGER_ANNOTATION = 'endpoints.kubernetes.io/last-change-trigger-time';
/** Times of changes that are kept for the metric while syncs fail. */
const MAX_TRIGGERS = 10_000;

/** Brings the changes of one IP family to a proxy, and does so again when it fails. */
export class FamilySync implements Runnable {
  readonly family: IpFamily;
  readonly #options: FamilySyncOptions;
  readonly #table: ServiceTable;
  readonly #loop: SyncLoop;
  readonly #log: Logger;
  readonly #turns = new Turns();
  readonly #startMs: number;
  /** How often a sync of everything was asked for, and how many of these requests the last one met. */
  #fullWanted = 1;
  #fullDone = 0;
  #lastFullMs = -Infinity;
  #pendingSlices = 0;
  /** When the changes happened that are not in the rules yet, and of which Service. */
  #triggers: { readonly service: string; readonly ms: number }[] = [];

  constructor(family: IpFamily, options: FamilySyncOptions) {
    const { periods, clock } = options;
    this.family = family;
    this.#options = options;
    this.#log = options.log.with({ ipFamily: family });
    this.#table = new ServiceTable(family, options.node);
    this.#startMs = clock.now();
    this.#loop = new SyncLoop({
      minPeriodMs: periods.minMs,
      retryMs: periods.retryMs,
      maxPeriodMs: periods.fullMs,
      clock,
      run: (signal) => this.#sync(signal),
      failed: (error) => this.#log.error('sync of rules failed', { error, retryMs: periods.retryMs }),
    });
  }

  get isIdle(): boolean {
    return this.#loop.isIdle;
  }

  setService(key: string, service: DeepReadonly<Service> | undefined): void {
    this.#table.setService(key, service);
    const { servicesSeen, servicesPending } = this.#options.metrics;
    servicesSeen.with().add();
    servicesPending.with().set(this.#table.pending);
    this.#request();
  }

  setSlice(slice: DeepReadonly<EndpointSlice>): void {
    if (!this.#table.setSlice(slice)) return;
    this.#noteTrigger(slice);
    this.#sliceChanged();
  }

  removeSlice(slice: DeepReadonly<EndpointSlice>): void {
    if (!this.#table.removeSlice(slice)) return;
    const service = serviceOfSlice(slice);
    this.#triggers = this.#triggers.filter((each) => each.service !== service); // they are about earlier changes
    this.#sliceChanged();
  }

  setNode(node: NodeFacts, before: NodeFacts): void {
    if (this.#table.setZone(node.zone)) this.#request();
    const isSameNode =
      node.addresses[this.family] === before.addresses[this.family] &&
      String(node.podCidrs) === String(before.podCidrs);
    if (!isSameNode) this.requestFull();
  }

  /** Asks for a sync of everything. */
  requestFull(): void {
    this.#fullWanted += 1;
    this.#request();
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#options.health.updated(this.family); // healthy until a change has waited for too long
    this.#request();
    await runTogether([this.#loop, { run: (scope) => this.#keepChecking(scope) }], signal);
  }

  #sliceChanged(): void {
    const { endpointsSeen, endpointsPending } = this.#options.metrics;
    this.#pendingSlices += 1;
    endpointsSeen.with().add();
    endpointsPending.with().set(this.#pendingSlices);
    this.#request();
  }

  #request(): void {
    const { health, metrics, clock } = this.#options;
    health.queued(this.family);
    metrics.lastQueued.with({ ip_family: this.family }).set(clock.now() / 1000);
    this.#loop.request();
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { clock, periods } = this.#options;
    const startMs = clock.monotonic();
    const fullWanted = this.#fullWanted;
    const isFull = fullWanted !== this.#fullDone || startMs - this.#lastFullMs >= periods.fullMs;
    const triggers = this.#takePending();
    try {
      const changes = await this.#table.resolve(new Slice(this.#turns, clock));
      if (isFull || changes.length > 0) await this.#deliver(isFull, changes, signal);
    } catch (error) {
      this.#fullWanted += 1; // the difference to what the rules say is no longer known
      throw error;
    }
    if (isFull) {
      this.#fullDone = fullWanted;
      this.#lastFullMs = startMs;
    }
    this.#succeeded(triggers);
    const seconds = (clock.monotonic() - startMs) / 1000;
    observeSync(this.#options.metrics, { family: this.family, isFull, seconds });
  }

  async #deliver(isFull: boolean, changes: readonly PortChange[], signal: AbortSignal): Promise<void> {
    const { sync, surroundings } = this.#options;
    const { ports } = this.#table;
    await sync(
      { family: this.family, isFull, changes: isFull ? asNew(ports) : changes, ports, ...surroundings() },
      { signal, log: this.#log },
    );
  }

  #takePending(): readonly number[] {
    const { servicesPending, endpointsPending } = this.#options.metrics;
    const triggers = this.#triggers.map(({ ms }) => ms);
    this.#triggers = [];
    this.#pendingSlices = 0;
    servicesPending.with().set(0);
    endpointsPending.with().set(0);
    return triggers;
  }

  #succeeded(triggers: readonly number[]): void {
    const { clock, health, metrics } = this.#options;
    const nowMs = clock.now();
    health.updated(this.family);
    const labels = { ip_family: this.family };
    for (const triggerMs of triggers) metrics.programming.with(labels).observe((nowMs - triggerMs) / 1000);
    metrics.lastSynced.with(labels).set(nowMs / 1000);
    const without = withoutLocalEndpoints(this.#table.ports.values());
    metrics.noLocalEndpoints.with({ traffic_policy: 'internal', ...labels }).set(without.internal);
    metrics.noLocalEndpoints.with({ traffic_policy: 'external', ...labels }).set(without.external);
  }

  async #keepChecking(signal: AbortSignal): Promise<void> {
    const { check, clock, periods } = this.#options;
    if (check === undefined) return;
    while (!signal.aborted) {
      await clock.sleep(periods.retryMs, signal);
      if (signal.aborted || this.#fullWanted !== this.#fullDone) continue;
      try {
        if (await check(this.family, { signal, log: this.#log })) continue;
        this.#log.warn('rules are gone: all are made again');
        this.requestFull();
      } catch (error) {
        if (!signal.aborted) this.#log.warn('rules cannot be checked', { error });
      }
    }
  }

  #noteTrigger(slice: DeepReadonly<EndpointSlice>): void {
    const ms = Date.parse(slice.metadata?.annotations?.[TRIGGER_ANNOTATION] ?? '');
    if (!(ms > this.#startMs) || this.#triggers.length >= MAX_TRIGGERS) return;
    this.#triggers.push({ service: serviceOfSlice(slice) ?? '', ms });
  }
}

function asNew(ports: ReadonlyMap<string, ProxiedPort>): readonly PortChange[] {
  return [...ports].map(([name, after]) => ({ name, before: undefined, after }));
}

/** Ports with endpoints, but none for traffic of a policy Local. */
function withoutLocalEndpoints(ports: Iterable<ProxiedPort>): { readonly internal: number; readonly external: number } {
  let internal = 0;
  let external = 0;
  for (const { endpoints, internalPolicy, externalPolicy } of ports) {
    if (!endpoints.hasAny || endpoints.local.length > 0) continue;
    if (internalPolicy === 'Local') internal += 1;
    if (externalPolicy === 'Local') external += 1;
  }
  return { internal, external };
}
