import { compareUtf8 } from '../../base/index.ts';

/**
 * The order in which values of list keys and set items are sorted: numbers, then text, booleans, lists, objects, null.
 * Numbers compare by what they are worth, whether they were written as integers or not.
 */
export function compareValues(left: unknown, right: unknown): number {
  const rank = rankOf(left);
  const difference = rank - rankOf(right);
  if (difference !== 0) return difference;
  switch (rank) {
    case NUMBER:
      return compareNumbers(left as number | bigint, right as number | bigint);
    case TEXT:
      return compareUtf8(left as string, right as string);
    case BOOLEAN:
      return Number(left) - Number(right);
    case LIST:
      return compareLists(left as readonly unknown[], right as readonly unknown[]);
    case OBJECT:
      return compareObjects(left as object, right as object);
    default:
      return 0;
  }
}

const NUMBER = 0;
const TEXT = 1;
const BOOLEAN = 2;
const LIST = 3;
const OBJECT = 4;
const NULL = 5;

function rankOf(value: unknown): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return NUMBER;
    case 'string':
      return TEXT;
    case 'boolean':
      return BOOLEAN;
    default:
      return value === null || value === undefined ? NULL : Array.isArray(value) ? LIST : OBJECT;
  }
}

function compareNumbers(left: number | bigint, right: number | bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareLists(left: readonly unknown[], right: readonly unknown[]): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const order = compareValues(left[index], right[index]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareObjects(left: object, right: object): number {
  return compareLists(sortedEntries(left), sortedEntries(right));
}

function sortedEntries(value: object): unknown[] {
  return Object.entries(value)
    .sort(([left], [right]) => compareUtf8(left, right))
    .flat();
}
