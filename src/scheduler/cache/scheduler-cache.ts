import { zoneKeyOf } from '../../api/meaning/index.ts';
import type { Node, Observed, Pod } from '../../client/index.ts';
import { ClaimUses } from './claim-uses.ts';
import { NodeInfo } from './node-info.ts';
import { PodInfo } from './pod-info.ts';
import type { Snapshot } from './snapshot.ts';

/** A node in the linked list of nodes, most recently changed first. */
interface Entry {
  readonly info: NodeInfo;
  newer: Entry | undefined;
  older: Entry | undefined;
}

interface PlacedPod {
  readonly info: PodInfo;
  readonly nodeName: string;
  /** True while this scheduler has chosen the node and the watch has not confirmed it. */
  readonly isAssumed: boolean;
}

/**
 * All nodes and their pods: what the watch reported plus what this scheduler has assumed since.
 *
 * Guarantees: updating a snapshot takes time in proportion to the nodes that changed since its last update. An assumed
 * pod counts until the watch confirms it or `forget` removes it.
 */
export class SchedulerCache {
  readonly #entries = new Map<string, Entry>();
  readonly #order = new NodeOrder();
  /** By uid. */
  readonly #pods = new Map<string, PlacedPod>();
  readonly #claimUses = new ClaimUses();
  #newest: Entry | undefined;
  #generation = 0;
  /** The generation at which a node was last added, removed or moved in the search order. */
  #orderGeneration = 0;
  #assumed = 0;

  get nodeCount(): number {
    return this.#order.size;
  }

  get podCount(): number {
    return this.#pods.size;
  }

  get assumedCount(): number {
    return this.#assumed;
  }

  /** Adds or updates a node. */
  setNode(node: Observed<Node>): void {
    const entry = this.#entry(node.metadata.name);
    entry.info.setNode(node);
    this.#touch(entry);
    if (this.#order.set(node)) this.#orderGeneration = this.#generation;
  }

  removeNode(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined || !this.#order.delete(name)) return;
    entry.info.setNode(undefined);
    this.#touch(entry);
    this.#orderGeneration = this.#generation;
    this.#dropIfEmpty(entry);
  }

  /** Counts a pod on a node before the API server has stored the binding. */
  assume(info: PodInfo, nodeName: string): PodInfo {
    if (this.#pods.has(info.uid)) throw new Error(`Cannot assume pod "${info.key}": it is on a node already`);
    const assumed = info.onNode(nodeName);
    this.#place({ info: assumed, nodeName, isAssumed: true });
    return assumed;
  }

  /** Removes an assumed pod from its node; false if the pod is not assumed (any longer). */
  forget(uid: string): boolean {
    if (!this.isAssumed(uid)) return false;
    this.#take(uid);
    return true;
  }

  isAssumed(uid: string): boolean {
    return this.#pods.get(uid)?.isAssumed === true;
  }

  assumedPod(uid: string): PodInfo | undefined {
    const placed = this.#pods.get(uid);
    return placed?.isAssumed === true ? placed.info : undefined;
  }

  /** Adds or updates a pod that is bound to a node. The watch's state replaces an assumed one. */
  setPod(pod: Observed<Pod>): void {
    if (this.#follow(pod)) return;
    const before = this.#take(pod.metadata.uid);
    this.#place({ info: new PodInfo(pod, before?.info), nodeName: pod.spec?.nodeName ?? '', isAssumed: false });
  }

  /** Takes over an update that changes nothing for the node, so that snapshots need no update. */
  #follow(pod: Observed<Pod>): boolean {
    const placed = this.#pods.get(pod.metadata.uid);
    if (placed === undefined || !placed.info.follow(pod)) return false;
    if (placed.isAssumed) {
      this.#assumed -= 1;
      this.#pods.set(placed.info.uid, { ...placed, isAssumed: false });
    }
    return true;
  }

  removePod(uid: string): boolean {
    return this.#take(uid) !== undefined;
  }

  /** Brings the snapshot up to date. */
  update(snapshot: Snapshot): void {
    for (let entry = this.#newest; entry !== undefined; entry = entry.older) {
      if (entry.info.generation <= snapshot.generation) break;
      if (entry.info.node === undefined) snapshot.delete(entry.info.name);
      else snapshot.put(entry.info);
    }
    if (this.#orderGeneration > snapshot.generation) snapshot.setOrder(this.#order.list());
    snapshot.claimUses = this.#claimUses;
    snapshot.generation = this.#generation;
  }

  #place(placed: PlacedPod): void {
    this.#pods.set(placed.info.uid, placed);
    if (placed.isAssumed) this.#assumed += 1;
    const entry = this.#entry(placed.nodeName);
    entry.info.addPod(placed.info);
    this.#claimUses.count(placed.info.pod, 1);
    this.#touch(entry);
  }

  #take(uid: string): PlacedPod | undefined {
    const placed = this.#pods.get(uid);
    if (placed === undefined) return undefined;
    this.#pods.delete(uid);
    if (placed.isAssumed) this.#assumed -= 1;
    const entry = this.#entry(placed.nodeName);
    entry.info.removePod(uid);
    this.#claimUses.count(placed.info.pod, -1);
    this.#touch(entry);
    this.#dropIfEmpty(entry);
    return placed;
  }

  #entry(name: string): Entry {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const entry: Entry = { info: new NodeInfo(name), newer: undefined, older: undefined };
    this.#entries.set(name, entry);
    return entry;
  }

  /** Keeps the entry of a deleted node as long as pods name that node. */
  #dropIfEmpty(entry: Entry): void {
    const { info } = entry;
    if (info.node !== undefined || info.pods.length > 0) return;
    this.#entries.delete(info.name);
    this.#unlink(entry);
  }

  #touch(entry: Entry): void {
    entry.info.generation = ++this.#generation;
    if (this.#newest === entry) return;
    this.#unlink(entry);
    entry.older = this.#newest;
    if (this.#newest !== undefined) this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink(entry: Entry): void {
    if (this.#newest === entry) this.#newest = entry.older;
    if (entry.newer !== undefined) entry.newer.older = entry.older;
    if (entry.older !== undefined) entry.older.newer = entry.newer;
    entry.newer = undefined;
    entry.older = undefined;
  }
}

/**
 * The order in which nodes are searched: one of each zone in turn, so that a search that ends early has covered all
 * zones.
 *
 * Example: zone a has n1 and n2, zone b has n3: n1, n3, n2.
 */
class NodeOrder {
  readonly #zones = new Map<string, Set<string>>();
  readonly #zoneOf = new Map<string, string>();

  get size(): number {
    return this.#zoneOf.size;
  }

  /** Adds the node, or moves it when its zone label changed. Returns whether the order changed. */
  set(node: Observed<Node>): boolean {
    const { name } = node.metadata;
    const zone = zoneKeyOf(node);
    if (this.#zoneOf.get(name) === zone) return false;
    this.delete(name);
    this.#zoneOf.set(name, zone);
    const names = this.#zones.get(zone);
    if (names === undefined) this.#zones.set(zone, new Set([name]));
    else names.add(name);
    return true;
  }

  delete(name: string): boolean {
    const zone = this.#zoneOf.get(name);
    if (zone === undefined) return false;
    this.#zoneOf.delete(name);
    const names = this.#zones.get(zone);
    names?.delete(name);
    if (names?.size === 0) this.#zones.delete(zone);
    return true;
  }

  list(): string[] {
    const names: string[] = [];
    let zones = Array.from(this.#zones.values(), (zone) => zone.values());
    while (zones.length > 0) {
      const open: typeof zones = [];
      for (const zone of zones) {
        const next = zone.next();
        if (next.done === true) continue;
        names.push(next.value);
        open.push(zone);
      }
      zones = open;
    }
    return names;
  }
}
