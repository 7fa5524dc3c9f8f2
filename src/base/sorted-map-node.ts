import { insertAt, lowerBound, removeAt, upperBound } from './sorted-keys.ts';

/** Entries in a leaf, or children of a branch, at most. */
export const MAX_WIDTH = 32;
/** A node with fewer after a deletion takes entries from a neighbour or merges with it. */
export const MIN_WIDTH = 8;

/**
 * One editor between two snapshots: it may change the nodes that carry it as their owner, and must copy all others.
 *
 * The fields return an operation's other results besides the new node; the editor clears them before each operation.
 */
export class EditSession<V> {
  /** Whether `<` orders the key of this operation correctly; see utf8-order.ts. */
  isNative = true;
  previous: V | undefined = undefined;
  sizeChange: -1 | 0 | 1 = 0;
  /** Set by a node that split: its new right neighbour, and a lower bound of the keys in there. */
  sibling: SortedNode<V> | undefined = undefined;
  separator = '';
}

export type SortedNode<V> = Leaf<V> | Branch<V>;

/** Entries in key order, `values[i]` belonging to `keys[i]`. */
export class Leaf<V> {
  readonly isLeaf = true;
  readonly owner: EditSession<V> | undefined;
  readonly keys: string[];
  readonly values: V[];

  constructor(owner: EditSession<V> | undefined, keys: string[], values: V[]) {
    this.owner = owner;
    this.keys = keys;
    this.values = values;
  }

  get size(): number {
    return this.keys.length;
  }

  get width(): number {
    return this.keys.length;
  }

  set(edit: EditSession<V>, key: string, value: V): Leaf<V> {
    const index = lowerBound(this.keys, key, edit.isNative);
    const leaf = this.ownedBy(edit);
    if (leaf.keys[index] === key) {
      edit.previous = leaf.values[index];
      leaf.values[index] = value;
      return leaf;
    }
    edit.sizeChange = 1;
    insertAt(leaf.keys, index, key);
    insertAt(leaf.values, index, value);
    if (leaf.width > MAX_WIDTH) leaf.splitAt(edit, splitPoint(leaf.width, index));
    return leaf;
  }

  delete(edit: EditSession<V>, key: string): Leaf<V> {
    const index = lowerBound(this.keys, key, edit.isNative);
    if (this.keys[index] !== key) return this;
    const leaf = this.ownedBy(edit);
    edit.sizeChange = -1;
    edit.previous = leaf.values[index];
    removeAt(leaf.keys, index);
    removeAt(leaf.values, index);
    return leaf;
  }

  ownedBy(edit: EditSession<V>): Leaf<V> {
    return this.owner === edit ? this : new Leaf(edit, this.keys.slice(), this.values.slice());
  }

  /** Appends the entries of the right neighbour; only for a leaf that the session owns. */
  absorb(right: Leaf<V>): void {
    for (let index = 0; index < right.keys.length; index++) {
      this.keys.push(right.keys[index] as string);
      this.values.push(right.values[index] as V);
    }
  }

  /** Moves everything from `at` on into a new right sibling, and stores that in the session. */
  splitAt(edit: EditSession<V>, at: number): void {
    const sibling = new Leaf(edit, this.keys.splice(at), this.values.splice(at));
    edit.sibling = sibling;
    edit.separator = sibling.keys[0] as string;
  }
}

/** Children in key order; every key under `children[i]` is below `keys[i]`, every key under `children[i + 1]` is not. */
export class Branch<V> {
  readonly isLeaf = false;
  readonly owner: EditSession<V> | undefined;
  readonly keys: string[];
  readonly children: SortedNode<V>[];
  /** Entries in all leaves below. */
  size = 0;

  constructor(owner: EditSession<V> | undefined, keys: string[], children: SortedNode<V>[]) {
    this.owner = owner;
    this.keys = keys;
    this.children = children;
  }

  /** A branch whose `size` is not computed yet. */
  static over<V>(edit: EditSession<V> | undefined, keys: string[], children: SortedNode<V>[]): Branch<V> {
    const branch = new Branch(edit, keys, children);
    for (let index = 0; index < children.length; index++) branch.size += (children[index] as SortedNode<V>).size;
    return branch;
  }

  get width(): number {
    return this.children.length;
  }

  set(edit: EditSession<V>, key: string, value: V): Branch<V> {
    const index = upperBound(this.keys, key, edit.isNative);
    const child = (this.children[index] as SortedNode<V>).set(edit, key, value);
    const branch = this.ownedBy(edit);
    branch.children[index] = child;
    branch.size += edit.sizeChange;
    if (edit.sibling !== undefined) branch.#adopt(edit, index + 1);
    return branch;
  }

  delete(edit: EditSession<V>, key: string): Branch<V> {
    const index = upperBound(this.keys, key, edit.isNative);
    const child = (this.children[index] as SortedNode<V>).delete(edit, key);
    if (edit.sizeChange === 0) return this;
    const branch = this.ownedBy(edit);
    branch.children[index] = child;
    branch.size += edit.sizeChange;
    if (child.width < MIN_WIDTH) branch.#joinChildren(edit, index === 0 ? 0 : index - 1);
    return branch;
  }

  ownedBy(edit: EditSession<V>): Branch<V> {
    if (this.owner === edit) return this;
    const copy = new Branch(edit, this.keys.slice(), this.children.slice());
    copy.size = this.size;
    return copy;
  }

  absorb(right: Branch<V>, separator: string): void {
    this.keys.push(separator, ...right.keys);
    this.children.push(...right.children);
    this.size += right.size;
  }

  splitAt(edit: EditSession<V>, at: number): void {
    const keys = this.keys.splice(at);
    const sibling = Branch.over(edit, keys, this.children.splice(at));
    this.size -= sibling.size;
    edit.sibling = sibling;
    edit.separator = this.keys.pop() as string;
  }

  /** Inserts the sibling that a child stored in the session at `index`. */
  #adopt(edit: EditSession<V>, index: number): void {
    insertAt(this.keys, index - 1, edit.separator);
    insertAt(this.children, index, edit.sibling as SortedNode<V>);
    edit.sibling = undefined;
    if (this.width > MAX_WIDTH) this.splitAt(edit, splitPoint(this.width, index));
  }

  /** Merges the children at `left` and `left + 1`; if they do not fit into one node, distributes their entries evenly. */
  #joinChildren(edit: EditSession<V>, left: number): void {
    const separator = this.keys[left] as string;
    const joined = joinNodes(
      edit,
      [this.children[left] as SortedNode<V>, this.children[left + 1] as SortedNode<V>],
      separator,
    );
    this.children[left] = joined;
    if (joined.width <= MAX_WIDTH) {
      removeAt(this.keys, left);
      removeAt(this.children, left + 1);
      return;
    }
    joined.splitAt(edit, joined.width >> 1);
    this.keys[left] = edit.separator;
    this.children[left + 1] = edit.sibling as SortedNode<V>;
    edit.sibling = undefined;
  }
}

function joinNodes<V>(
  edit: EditSession<V>,
  [left, right]: readonly [SortedNode<V>, SortedNode<V>],
  separator: string,
): SortedNode<V> {
  const joined = left.ownedBy(edit);
  if (joined.isLeaf) joined.absorb(right as Leaf<V>);
  else joined.absorb(right as Branch<V>, separator);
  return joined;
}

/** Maps are usually filled in key order, so a node that overflows at its end keeps most of its entries. */
function splitPoint(width: number, insertedAt: number): number {
  return insertedAt === width - 1 ? width - MIN_WIDTH - 1 : width >> 1;
}
