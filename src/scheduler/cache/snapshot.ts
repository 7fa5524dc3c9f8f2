import { ClaimUses } from './claim-uses.ts';
import { ImageIndex } from './image-index.ts';
import { NodeInfo } from './node-info.ts';
import { NodeSlots } from './node-slots.ts';
import { PlacedTerms } from './placed-terms.ts';
import { TopologyIndex } from './topology-counts.ts';

/** The nodes as they were when a scheduling cycle began. The cache updates the snapshot before every cycle. */
export class Snapshot {
  readonly #byName = new Map<string, NodeInfo>();
  readonly #slots = new NodeSlots();
  /** All nodes, in the order of the search. Written by the cache only. */
  nodes: readonly NodeInfo[] = [];
  /** Which claims pods on nodes use: as they do now, to be asked when a cycle begins. Written by the cache only. */
  claimUses: Pick<ClaimUses, 'isUsed'> = new ClaimUses();
  /** The newest change of the cache that the snapshot contains. */
  generation = 0;
  /** Where pods are, by labels of nodes. */
  readonly topology = new TopologyIndex(this.#slots);
  /** The affinity of pods on nodes to others. */
  readonly terms = new PlacedTerms(this.#slots);
  readonly images = new ImageIndex(this.#slots);

  get(name: string): NodeInfo | undefined {
    return this.#byName.get(name);
  }

  /** Takes over the state of a node. For the cache only. */
  put(info: NodeInfo): void {
    let own = this.#byName.get(info.name);
    if (own === undefined) {
      own = new NodeInfo(info.name);
      this.#byName.set(info.name, own);
      this.#slots.add(own);
    }
    own.copyFrom(info);
    this.#slots.changed(own.slot);
  }

  /** For the cache only. */
  delete(name: string): void {
    const info = this.#byName.get(name);
    if (info === undefined) return;
    this.#byName.delete(name);
    this.#slots.remove(info);
  }

  /** Sets the order of the search, and drops nodes that are not in it. For the cache only. */
  setOrder(names: readonly string[]): void {
    if (this.#byName.size > names.length) {
      const kept = new Set(names);
      for (const name of this.#byName.keys()) if (!kept.has(name)) this.delete(name);
    }
    this.nodes = names.map((name) => this.#byName.get(name) as NodeInfo);
  }
}
