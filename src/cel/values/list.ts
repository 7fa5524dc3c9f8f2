import { Boxed, LIST, type Type } from '../type-terms/index.ts';
import { fromJson, type Value } from './value.ts';

/** A list that is no array. */
export abstract class ListValue extends Boxed {
  abstract readonly size: number;
  /** The element at a position from 0 up to the size. */
  abstract at(index: number): Value;

  override get type(): Type {
    return LIST;
  }

  /** Whether other integer types are not accepted as positions. */
  get isIndexedByIntOnly(): boolean {
    return false;
  }
}

export type List = readonly unknown[] | ListValue;

export function isList(value: Value): value is List {
  return Array.isArray(value) || value instanceof ListValue;
}

export function listSize(list: List): number {
  return list instanceof ListValue ? list.size : list.length;
}

export function listAt(list: List, index: number): Value {
  return list instanceof ListValue ? list.at(index) : fromJson(list[index]);
}

export function listItems(list: List): Value[] {
  const items: Value[] = [];
  for (let index = 0; index < listSize(list); index++) items.push(listAt(list, index));
  return items;
}

/** Up to this size, a concatenation is flattened when it is first read. */
const SMALL = 64;

/** Two concatenated lists, which are not copied: `+` takes constant time. */
export class Concatenation extends ListValue {
  readonly size: number;
  readonly #left: List;
  readonly #leftSize: number;
  readonly #right: List;
  #items: readonly Value[] | undefined;

  constructor(left: List, right: List) {
    super();
    this.#left = left;
    this.#leftSize = listSize(left);
    this.#right = right;
    this.size = this.#leftSize + listSize(right);
  }

  get goName(): string {
    return '*types.concatList';
  }

  at(index: number): Value {
    if (this.size <= SMALL) {
      this.#items ??= [...listItems(this.#left), ...listItems(this.#right)];
      return this.#items[index] as Value;
    }
    return index < this.#leftSize ? listAt(this.#left, index) : listAt(this.#right, index - this.#leftSize);
  }
}

export function concatenate(left: List, right: List): List {
  if (left instanceof GrowingList) return left.append(right);
  if (listSize(left) === 0) return right;
  return listSize(right) === 0 ? left : new Concatenation(left, right);
}

/**
 * The list that an empty accumulator becomes. Adding to it modifies it, as in Kubernetes: with `x` bound to an empty
 * list, `x + [1]` leaves `[1]` in `x`.
 */
export class GrowingList extends ListValue {
  readonly #items: Value[] = [];

  get goName(): string {
    return '*types.mutableList';
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    return this.#items[index] as Value;
  }

  append(other: List): this {
    const added = listSize(other);
    for (let index = 0; index < added; index++) this.#items.push(listAt(other, index));
    return this;
  }

  /** The collected elements, as an immutable list. */
  finish(): readonly Value[] {
    return this.#items;
  }
}
