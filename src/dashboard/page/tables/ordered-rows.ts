import { rowComparer, sortRows, type Order } from './row-order.ts';
import type { Column, Row } from './table-rows.ts';

/** What became of one row; `before` is absent for a new one, `after` for one that is gone. */
export interface RowChange {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

export interface RowChoice {
  readonly columns: readonly Column[];
  readonly order: Order;
  /** Leaves rows out; undefined shows all. */
  readonly matches: ((row: Row) => boolean) | undefined;
}

/** With more changes at once than this share of the rows, sorting them all is quicker. */
const MANY = 1 / 8;

/** The rows of a list that match a filter, in order. A few changes cost a few searches, however long the list is. */
export class OrderedRows {
  readonly #choice: RowChoice;
  readonly #compare: (left: Row, right: Row) => number;
  #rows: readonly Row[];

  constructor(all: Iterable<Row>, choice: RowChoice) {
    this.#choice = choice;
    this.#compare = rowComparer(choice.columns, choice.order);
    this.#rows = this.#sorted(all);
  }

  /** Another array after each change, so that it can be compared by identity. */
  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Applies changes in the order in which they happened; `all` are the rows after them. */
  apply(changes: readonly RowChange[], all: Iterable<Row>): void {
    if (changes.length === 0) return;
    if (changes.length > this.#rows.length * MANY) {
      this.#rows = this.#sorted(all);
      return;
    }
    const { matches = () => true } = this.#choice;
    const rows = [...this.#rows];
    for (const { before, after } of changes) {
      const from = before !== undefined && matches(before) ? this.#placeOf(before, rows) : undefined;
      if (after === undefined || !matches(after)) {
        if (from !== undefined) rows.splice(from, 1);
      } else if (before !== undefined && from !== undefined && this.#compare(before, after) === 0) rows[from] = after;
      else {
        if (from !== undefined) rows.splice(from, 1);
        rows.splice(this.#placeOf(after, rows), 0, after);
      }
    }
    this.#rows = rows;
  }

  #sorted(all: Iterable<Row>): readonly Row[] {
    const { columns, order, matches } = this.#choice;
    const chosen = matches === undefined ? [...all] : [...all].filter(matches);
    return sortRows(chosen, columns, order);
  }

  /** The index of a row, or where it belongs. */
  #placeOf(row: Row, rows: readonly Row[]): number {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = rows[middle];
      if (other !== undefined && this.#compare(other, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
