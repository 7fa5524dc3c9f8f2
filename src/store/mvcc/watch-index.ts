import { contains, prefixRange, singleKey } from '../key-range.ts';
import type { KeyRange } from '../store.ts';

/** Something interested in a range of keys. */
export interface Interested {
  readonly range: KeyRange;
}

/**
 * Finds the items interested in a key without visiting all of them.
 *
 * Each range is filed under one place that all of its keys share: the key itself for a range of one key, otherwise a
 * prefix that ends in a slash (or is empty). A key is then looked up under itself and under each of its own such
 * prefixes, which are few, however many watches there are.
 *
 * Example: a watch on '/registry/pods/' is filed there. The key '/registry/pods/default/web' looks under itself, '',
 * '/', '/registry/', '/registry/pods/' and '/registry/pods/default/'.
 */
export class WatchIndex<T extends Interested> {
  readonly #places = new Map<string, Set<T>>();

  add(item: T): void {
    const place = placeOf(item.range);
    const there = this.#places.get(place);
    if (there === undefined) this.#places.set(place, new Set([item]));
    else there.add(item);
  }

  delete(item: T): void {
    const place = placeOf(item.range);
    const there = this.#places.get(place);
    if (there?.delete(item) === true && there.size === 0) this.#places.delete(place);
  }

  /** Calls `visit` for each item whose range has the key. */
  visit(key: string, visit: (item: T) => void): void {
    if (this.#places.size === 0) return;
    this.#visitPlace('', key, visit);
    for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
      this.#visitPlace(key.slice(0, slash + 1), key, visit);
    }
    if (!key.endsWith('/')) this.#visitPlace(key, key, visit);
  }

  #visitPlace(place: string, key: string, visit: (item: T) => void): void {
    const there = this.#places.get(place);
    if (there === undefined) return;
    for (const item of there) if (contains(item.range, key)) visit(item);
  }
}

function placeOf(range: KeyRange): string {
  if (range.to === singleKey(range.from).to) return range.from;
  const shared = range.to === prefixRange(range.from).to ? range.from : sharedStart(range.from, range.to);
  return shared.slice(0, shared.lastIndexOf('/') + 1);
}

/** The common prefix of `from` and `to`, with which every key between them starts. */
function sharedStart(from: string, to: string): string {
  let length = 0;
  while (length < from.length && from.charCodeAt(length) === to.charCodeAt(length)) length += 1;
  return from.slice(0, length);
}
