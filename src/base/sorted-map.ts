import { Branch, EditSession, Leaf, type SortedNode } from './sorted-map-node.ts';
import { treeOf } from './sorted-map-tree.ts';
import { countIn, firstIn, LeafWalk, lookUp, visitIn } from './sorted-map-walk.ts';
import type { SortedRange, SortedView } from './sorted-view.ts';
import { ordersNatively } from './utf8-order.ts';

/**
 * An immutable ordered map from string to V: an edit returns a new map which shares all untouched nodes with the old one.
 *
 * It is a B+ tree of up to 32 entries per node. One `set` or `delete` copies one node per level (3 or 4 for 100,000 keys);
 * for many edits in a row use an editor, which copies each node once.
 *
 * Guarantees: readers need no locks or copies, whatever is edited elsewhere; keeping an old map keeps only the nodes that
 * have changed since.
 * Assumes: V is not `undefined` (which stands for an absent key); lone surrogates are ordered by their code unit.
 *
 * Example: a = {x: 1}; b = a.set('y', 2). From now on a has one key and b has two.
 */
export class SortedMap<V> implements SortedView<V> {
  readonly #root: SortedNode<V>;

  private constructor(root: SortedNode<V>) {
    this.#root = root;
  }

  static empty<V>(): SortedMap<V> {
    return new SortedMap<V>(new Leaf<V>(undefined, [], []));
  }

  /** Later entries win over earlier ones with the same key. */
  static from<V>(entries: Iterable<readonly [string, V]>): SortedMap<V> {
    const editor = SortedMap.empty<V>().editable();
    for (const [key, value] of entries) editor.set(key, value);
    return editor.snapshot();
  }

  /** `values[i]` belongs to `keys[i]`. Throws a RangeError unless the keys are strictly ascending. */
  static fromSorted<V>(keys: readonly string[], values: readonly V[]): SortedMap<V> {
    return new SortedMap<V>(treeOf(keys, values));
  }

  get size(): number {
    return this.#root.size;
  }

  get(key: string): V | undefined {
    return lookUp(this.#root, key);
  }

  set(key: string, value: V): SortedMap<V> {
    const editor = this.editable();
    editor.set(key, value);
    return editor.snapshot();
  }

  /** The same map if the key is absent. */
  delete(key: string): SortedMap<V> {
    const editor = this.editable();
    editor.delete(key);
    return editor.snapshot();
  }

  /** An editor that starts from this map without changing it; constant time. */
  editable(): SortedMapEditor<V> {
    return new SortedMapEditor(this, this.#root, (root) => new SortedMap(root));
  }

  count(range: SortedRange = {}): number {
    return countIn(this.#root, range);
  }

  first(range: SortedRange = {}): [string, V] | undefined {
    return firstIn(this.#root, range);
  }

  visit(range: SortedRange, visit: (key: string, value: V) => boolean | void): void {
    visitIn(this.#root, range, visit);
  }

  *keys(range: SortedRange = {}): IterableIterator<string> {
    const walk = new LeafWalk(this.#root, range);
    while (walk.next()) {
      const { leaf, end } = walk;
      for (let index = walk.start; index < end; index++) yield leaf.keys[index] as string;
    }
  }

  *values(range: SortedRange = {}): IterableIterator<V> {
    const walk = new LeafWalk(this.#root, range);
    while (walk.next()) {
      const { leaf, end } = walk;
      for (let index = walk.start; index < end; index++) yield leaf.values[index] as V;
    }
  }

  *entries(range: SortedRange = {}): IterableIterator<[string, V]> {
    const walk = new LeafWalk(this.#root, range);
    while (walk.next()) {
      const { leaf, end } = walk;
      for (let index = walk.start; index < end; index++) yield [leaf.keys[index] as string, leaf.values[index] as V];
    }
  }

  [Symbol.iterator](): IterableIterator<[string, V]> {
    return this.entries();
  }
}

/**
 * A sorted map that changes in place, except for what its snapshots hold.
 *
 * Guarantees: `snapshot()` costs constant time, and no later edit shows in it; the editor copies a node the first time it
 * changes it after a snapshot. Reading a range or iterating reads such a snapshot, so editing meanwhile is safe and the loop
 * sees the map as it was when it began.
 *
 * Example: set a, set b, s = snapshot(), set c. s has a and b; the next snapshot() has a, b and c and shares nodes with s.
 */
export class SortedMapEditor<V> implements SortedView<V> {
  readonly #wrap: (root: SortedNode<V>) => SortedMap<V>;
  #root: SortedNode<V>;
  #session = new EditSession<V>();
  /** The last snapshot, while nothing has changed since. */
  #snapshot: SortedMap<V> | undefined;

  /** Use `SortedMap.editable()`. */
  constructor(map: SortedMap<V>, root: SortedNode<V>, wrap: (root: SortedNode<V>) => SortedMap<V>) {
    this.#snapshot = map;
    this.#root = root;
    this.#wrap = wrap;
  }

  get size(): number {
    return this.#root.size;
  }

  get(key: string): V | undefined {
    return lookUp(this.#root, key);
  }

  /** Sets the value and returns the previous one, if any. */
  set(key: string, value: V): V | undefined {
    const edit = this.#begin(key);
    this.#snapshot = undefined;
    const root = this.#root.set(edit, key, value);
    this.#root = edit.sibling === undefined ? root : Branch.over(edit, [edit.separator], [root, edit.sibling]);
    return takePrevious(edit);
  }

  /** Deletes the key and returns its value, if it was present. */
  delete(key: string): V | undefined {
    const edit = this.#begin(key);
    const root = this.#root.delete(edit, key);
    if (edit.sizeChange === 0) return undefined;
    this.#snapshot = undefined;
    this.#root = !root.isLeaf && root.width === 1 ? (root.children[0] as SortedNode<V>) : root;
    return takePrevious(edit);
  }

  /** An immutable copy of the map in constant time. Returns the same object when nothing has changed. */
  snapshot(): SortedMap<V> {
    if (this.#snapshot === undefined) {
      this.#session = new EditSession<V>(); // the editor no longer owns the nodes that the snapshot holds
      this.#snapshot = this.#wrap(this.#root);
    }
    return this.#snapshot;
  }

  count(range: SortedRange = {}): number {
    return countIn(this.#root, range);
  }

  first(range: SortedRange = {}): [string, V] | undefined {
    return firstIn(this.#root, range);
  }

  visit(range: SortedRange, visit: (key: string, value: V) => boolean | void): void {
    this.snapshot().visit(range, visit);
  }

  /** As `visit`, for a visitor that edits nothing: no snapshot is made, which would force the next edits to copy nodes. */
  look(range: SortedRange, visit: (key: string, value: V) => boolean | void): void {
    visitIn(this.#root, range, visit);
  }

  keys(range?: SortedRange): IterableIterator<string> {
    return this.snapshot().keys(range);
  }

  values(range?: SortedRange): IterableIterator<V> {
    return this.snapshot().values(range);
  }

  entries(range?: SortedRange): IterableIterator<[string, V]> {
    return this.snapshot().entries(range);
  }

  #begin(key: string): EditSession<V> {
    const edit = this.#session;
    edit.isNative = ordersNatively(key);
    edit.sizeChange = 0;
    return edit;
  }
}

/** Nodes reference their session, so it must not keep a value that they no longer contain. */
function takePrevious<V>(edit: EditSession<V>): V | undefined {
  const previous = edit.previous;
  edit.previous = undefined;
  edit.sibling = undefined;
  return previous;
}
