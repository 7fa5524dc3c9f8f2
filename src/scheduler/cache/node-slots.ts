import type { NodeInfo } from './node-info.ts';

/** Called with a slot and the node in it; undefined when the slot is empty. */
export type SlotVisitor = (slot: number, node: NodeInfo | undefined) => void;

/** The fewest changes that are remembered. */
const LEAST_CHANGES = 4096;

/**
 * Numbers for nodes, small enough to be indices of arrays, and the order in which the nodes have changed: whoever keeps
 * something about every node brings it up to date by looking at those that have changed since its last look.
 *
 * Example: nodes a and b get slots 0 and 1; when a goes away, slot 0 is free and the next node gets it.
 */
export class NodeSlots {
  readonly #nodes: (NodeInfo | undefined)[] = [];
  readonly #free: number[] = [];
  /** The slots that have changed, oldest first. */
  #changes: number[] = [];
  /** The position of the first change that is remembered. */
  #start = 0;

  /** One more than the highest slot that was ever used. */
  get size(): number {
    return this.#nodes.length;
  }

  /** Gives the node a slot of its own. */
  add(node: NodeInfo): void {
    node.slot = this.#free.pop() ?? this.#nodes.length;
    this.#nodes[node.slot] = node;
  }

  remove(node: NodeInfo): void {
    this.#nodes[node.slot] = undefined;
    this.#free.push(node.slot);
    this.changed(node.slot);
  }

  /** Remembers that the node in the slot, or the pods on it, are not what they were. */
  changed(slot: number): void {
    this.#changes.push(slot);
    const limit = Math.max(LEAST_CHANGES, 2 * this.#nodes.length);
    if (this.#changes.length <= limit) return;
    this.#start += limit / 2;
    this.#changes = this.#changes.slice(limit / 2);
  }

  /**
   * Visits what has changed since the position, perhaps more than once; everything when that is too long ago, and at the
   * first look with a negative position. Returns the position to go on from.
   */
  follow(position: number, visit: SlotVisitor): number {
    const end = this.#start + this.#changes.length;
    if (position < this.#start || end - position > this.#nodes.length) {
      for (let slot = 0; slot < this.#nodes.length; slot++) visit(slot, this.#nodes[slot]);
      return end;
    }
    for (let index = position - this.#start; index < this.#changes.length; index++) {
      const slot = this.#changes[index]!;
      visit(slot, this.#nodes[slot]);
    }
    return end;
  }
}
