import { ClaimUses } from './claim-uses.ts';
import { ImageIndex } from './image-index.ts';
import { NodeInfo } from './node-info.ts';
import { NodeSlots } from './node-slots.ts';
import { PlacedTerms } from './placed-terms.ts';
import { TopologyIndex } from './topology-counts.ts';

/** The nodes as they were at the start of a scheduling cycle. The cache updates the snapshot before every cycle. */
export class Snapshot {
  readonly #byName = new Map<string, NodeInfo>();
  readonly #slots = new NodeSlots();
  /** All nodes in search order. Written by the cache only. */
  nodes: readonly NodeInfo[] = [];
  /**
   * The claims that pods on nodes use. Always current, so plugins read it at the start of a cycle. Written by the cache
   * only.
   */
  claimUses: Pick<ClaimUses, 'isUsed'> = new ClaimUses();
  /** The generation of the newest cache change that the snapshot contains. */
  generation = 0;
  /** Counts pods by topology domain. */
  readonly topology = new TopologyIndex(this.#slots);
  /** Affinity terms of the pods on nodes. */
  readonly terms = new PlacedTerms(this.#slots);
  readonly images = new ImageIndex(this.#slots);

  get(name: string): NodeInfo | undefined {
    return this.#byName.get(name);
  }

  /** Stores a copy of the node. For the cache only. */
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

  /** Sets the search order and drops nodes that are not in it. For the cache only. */
  setOrder(names: readonly string[]): void {
    if (this.#byName.size > names.length) {
      const kept = new Set(names);
      for (const name of this.#byName.keys()) if (!kept.has(name)) this.delete(name);
    }
    this.nodes = names.map((name) => this.#byName.get(name) as NodeInfo);
  }
}
