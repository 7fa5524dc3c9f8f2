/** Keys from `from` (inclusive; absent: the first) to `to` (exclusive; absent: to the end), ordered by UTF-8 bytes. */
export interface SortedRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Read access to a sorted map, immutable or editable. Keys are in the order of their UTF-8 bytes. */
export interface SortedView<V> {
  readonly size: number;
  /** O(log n). */
  get(key: string): V | undefined;
  /** The number of keys in a range; O(log n). */
  count(range?: SortedRange): number;
  /** The first entry of a range; O(log n). */
  first(range?: SortedRange): [string, V] | undefined;
  /** Calls `visit` for each entry of a range in key order until it returns `false`. The fastest way to read a range. */
  visit(range: SortedRange, visit: (key: string, value: V) => boolean | void): void;
  keys(range?: SortedRange): IterableIterator<string>;
  values(range?: SortedRange): IterableIterator<V>;
  entries(range?: SortedRange): IterableIterator<[string, V]>;
}
