import { compareUtf8, deepEqual } from '../../base/index.ts';
import { AddressSet } from './address-set.ts';
import { blocksByFamily } from './address-blocks.ts';
import { NamedPorts } from './named-ports.ts';
import { type IndexedPod, PodIndex, type SelectedPods, selectionId } from './pod-index.ts';
import { canonicalAddresses, type PolicedPod } from './policed-pod.ts';
import type { PeerStatement, PodSelection, PolicyStatement, PortStatement, RuleStatement } from './policy-statement.ts';
import type {
  PolicyChanges,
  PolicyTier,
  ResolvedPeer,
  ResolvedPod,
  ResolvedPolicy,
  ResolvedPort,
  ResolvedRule,
  SetChange,
  SetId,
} from './resolved-policy.ts';

interface KnownPolicy {
  readonly statement: PolicyStatement;
  readonly subject: SelectedPods;
  /** How many pods of the node it selects. Without any, its rules are not resolved. */
  localPods: number;
  /** The selections of its peers; undefined while its rules are not resolved. */
  peers: readonly SelectedPods[] | undefined;
}

/** What a selection is used for. */
interface SelectionUse {
  /** The policies about these pods. */
  readonly policies: Set<KnownPolicy>;
  /** Their addresses, while a rule has them as peers. */
  addresses: AddressSet | undefined;
  peerUsers: number;
}

const MAX_PORT = 65_535;

/**
 * Resolves policies for the pods of one node: it is given pods, namespaces and policies as they change, and asked for what has changed in
 * the result. Does no I/O.
 *
 * A change costs what depends on it: a pod is compared with the selections of its namespace, and a set of addresses is shared by all rules
 * that select the same pods. Rules of policies that select no pod of the node are not resolved.
 */
export class PolicyResolver {
  readonly #node: string;
  readonly #index: PodIndex;
  readonly #policies = new Map<string, KnownPolicy>();
  readonly #uses = new Map<SelectedPods, SelectionUse>();
  readonly #names: NamedPorts<KnownPolicy>;
  /** Addresses that the node has given its pods, by uid; they count in place of those in the pods' status. */
  readonly #attached = new Map<string, readonly string[]>();
  /** The pods of the node by address. */
  readonly #owners = new Map<string, Set<IndexedPod>>();
  /** The keys of what may have changed since the last time. */
  readonly #changedPods = new Set<string>();
  readonly #changedPolicies = new Set<string>();
  /** What has been delivered. */
  readonly #deliveredPods = new Map<string, ResolvedPod>();
  readonly #deliveredPolicies = new Map<string, ResolvedPolicy>();
  readonly #deliveredSets = new Set<SetId>();
  #deliveredHasPolicies: boolean | undefined;

  constructor(node: string) {
    this.#node = node;
    this.#index = new PodIndex({
      podChanged: (before, after) => this.#podChanged(before, after),
      memberChanged: (selection, before, after) => this.#memberChanged(selection, before, after),
    });
    const pods = (): Iterable<PolicedPod> => [...this.#index.pods()].map(({ pod }) => pod);
    this.#names = new NamedPorts(pods, ({ statement }) => this.#changedPolicies.add(statement.key));
  }

  /** Whether the pod is known and is the one with this uid. */
  hasPod(key: string, uid: string): boolean {
    return this.#index.get(key)?.pod.uid === uid;
  }

  setPod(pod: PolicedPod): void {
    if (this.#index.get(pod.key)?.pod.uid !== pod.uid) this.removePod(pod.key);
    const addresses = this.#attached.get(pod.uid) ?? pod.addresses;
    this.#index.setPod(addresses === pod.addresses ? pod : { ...pod, addresses });
  }

  removePod(key: string): void {
    const known = this.#index.get(key);
    if (known === undefined) return;
    this.#attached.delete(known.pod.uid);
    this.#index.removePod(key);
  }

  /** The node has given a pod these addresses, which its status may not show yet. The pod itself may not be known yet either. */
  attach({ key, uid }: Pick<PolicedPod, 'key' | 'uid'>, addresses: readonly string[]): void {
    const canonical = canonicalAddresses(addresses);
    this.#attached.set(uid, canonical);
    const known = this.#index.get(key);
    if (known?.pod.uid === uid) this.#index.setPod({ ...known.pod, addresses: canonical });
    for (const address of canonical) this.#noteOwners(address);
  }

  /** The pod has lost its addresses, although its status may still show them. */
  detach({ key, uid }: Pick<PolicedPod, 'key' | 'uid'>): void {
    if (this.hasPod(key, uid)) this.attach({ key, uid }, []);
    else this.#attached.delete(uid);
  }

  /** Takes in a namespace with its labels; undefined when it is gone. */
  setNamespace(name: string, labels: Readonly<Record<string, string>> | undefined): void {
    this.#index.setNamespace(name, labels);
  }

  setPolicy(statement: PolicyStatement): void {
    const before = this.#policies.get(statement.key);
    if (before !== undefined && deepEqual(before.statement, statement)) return;
    const policy: KnownPolicy = {
      statement,
      subject: this.#acquire(statement.subject),
      localPods: 0,
      peers: undefined,
    };
    this.#policies.set(statement.key, policy);
    this.#useOf(policy.subject).policies.add(policy);
    for (const { pod } of policy.subject.members) if (this.#isLocal(pod)) this.#addLocal(policy, pod);
    if (before !== undefined) this.#drop(before); // after the new one has its selections, so that shared ones stay
    this.#changedPolicies.add(statement.key);
  }

  removePolicy(key: string): void {
    const policy = this.#policies.get(key);
    if (policy === undefined) return;
    this.#policies.delete(key);
    this.#drop(policy);
    this.#changedPolicies.add(key);
  }

  /** The difference to what was delivered before, or everything; undefined when there is none. */
  takeChanges({ isWhole = false }: { readonly isWhole?: boolean } = {}): PolicyChanges | undefined {
    if (isWhole) this.#forgetDelivered();
    const hasPolicies = this.#policies.size > 0;
    const policies = this.#takePolicies();
    const pods = this.#takePods();
    const sets = this.#takeSets();
    const isSame = hasPolicies === this.#deliveredHasPolicies && policies.size + pods.size + sets.size === 0;
    this.#deliveredHasPolicies = hasPolicies;
    return isSame && !isWhole ? undefined : { isWhole, hasPolicies, sets, policies, pods };
  }

  #forgetDelivered(): void {
    for (const [, addresses] of this.#sets()) addresses.forget();
    for (const delivered of [this.#deliveredPods, this.#deliveredPolicies, this.#deliveredSets]) delivered.clear();
    for (const key of this.#policies.keys()) this.#changedPolicies.add(key);
    for (const { pod } of this.#index.pods()) if (this.#isLocal(pod)) this.#changedPods.add(pod.key);
  }

  #takePolicies(): PolicyChanges['policies'] {
    const resolve = (key: string): ResolvedPolicy | undefined => {
      const policy = this.#policies.get(key);
      return policy === undefined || policy.localPods === 0 ? undefined : this.#resolved(policy.statement);
    };
    return takeChanged(this.#changedPolicies, this.#deliveredPolicies, resolve);
  }

  #takePods(): PolicyChanges['pods'] {
    const resolve = (key: string): ResolvedPod | undefined => {
      const known = this.#index.get(key);
      return known === undefined || !this.#isLocal(known.pod) ? undefined : this.#resolvedPod(known);
    };
    return takeChanged(this.#changedPods, this.#deliveredPods, resolve);
  }

  #takeSets(): PolicyChanges['sets'] {
    const changes = new Map<SetId, SetChange>();
    const live = new Set<SetId>();
    for (const [id, addresses] of this.#sets()) {
      live.add(id);
      const change = addresses.takeChange();
      if (change !== undefined) changes.set(id, change);
    }
    for (const id of this.#deliveredSets) if (!live.has(id)) changes.set(id, { type: 'gone' });
    this.#deliveredSets.clear();
    for (const id of live) this.#deliveredSets.add(id);
    return changes;
  }

  *#sets(): Generator<[SetId, AddressSet]> {
    for (const [{ id }, { addresses }] of this.#uses) if (addresses !== undefined) yield [podSetId(id), addresses];
    yield* this.#names.sets();
  }

  #isLocal({ node }: PolicedPod): boolean {
    return node === this.#node;
  }

  #acquire(selection: PodSelection): SelectedPods {
    const selected = this.#index.acquire(selection);
    if (!this.#uses.has(selected))
      this.#uses.set(selected, { policies: new Set(), addresses: undefined, peerUsers: 0 });
    return selected;
  }

  #release(selected: SelectedPods): void {
    this.#index.release(selected);
    if (selected.users === 0) this.#uses.delete(selected);
  }

  #useOf(selected: SelectedPods): SelectionUse {
    const use = this.#uses.get(selected);
    if (use === undefined) throw new Error(`Cannot use selection "${selected.id}": it has been released`);
    return use;
  }

  #drop(policy: KnownPolicy): void {
    for (const { pod } of policy.subject.members) if (this.#isLocal(pod)) this.#removeLocal(policy, pod);
    this.#useOf(policy.subject).policies.delete(policy);
    this.#release(policy.subject);
  }

  #addLocal(policy: KnownPolicy, pod: PolicedPod): void {
    this.#changedPods.add(pod.key);
    if (policy.localPods++ > 0) return;
    this.#changedPolicies.add(policy.statement.key);
    policy.peers = peersOf(policy.statement).map((selection) => this.#acquirePeer(selection));
    for (const port of namesOf(policy.statement)) this.#names.use(port, policy);
  }

  #removeLocal(policy: KnownPolicy, pod: PolicedPod): void {
    this.#changedPods.add(pod.key);
    if (--policy.localPods > 0) return;
    this.#changedPolicies.add(policy.statement.key);
    for (const selected of policy.peers ?? []) this.#releasePeer(selected);
    policy.peers = undefined;
    for (const port of namesOf(policy.statement)) this.#names.release(port, policy);
  }

  #acquirePeer(selection: PodSelection): SelectedPods {
    const selected = this.#acquire(selection);
    const use = this.#useOf(selected);
    use.peerUsers++;
    if (use.addresses === undefined) {
      use.addresses = new AddressSet();
      for (const { pod } of selected.members) use.addresses.add(pod.addresses);
    }
    return selected;
  }

  #releasePeer(selected: SelectedPods): void {
    const use = this.#useOf(selected);
    if (--use.peerUsers === 0) use.addresses = undefined;
    this.#release(selected);
  }

  #memberChanged(selected: SelectedPods, before: PolicedPod | undefined, after: PolicedPod | undefined): void {
    const { policies, addresses } = this.#useOf(selected);
    addresses?.add(after?.addresses ?? []);
    addresses?.remove(before?.addresses ?? []);
    const wasLocal = before !== undefined && this.#isLocal(before);
    const isLocal = after !== undefined && this.#isLocal(after);
    if (wasLocal === isLocal) return;
    for (const policy of policies) {
      if (isLocal) this.#addLocal(policy, after);
      else if (wasLocal) this.#removeLocal(policy, before);
    }
  }

  #podChanged(before: PolicedPod | undefined, after: PolicedPod | undefined): void {
    this.#names.podChanged(before, after);
    const indexed = this.#index.get(after?.key ?? '');
    if (after !== undefined && indexed !== undefined && this.#isLocal(after)) this.#own(after, indexed);
    if (before !== undefined && this.#isLocal(before)) this.#disown(before, after);
  }

  #own(pod: PolicedPod, indexed: IndexedPod): void {
    this.#changedPods.add(pod.key);
    for (const address of pod.addresses) {
      const owners = this.#owners.get(address) ?? new Set();
      this.#owners.set(address, owners.add(indexed));
      this.#noteOwners(address);
    }
  }

  #disown(before: PolicedPod, after: PolicedPod | undefined): void {
    this.#changedPods.add(before.key);
    const kept = new Set(after !== undefined && this.#isLocal(after) ? after.addresses : []);
    for (const address of before.addresses) {
      if (kept.has(address)) continue;
      const owners = this.#owners.get(address);
      for (const owner of owners ?? []) if (owner.pod.key === before.key) owners?.delete(owner);
      this.#noteOwners(address);
      if (owners?.size === 0) this.#owners.delete(address);
    }
  }

  /** Who an address belongs to may have changed. */
  #noteOwners(address: string): void {
    for (const { pod } of this.#owners.get(address) ?? []) this.#changedPods.add(pod.key);
  }

  #resolvedPod(known: IndexedPod): ResolvedPod | undefined {
    const { key, uid } = known.pod;
    const addresses = known.pod.addresses.filter((address) => this.#ownerOf(address) === known);
    if (addresses.length === 0) return undefined;
    return { key, uid, addresses, ingress: this.#tiers(known, 'ingress'), egress: this.#tiers(known, 'egress') };
  }

  /** An address that two pods of the node have is that of the pod it was given to, or else of the newer one. */
  #ownerOf(address: string): IndexedPod | undefined {
    const rank = ({ pod }: IndexedPod): string => `${this.#attached.has(pod.uid) ? 1 : 0} ${pod.createdAt} ${pod.uid}`;
    let first: IndexedPod | undefined;
    for (const owner of this.#owners.get(address) ?? [])
      if (first === undefined || rank(owner) > rank(first)) first = owner;
    return first;
  }

  #tiers({ selections }: IndexedPod, direction: 'ingress' | 'egress'): readonly PolicyTier[] {
    const statements = [...selections]
      .flatMap((selection) => [...this.#useOf(selection).policies])
      .map(({ statement }) => statement)
      .filter((statement) => statement[direction] !== undefined)
      .toSorted(inOrder);
    const tiers: string[][] = [];
    let last: number | undefined;
    for (const { key, tier = 0 } of statements) {
      if (tier !== last) tiers.push([]);
      last = tier;
      tiers.at(-1)?.push(key);
    }
    return tiers;
  }

  #resolved({ key, ingress, egress }: PolicyStatement): ResolvedPolicy {
    const rules = (list: readonly RuleStatement[] | undefined): readonly ResolvedRule[] | undefined =>
      list?.map(({ action = 'allow', peers, ports }) => ({
        action,
        peers: peers?.map(resolvedPeer),
        ports: ports?.flatMap((port) => this.#resolvedPorts(port)),
      }));
    return { key, ingress: rules(ingress), egress: rules(egress) };
  }

  #resolvedPorts({ protocol, port, endPort }: PortStatement): readonly ResolvedPort[] {
    if (typeof port === 'string') return this.#names.resolve({ protocol, port });
    return [{ protocol, first: port ?? 0, last: endPort ?? port ?? MAX_PORT }];
  }
}

/** Resolves what may have changed, and returns what has. */
function takeChanged<T>(
  changed: Set<string>,
  delivered: Map<string, T>,
  resolve: (key: string) => T | undefined,
): ReadonlyMap<string, T | undefined> {
  const changes = new Map<string, T | undefined>();
  for (const key of changed) {
    const before = delivered.get(key);
    const after = resolve(key);
    if (before === after || deepEqual(before, after)) continue;
    changes.set(key, after);
    if (after === undefined) delivered.delete(key);
    else delivered.set(key, after);
  }
  changed.clear();
  return changes;
}

function inOrder(left: PolicyStatement, right: PolicyStatement): number {
  const { tier = 0, order = 0, key } = left;
  return tier - (right.tier ?? 0) || order - (right.order ?? 0) || compareUtf8(key, right.key);
}

function podSetId(selection: string): SetId {
  return `pods ${selection}`;
}

function isBlocks(peer: PeerStatement): peer is Extract<PeerStatement, { cidrs: unknown }> {
  return 'cidrs' in peer;
}

function resolvedPeer(peer: PeerStatement): ResolvedPeer {
  return isBlocks(peer)
    ? { type: 'blocks', blocks: blocksByFamily(peer.cidrs, peer.except) }
    : { type: 'pods', set: podSetId(selectionId(peer)) };
}

function peersOf({ ingress = [], egress = [] }: PolicyStatement): readonly PodSelection[] {
  const peers = [...ingress, ...egress].flatMap((rule) => rule.peers ?? []);
  return peers.filter((peer): peer is PodSelection => !isBlocks(peer));
}

function namesOf({
  ingress = [],
  egress = [],
}: PolicyStatement): readonly { protocol: PortStatement['protocol']; port: string }[] {
  const ports = [...ingress, ...egress].flatMap((rule) => rule.ports ?? []);
  return ports.flatMap(({ protocol, port }) => (typeof port === 'string' ? [{ protocol, port }] : []));
}
