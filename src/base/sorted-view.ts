/** Keys from `from` (inclusive; absent: the first) to `to` (exclusive; absent: to the end), ordered by UTF-8 bytes. */
export interface SortedRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** What can be read from a sorted map, whether it is fixed or being edited. Keys are ordered as their UTF-8 bytes are. */
export interface SortedView<V> {
  readonly size: number;
  /** O(log n). */
  get(key: string): V | undefined;
  /** How many keys a range has; O(log n), however many they are. */
  count(range?: SortedRange): number;
  /** The first entry of a range; O(log n). */
  first(range?: SortedRange): [string, V] | undefined;
  /** Calls `visit` for each entry of a range in key order until it returns `false`. The fastest way through a range. */
  visit(range: SortedRange, visit: (key: string, value: V) => boolean | void): void;
  keys(range?: SortedRange): IterableIterator<string>;
  values(range?: SortedRange): IterableIterator<V>;
  entries(range?: SortedRange): IterableIterator<[string, V]>;
}
