import type { NodeInfo } from './node-info.ts';

/** Called with a slot and the node in it; undefined when the slot is empty. */
export type SlotVisitor = (slot: number, node: NodeInfo | undefined) => void;

/** Minimum length of the change log. */
const MIN_LOG_LENGTH = 4096;

/**
 * Gives nodes small numbers that serve as array indices, and logs the order in which nodes changed. An index that keeps
 * data per node uses the log to visit only the nodes that changed since its last update.
 *
 * Example: nodes a and b get slots 0 and 1; when a is removed, slot 0 is free and the next node gets it.
 */
export class NodeSlots {
  readonly #nodes: (NodeInfo | undefined)[] = [];
  readonly #free: number[] = [];
  /** The slots that have changed, oldest first. */
  #changes: number[] = [];
  /** The position of the oldest change in the log. */
  #start = 0;

  /** One more than the highest slot ever used. */
  get size(): number {
    return this.#nodes.length;
  }

  /** Assigns a free slot to the node. */
  add(node: NodeInfo): void {
    node.slot = this.#free.pop() ?? this.#nodes.length;
    this.#nodes[node.slot] = node;
  }

  remove(node: NodeInfo): void {
    this.#nodes[node.slot] = undefined;
    this.#free.push(node.slot);
    this.changed(node.slot);
  }

  /** Logs that the node in the slot, or its pods, changed. */
  changed(slot: number): void {
    this.#changes.push(slot);
    const limit = Math.max(MIN_LOG_LENGTH, 2 * this.#nodes.length);
    if (this.#changes.length <= limit) return;
    this.#start += limit / 2;
    this.#changes = this.#changes.slice(limit / 2);
  }

  /**
   * Visits the slots that changed since `position`, possibly more than once. Visits every slot when `position` is
   * negative (first call) or older than the log. Returns the position to pass next time.
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
