import { mergePatch, Node, type Observed } from '../../client/index.ts';
import type { AppContext, EventRecorder, KeyedWorkers, Objects, Part, PreparedPart } from '../../kit/index.ts';
import { networkMetrics } from './network-metrics.ts';
import { NodeNetworks } from './node-networks.ts';

export interface NodeIpamOptions {
  /** The pod networks, one or one of each family; by default nodes get no pod CIDRs. */
  readonly clusterCidrs?: readonly string[];
  /** The prefix length of a node's network in each of these; default 24 for IPv4 and 64 for IPv6. */
  readonly nodeCidrMaskSizes?: readonly number[];
  /** The Service networks, which are excluded. */
  readonly serviceCidrs?: readonly string[];
}

const NAME = 'node-ipam-controller';
const COMPONENT = 'cidrAllocator';
const CONCURRENCY = 30;

/** Assigns pod CIDRs to every node. */
export function nodeIpamController(options: NodeIpamOptions): Part {
  return { name: NAME, prepare: (context) => new NodeIpam(context, options) };
}

/** The default prefix length of a node's network. */
export function defaultMaskSize(cidr: string): number {
  return cidr.includes(':') ? 64 : 24;
}

class NodeIpam implements PreparedPart {
  readonly #nodes: Objects<Node>;
  readonly #networks: readonly NodeNetworks[];
  readonly #events: EventRecorder;
  readonly #workers: KeyedWorkers;

  constructor(context: AppContext, { clusterCidrs = [], nodeCidrMaskSizes = [], serviceCidrs = [] }: NodeIpamOptions) {
    this.#nodes = context.objects(Node);
    this.#networks = clusterCidrs.map(
      (cidr, index) => new NodeNetworks(cidr, nodeCidrMaskSizes[index] ?? defaultMaskSize(cidr)),
    );
    const metricsOf = networkMetrics(context.metrics);
    this.#networks.forEach((network, index) => (network.metrics = metricsOf(clusterCidrs[index] ?? '', network.size)));
    for (const network of this.#networks) for (const cidr of serviceCidrs) network.mark(cidr, true);
    this.#events = context.events(COMPONENT);
    this.#workers = context.workers(NAME, {
      queueName: 'cidrallocator_node',
      concurrency: CONCURRENCY,
      work: (name) => this.#assign(name),
    });
    context.onChange(Node, {
      add: (node) => this.#markUsed(node),
      update: (node) => this.#markUsed(node),
      delete: (node) => this.#mark(node, false),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#workers.run(signal);
  }

  /** Marks a node's networks as used before any are assigned. */
  #markUsed(node: Observed<Node>): void {
    this.#mark(node, true);
    if ((node.spec?.podCIDRs ?? []).length === 0) this.#workers.add(node.metadata.name);
  }

  #mark({ spec }: Observed<Node>, isTaken: boolean): void {
    for (const [index, cidr] of (spec?.podCIDRs ?? []).entries()) this.#networks[index]?.mark(cidr, isTaken);
  }

  async #assign(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    if (node === undefined || node.metadata.deletionTimestamp !== undefined) return;
    if ((node.spec?.podCIDRs ?? []).length > 0) return;
    const taken = this.#networks.map((network) => network.take());
    const release = (): void =>
      taken.forEach((cidr, index) => cidr !== undefined && this.#networks[index]?.mark(cidr, false));
    const [podCIDR] = taken;
    if (podCIDR === undefined || taken.includes(undefined)) {
      release();
      this.#tell(node, 'CIDRNotAvailable');
      throw new Error(`Cannot give node ${name} a network: all are taken`);
    }
    try {
      await this.#nodes.patch(name, mergePatch({ spec: { podCIDR, podCIDRs: taken } }));
    } catch (error) {
      release();
      this.#tell(node, 'CIDRAssignmentFailed');
      throw error;
    }
  }

  #tell({ metadata: { name, uid } }: Observed<Node>, what: string): void {
    const about = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid } };
    this.#events.event(about, { type: 'Normal', reason: what, message: `Node ${name} status is now: ${what}` });
  }
}
