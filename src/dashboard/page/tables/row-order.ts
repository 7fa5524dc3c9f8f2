import type { Column, Row } from './table-rows.ts';

export interface Order {
  /** A column's name; `Namespace` is the namespace. */
  readonly by: string;
  readonly isDescending: boolean;
}

type Value = string | number;

/** Sorts in place. */
export function sortRows(rows: Row[], columns: readonly Column[], order: Order): Row[] {
  const valueOf = readerOf(columns, order.by);
  const sign = order.isDescending ? -1 : 1;
  const values = new Map(rows.map((row) => [row, valueOf(row)]));
  return rows.sort((left, right) => {
    const compared = compare(values.get(left) ?? '', values.get(right) ?? '');
    return compared === 0 ? compare(left.id, right.id) : sign * compared;
  });
}

/** The order of two rows, as `sortRows` has it: for a few rows. */
export function rowComparer(columns: readonly Column[], order: Order): (left: Row, right: Row) => number {
  const valueOf = readerOf(columns, order.by);
  const sign = order.isDescending ? -1 : 1;
  return (left, right) => {
    const compared = compare(valueOf(left), valueOf(right));
    return compared === 0 ? compare(left.id, right.id) : sign * compared;
  };
}

function readerOf(columns: readonly Column[], by: string): (row: Row) => Value {
  if (by === 'Namespace') return (row) => row.namespace;
  if (by === 'Age') return (row) => -row.createdMs;
  const index = columns.findIndex(({ name }) => name === by);
  const isName = index < 0 || columns[index]?.format === 'name';
  if (isName) return (row) => row.name;
  return (row) => numberIn(row.cells[index] ?? '');
}

/** `3`, `3/5` and `12 (3m ago)` are in order of the number in front. */
function numberIn(cell: string): Value {
  const match = /^-?\d+(\.\d+)?(?=$|[ /%])/.exec(cell);
  return match === null ? cell : Number(match[0]);
}

function compare(left: Value, right: Value): number {
  if (typeof left !== typeof right) return typeof left === 'number' ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}
