import { lowerBound, upperBound } from './sorted-keys.ts';
import type { Branch, Leaf, SortedNode } from './sorted-map-node.ts';
import type { SortedRange } from './sorted-view.ts';
import { ordersNatively } from './utf8-order.ts';

/** The value of a key; `undefined` when it is absent. */
export function lookUp<V>(root: SortedNode<V>, key: string): V | undefined {
  const isNative = ordersNatively(key);
  let node = root;
  while (!node.isLeaf) node = node.children[upperBound(node.keys, key, isNative)] as SortedNode<V>;
  const index = lowerBound(node.keys, key, isNative);
  return node.keys[index] === key ? node.values[index] : undefined;
}

/** The number of keys in a range. */
export function countIn<V>(root: SortedNode<V>, range: SortedRange): number {
  const upTo = range.to === undefined ? root.size : rankOf(root, range.to);
  const before = range.from === undefined ? 0 : rankOf(root, range.from);
  return Math.max(0, upTo - before);
}

/** The first entry of a range. */
export function firstIn<V>(root: SortedNode<V>, range: SortedRange): [string, V] | undefined {
  const walk = new LeafWalk(root, range);
  return walk.next() ? [walk.leaf.keys[walk.start] as string, walk.leaf.values[walk.start] as V] : undefined;
}

/** Visits a range until `visit` returns `false`. */
export function visitIn<V>(
  root: SortedNode<V>,
  range: SortedRange,
  visit: (key: string, value: V) => boolean | void,
): void {
  const walk = new LeafWalk(root, range);
  while (walk.next()) {
    const { leaf, end } = walk;
    for (let index = walk.start; index < end; index++) {
      if (visit(leaf.keys[index] as string, leaf.values[index] as V) === false) return;
    }
  }
}

/** The number of keys below `key`. */
function rankOf<V>(root: SortedNode<V>, key: string): number {
  const isNative = ordersNatively(key);
  let rank = 0;
  let node = root;
  while (!node.isLeaf) {
    const index = upperBound(node.keys, key, isNative);
    for (let before = 0; before < index; before++) rank += (node.children[before] as SortedNode<V>).size;
    node = node.children[index] as SortedNode<V>;
  }
  return rank + lowerBound(node.keys, key, isNative);
}

/**
 * Visits the leaves that hold a range, first to last.
 *
 * After `next()` returned true, the entries are those of `leaf` from `start` up to but not including `end`; at least one.
 * Assumes: the nodes do not change meanwhile, that is, they belong to a snapshot.
 */
export class LeafWalk<V> {
  leaf: Leaf<V>;
  start = 0;
  end = 0;
  readonly #to: string | undefined;
  readonly #isToNative: boolean;
  /** The path down to `leaf`, with the index of the next child of each branch. */
  readonly #path: { readonly branch: Branch<V>; nextChild: number }[] = [];
  #isFresh = true;
  #isLast = false;

  constructor(root: SortedNode<V>, range: SortedRange) {
    this.#to = range.to;
    this.#isToNative = range.to === undefined || ordersNatively(range.to);
    this.leaf = this.#descend(root, range.from);
    this.#bound(range.from);
  }

  next(): boolean {
    if (this.#isFresh) {
      this.#isFresh = false;
      if (this.start < this.end) return true;
    }
    if (this.#isLast || !this.#climb()) return false;
    this.#bound(undefined);
    return this.start < this.end;
  }

  #descend(from: SortedNode<V>, key: string | undefined): Leaf<V> {
    const isNative = key === undefined || ordersNatively(key);
    let node = from;
    while (!node.isLeaf) {
      const index = key === undefined ? 0 : upperBound(node.keys, key, isNative);
      this.#path.push({ branch: node, nextChild: index + 1 });
      node = node.children[index] as SortedNode<V>;
    }
    return node;
  }

  /** Moves to the next leaf to the right; `false` when there is none. */
  #climb(): boolean {
    for (;;) {
      const step = this.#path.at(-1);
      if (step === undefined) return false;
      const child = step.branch.children[step.nextChild];
      if (child !== undefined) {
        step.nextChild += 1;
        this.leaf = this.#descend(child, undefined);
        return true;
      }
      this.#path.pop();
    }
  }

  #bound(from: string | undefined): void {
    const { keys } = this.leaf;
    this.start = from === undefined ? 0 : lowerBound(keys, from, ordersNatively(from));
    this.end = keys.length;
    if (this.#to === undefined) return;
    const end = lowerBound(keys, this.#to, this.#isToNative);
    if (end === this.end) return;
    this.end = end;
    this.#isLast = true;
  }
}
