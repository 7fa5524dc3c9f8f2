import { type Duration, millisecondsOf, runTogether } from '../../base/index.ts';
import { EndpointSlice, type Handler, keyOf, Node, type Observed, Service, ServiceCIDR } from '../../client/index.ts';
import type { AppContext, Part, PreparedPart } from '../../kit/index.ts';
import { FamilySync, type SyncPeriods } from './family-sync.ts';
import { type NodeFacts, readNode, unknownNode } from './node-facts.ts';
import type { IpFamily } from './proxied-port.ts';
import { ProxyHealth } from './proxy-health.ts';
import { PROXY_NAME_LABEL } from './read-service.ts';
import { syncMetrics } from './sync-metrics.ts';
import type { ServiceUpdate, SyncContext } from './service-update.ts';

export interface ServiceProxyOptions {
  /** The name of the node that the proxy runs on. */
  readonly node: string;
  /** Default both. */
  readonly families?: readonly IpFamily[];
  /**
   * Brings rules of one IP family up to date. Calls for one family never overlap. When it rejects, it is called again after `syncPeriod`,
   * or with the next change, with everything (`isFull`).
   */
  sync(update: ServiceUpdate, context: SyncContext): Promise<void>;
  /** Whether the rules of a family are still there; called every `syncPeriod`. When they are not, `sync` gets everything. */
  check?(family: IpFamily, context: SyncContext): Promise<boolean>;
  /** Time between two syncs; default 1s. Changes in between come together. */
  readonly minSyncPeriod?: Duration;
  /** Time until a sync that failed is tried again, and between two checks; default 30s. */
  readonly syncPeriod?: Duration;
  /** The first sync waits until this is true of the node, for `nodeWait` at most; default: it has an address. */
  isNodeUsable?(node: NodeFacts): boolean;
  /** Default 30s. */
  readonly nodeWait?: Duration;
  /** Whether the server has ServiceCIDRs, as all have since Kubernetes 1.33; default true. */
  readonly watchesServiceCidrs?: boolean;
  /** Called once the part is prepared, with what it knows about its work. */
  onPrepared?(state: ServiceProxyState): void;
}

/** What a running proxy knows about itself. */
export interface ServiceProxyState {
  readonly health: ProxyHealth;
  /** The proxy's own node, as it is now. */
  readonly node: NodeFacts;
}

const FULL_SYNC_MS = 3_600_000;
const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6'];

/**
 * The part of an app that tells a proxy which Services its node forwards, and where to: each port with its addresses and the
 * endpoints that this node uses, as changes. What a proxy does with them is `sync`.
 */
export function serviceProxy(options: ServiceProxyOptions): Part {
  return {
    name: 'service-proxy',
    needs: [
      ...[Service, EndpointSlice, Node, ServiceCIDR].map(({ group, plural }) => ({
        group,
        resource: plural,
        verbs: ['list', 'watch'],
      })),
    ],
    prepare: (context) => new PreparedProxy(options, context),
  };
}

class PreparedProxy implements PreparedPart, ServiceProxyState {
  readonly health: ProxyHealth;
  readonly #options: ServiceProxyOptions;
  readonly #context: AppContext;
  readonly #families: readonly FamilySync[];
  readonly #serviceCidrs = new Map<string, readonly string[]>();
  #node: NodeFacts;
  #nodeIsUsable: () => void = () => undefined;

  constructor(options: ServiceProxyOptions, context: AppContext) {
    this.#options = options;
    this.#context = context;
    this.#node = unknownNode(options.node);
    const periods: SyncPeriods = {
      minMs: millisecondsOf(options.minSyncPeriod ?? '1s'),
      retryMs: millisecondsOf(options.syncPeriod ?? '30s'),
      fullMs: FULL_SYNC_MS,
    };
    this.health = new ProxyHealth(context.clock, 2 * periods.retryMs);
    this.#families = (options.families ?? FAMILIES).map(
      (family) =>
        new FamilySync(family, {
          node: options.node,
          sync: options.sync.bind(options),
          check: options.check?.bind(options),
          surroundings: () => ({ node: this.#node, serviceCidrs: [...this.#serviceCidrs.values()].flat() }),
          periods,
          clock: context.clock,
          log: context.log,
          health: this.health,
          metrics: syncMetrics(context.metrics),
        }),
    );
    this.#listen();
    options.onPrepared?.(this);
  }

  get node(): NodeFacts {
    return this.#node;
  }

  get isIdle(): boolean {
    return this.#families.every(({ isIdle }) => isIdle);
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#waitForNode(signal);
    await runTogether(this.#families, signal);
  }

  #listen(): void {
    const { node, watchesServiceCidrs = true } = this.#options;
    const services = { labelSelector: `!${PROXY_NAME_LABEL}`, fieldSelector: 'spec.clusterIP!=None' };
    this.#context.onChange(Service, this.#serviceHandler(), services);
    this.#context.onChange(EndpointSlice, this.#sliceHandler(), {
      labelSelector: '!service.kubernetes.io/headless',
    });
    this.#context.onChange(Node, this.#nodeHandler(), { fieldSelector: `metadata.name=${node}` });
    if (watchesServiceCidrs) this.#context.onChange(ServiceCIDR, this.#serviceCidrHandler());
  }

  #serviceHandler(): Handler<Service> {
    const set = (service: Observed<Service>): void => {
      for (const family of this.#families) family.setService(keyOf(service), service);
    };
    return {
      add: set,
      update: set,
      delete: (service) => {
        for (const family of this.#families) family.setService(keyOf(service), undefined);
      },
    };
  }

  #sliceHandler(): Handler<EndpointSlice> {
    const set = (slice: Observed<EndpointSlice>): void => {
      for (const family of this.#families) family.setSlice(slice);
    };
    return {
      add: set,
      update: set,
      delete: (slice) => {
        for (const family of this.#families) family.removeSlice(slice);
      },
    };
  }

  #nodeHandler(): Handler<Node> {
    const set = (facts: NodeFacts): void => {
      const before = this.#node;
      this.#node = facts;
      for (const family of this.#families) family.setNode(facts, before);
      if (this.#isNodeUsable()) this.#nodeIsUsable();
    };
    return {
      add: (node) => set(readNode(node)),
      update: (node) => set(readNode(node)),
      // Addresses stay: what runs on the node is still reached there.
      delete: () => set({ ...this.#node, isEligible: false }),
    };
  }

  #serviceCidrHandler(): Handler<ServiceCIDR> {
    const set = (name: string, cidrs: readonly string[] | undefined): void => {
      if (cidrs === undefined) this.#serviceCidrs.delete(name);
      else this.#serviceCidrs.set(name, cidrs);
      for (const family of this.#families) family.requestFull();
    };
    const changed = (cidr: Observed<ServiceCIDR>): void => set(keyOf(cidr), cidr.spec?.cidrs ?? []);
    return {
      add: changed,
      update: (cidr, old) => {
        if (String(cidr.spec?.cidrs) !== String(old.spec?.cidrs)) changed(cidr);
      },
      delete: (cidr) => set(keyOf(cidr), undefined),
    };
  }

  #isNodeUsable(): boolean {
    const { isNodeUsable = hasAddress } = this.#options;
    return isNodeUsable(this.#node);
  }

  async #waitForNode(signal: AbortSignal): Promise<void> {
    if (this.#isNodeUsable()) return;
    const { clock, log } = this.#context;
    const waitMs = millisecondsOf(this.#options.nodeWait ?? '30s');
    log.info('proxy waits for its node', { node: this.#options.node });
    const wait = new AbortController();
    this.#nodeIsUsable = () => wait.abort();
    await clock.sleep(waitMs, AbortSignal.any([signal, wait.signal]));
    if (!this.#isNodeUsable() && !signal.aborted)
      log.warn('node has not all that the proxy needs; it starts without', { node: this.#options.node });
  }
}

function hasAddress({ addresses }: NodeFacts): boolean {
  return addresses.IPv4 !== undefined || addresses.IPv6 !== undefined;
}
