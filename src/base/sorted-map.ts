import { SortedMapEditor } from './sorted-map-editor.ts';
import { Leaf, type SortedNode } from './sorted-map-node.ts';
import { countIn, firstIn, LeafWalk, lookUp } from './sorted-map-walk.ts';
import type { SortedRange, SortedView } from './sorted-view.ts';

/**
 * An ordered map from string to V that never changes: edits give a new map which shares all untouched nodes with the old.
 *
 * It is a B+ tree of up to 32 entries a node. One `set` or `delete` copies one node per level (3 or 4 for 100,000 keys);
 * for many edits in a row take an editor, which copies each node once.
 *
 * Guarantees: readers need no locks or copies, whatever is edited elsewhere; keeping an old map keeps only the nodes
 * that have changed since.
 * Assumes: V is not `undefined` (it could not be told from an absent key); lone surrogates order by their own number.
 *
 * Example: a = {x: 1}; b = a.set('y', 2). Now a has one key and b has two, for as long as anybody holds them.
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

  /** This very map if the key is not there. */
  delete(key: string): SortedMap<V> {
    const editor = this.editable();
    editor.delete(key);
    return editor.snapshot();
  }

  /** An editor that starts from this map and leaves it as it is; constant time. */
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
    const walk = new LeafWalk(this.#root, range);
    while (walk.next()) {
      const { leaf, end } = walk;
      for (let index = walk.start; index < end; index++) {
        if (visit(leaf.keys[index] as string, leaf.values[index] as V) === false) return;
      }
    }
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
