import type { SortedMap } from './sorted-map.ts';
import { Branch, EditSession, type SortedNode } from './sorted-map-node.ts';
import { countIn, firstIn, lookUp } from './sorted-map-walk.ts';
import type { SortedRange, SortedView } from './sorted-view.ts';
import { ordersNatively } from './utf8-order.ts';

/**
 * A sorted map that changes in place, until somebody wants to keep what it looks like.
 *
 * Guarantees: `snapshot()` costs constant time, and no later edit shows in it; the editor goes on from there, copying a
 * node the first time it changes it again. Reading a range or iterating reads such a snapshot, so editing meanwhile is safe
 * and the loop sees the map as it was when it began.
 *
 * Example: set a, set b, s = snapshot(), set c. s has a and b; the next snapshot() has a, b and c and shares with s.
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

  /** Puts the value in and returns the one it replaces, if any. */
  set(key: string, value: V): V | undefined {
    const edit = this.#begin(key);
    this.#snapshot = undefined;
    const root = this.#root.set(edit, key, value);
    this.#root = edit.sibling === undefined ? root : Branch.over(edit, [edit.separator], [root, edit.sibling]);
    return takePrevious(edit);
  }

  /** Takes the key out and returns the value it had, if it was there. */
  delete(key: string): V | undefined {
    const edit = this.#begin(key);
    const root = this.#root.delete(edit, key);
    if (edit.sizeChange === 0) return undefined;
    this.#snapshot = undefined;
    this.#root = !root.isLeaf && root.width === 1 ? (root.children[0] as SortedNode<V>) : root;
    return takePrevious(edit);
  }

  /** The map as it is now, for keeps; constant time. The same object again when nothing has changed. */
  snapshot(): SortedMap<V> {
    if (this.#snapshot === undefined) {
      this.#session = new EditSession<V>(); // gives up the right to change what the snapshot now holds
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

/** Nodes hold on to their session, so it must not hold on to what they no longer contain. */
function takePrevious<V>(edit: EditSession<V>): V | undefined {
  const previous = edit.previous;
  edit.previous = undefined;
  edit.sibling = undefined;
  return previous;
}
