import { parseGoInteger, ValueError } from '../../api/client.ts';

/** An inclusive range of indexes. */
interface Interval {
  readonly first: number;
  readonly last: number;
}

/** Completion indexes as Jobs write them: `1,3-5,7`. Stored as intervals, so that large Jobs stay cheap. */
export class IndexSet {
  static readonly empty = new IndexSet([]);
  /** Ascending and not adjacent. */
  readonly #intervals: readonly Interval[];

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
  }

  static of(indexes: Iterable<number>): IndexSet {
    return new IndexSet(joined([...indexes].map((index) => ({ first: index, last: index }))));
  }

  /** Parses the indexes below `completions`; malformed parts are skipped. */
  static parse(text: string, completions: number): IndexSet {
    const intervals: Interval[] = [];
    for (const part of text === '' ? [] : text.split(',')) {
      const [first, last] = part.split('-').map(readIndex);
      if (first === undefined || (last === undefined && part.includes('-'))) continue;
      if (first >= completions) break;
      intervals.push({ first, last: Math.min(last ?? first, completions - 1) });
    }
    return new IndexSet(joined(intervals));
  }

  get size(): number {
    return this.#intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#intervals[middle]?.last ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return (this.#intervals[low]?.first ?? Infinity) <= index;
  }

  with(others: IndexSet): IndexSet {
    return new IndexSet(joined([...this.#intervals, ...others.#intervals]));
  }

  /** The number of indexes in both sets. */
  overlap(other: IndexSet): number {
    const theirs = other.#intervals;
    let count = 0;
    let position = 0;
    for (const { first, last } of this.#intervals) {
      while ((theirs[position]?.last ?? Infinity) < first) position++;
      for (let each = theirs[position]; each !== undefined && each.first <= last; each = theirs[position]) {
        count += Math.min(last, each.last) - Math.max(first, each.first) + 1;
        if (each.last > last) break;
        position++;
      }
    }
    return count;
  }

  /** The lowest missing indexes below `completions`, at most `count`. */
  firstMissing(count: number, completions: number): number[] {
    const missing: number[] = [];
    let next = 0;
    for (const { first, last } of [...this.#intervals, { first: completions, last: completions }]) {
      for (; next < Math.min(first, completions) && missing.length < count; next++) missing.push(next);
      next = Math.max(next, last + 1);
    }
    return missing;
  }

  toString(): string {
    return this.#intervals
      .map(({ first, last }) => (last === first ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
      .join();
  }
}

function readIndex(text: string): number | undefined {
  const value = parseGoInteger(text, 'Atoi');
  return value instanceof ValueError ? undefined : Number(value);
}

function joined(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const next of intervals.toSorted((left, right) => left.first - right.first)) {
    const before = result.at(-1);
    if (before === undefined || next.first > before.last + 1) result.push(next);
    else result[result.length - 1] = { first: before.first, last: Math.max(before.last, next.last) };
  }
  return result;
}
