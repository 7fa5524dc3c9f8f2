import type { Node, Observed } from '../../client/index.ts';
import type { NodeInfo } from './node-info.ts';
import type { NodeSlots } from './node-slots.ts';
import type { PodInfo } from './pod-info.ts';

/** Counts matching pods per topology domain, a domain being the nodes with the same value of a label. */
export interface TopologyQuery {
  /** Equal for equal queries. */
  readonly key: string;
  /** The label whose values are the domains, such as `topology.kubernetes.io/zone`. */
  readonly topologyKey: string;
  /** Whether the pod is counted. */
  matches(pod: PodInfo): boolean;
  /** Whether the node counts for its domain; default: every node. */
  isEligible?(node: Observed<Node>): boolean;
}

/** The nodes that share a value of the topology label. */
export interface Domain {
  /** Matching pods on all nodes of the domain. */
  pods: number;
  nodes: number;
}

/**
 * The result of a `TopologyQuery`, updated incrementally: a refresh takes time in proportion to the nodes that changed.
 *
 * Example: zones a (nodes 1 and 2) and b (node 3); matching pods on nodes 1, 1, 2 and 3: domain a has 3 pods, b has 1,
 * and the lowest count is 1.
 */
export class TopologyCounts {
  readonly query: TopologyQuery;
  readonly #domains = new Map<string, Domain>();
  /** By slot: the matching pods on the node, and the domain that they count for. */
  #onNode = new Int32Array(16);
  #domainOf: (Domain | undefined)[] = [];
  #valueOf: (string | undefined)[] = [];
  /** The number of domains that have `index` pods. */
  readonly #domainsWith: number[] = [];
  #lowest = 0;
  #position = -1;
  #total = 0;

  constructor(query: TopologyQuery) {
    this.query = query;
  }

  /** The matching pods in all domains. */
  get total(): number {
    return this.#total;
  }

  /** Approximate memory in use. */
  get bytes(): number {
    return 20 * this.#onNode.length + 100 * this.#domains.size;
  }

  /** The number of domains. */
  get size(): number {
    return this.#domains.size;
  }

  /** The matching pods in the domain with this value. */
  in(value: string): number {
    return this.#domains.get(value)?.pods ?? 0;
  }

  /** The matching pods on the node, whether or not it belongs to a domain. */
  on(node: NodeInfo): number {
    return this.#onNode[node.slot] ?? 0;
  }

  /** Whether the node belongs to a domain. */
  hasDomain(node: NodeInfo): boolean {
    return this.#domainOf[node.slot] !== undefined;
  }

  /** The lowest count of any domain, if the domain with `value` had `more` additional pods; 0 without domains. */
  lowest(value: string, more: number): number {
    const changed = more === 0 ? undefined : this.#domains.get(value);
    if (changed === undefined) return this.#domains.size === 0 ? 0 : this.#lowest;
    const own = changed.pods + more;
    let others = this.#lowest;
    if (changed.pods === others && this.#domainsWith[others] === 1) {
      if (this.#domains.size === 1) return own;
      do others += 1;
      while ((this.#domainsWith[others] ?? 0) === 0);
    }
    return Math.min(own, others);
  }

  /** Applies the changes since the last refresh. */
  refresh(slots: NodeSlots): void {
    if (this.#onNode.length < slots.size) this.#grow(slots.size);
    this.#position = slots.follow(this.#position, (slot, node) => this.#recount(slot, node));
  }

  #grow(size: number): void {
    const larger = new Int32Array(Math.ceil(size * 1.25));
    larger.set(this.#onNode);
    this.#onNode = larger;
  }

  #recount(slot: number, info: NodeInfo | undefined): void {
    const node = info?.node;
    const value = node === undefined ? undefined : this.#valueFor(node);
    let count = 0;
    if (info !== undefined && node !== undefined) {
      const { pods } = info;
      for (let index = 0; index < pods.length; index++) if (this.query.matches(pods[index] as PodInfo)) count += 1;
    }
    const before = this.#onNode[slot]!;
    this.#onNode[slot] = count;
    const domain = this.#domainOf[slot];
    if (value !== undefined && value === this.#valueOf[slot] && domain !== undefined) {
      if (count !== before) this.#add(domain, count - before);
      return;
    }
    if (domain !== undefined) this.#leave(this.#valueOf[slot] as string, domain, before);
    this.#valueOf[slot] = value;
    this.#domainOf[slot] = value === undefined ? undefined : this.#join(value, count);
  }

  #valueFor(node: Observed<Node>): string | undefined {
    const value = node.metadata.labels?.[this.query.topologyKey];
    return value === undefined || this.query.isEligible?.(node) === false ? undefined : value;
  }

  #join(value: string, count: number): Domain {
    let domain = this.#domains.get(value);
    if (domain === undefined) {
      domain = { pods: 0, nodes: 0 };
      this.#domains.set(value, domain);
      this.#tally(0, 1);
      this.#lowest = 0;
    }
    domain.nodes += 1;
    if (count > 0) this.#add(domain, count);
    return domain;
  }

  #leave(value: string, domain: Domain, count: number): void {
    if (count > 0) this.#add(domain, -count);
    domain.nodes -= 1;
    if (domain.nodes > 0) return;
    this.#domains.delete(value);
    this.#tally(domain.pods, -1);
    this.#raiseLowest();
  }

  #add(domain: Domain, more: number): void {
    this.#total += more;
    this.#tally(domain.pods, -1);
    domain.pods += more;
    this.#tally(domain.pods, 1);
    if (domain.pods < this.#lowest) this.#lowest = domain.pods;
    else this.#raiseLowest();
  }

  #tally(pods: number, more: number): void {
    while (this.#domainsWith.length <= pods) this.#domainsWith.push(0);
    this.#domainsWith[pods]! += more;
  }

  #raiseLowest(): void {
    if (this.#domains.size === 0) return;
    while (this.#domainsWith[this.#lowest] === 0) this.#lowest += 1;
  }
}

/** Limits of the result cache; the least recently used query is dropped first. */
const MAX_QUERIES = 256;
const MAX_BYTES = 64 * 1024 * 1024;

/** Caches the results of recent topology queries. */
export class TopologyIndex {
  readonly #slots: NodeSlots;
  readonly #answers = new Map<string, TopologyCounts>();

  constructor(slots: NodeSlots) {
    this.#slots = slots;
  }

  /** The current result; it stays unchanged until the snapshot is updated. */
  ask(query: TopologyQuery): TopologyCounts {
    const known = this.#answers.get(query.key);
    const answer = known ?? new TopologyCounts(query);
    this.#answers.delete(query.key);
    this.#answers.set(query.key, answer);
    answer.refresh(this.#slots);
    if (known === undefined) this.#makeRoom();
    return answer;
  }

  #makeRoom(): void {
    let bytes = 0;
    for (const answer of this.#answers.values()) bytes += answer.bytes;
    for (const [key, answer] of this.#answers) {
      if (this.#answers.size <= MAX_QUERIES && bytes <= MAX_BYTES) return;
      bytes -= answer.bytes;
      this.#answers.delete(key);
    }
  }
}
