import type { Shape } from '../evaluate/shape.ts';
import type { CustomAddition } from '../library/standard/arithmetic.ts';
import {
  Breakdown,
  Double,
  equal,
  Failure,
  goNativeName,
  isList,
  isMap,
  listAt,
  listItems,
  listSize,
  ListValue,
  noSuchOverload,
  type CustomEquality,
  type CustomSearch,
  type Value,
} from '../values/index.ts';
import { rawOf } from './raw-value.ts';

/** A list whose schema is known. */
export class TypedList extends ListValue implements CustomEquality, CustomSearch, CustomAddition {
  get goName(): string {
    return '*common.unstructuredList';
  }

  readonly raw: readonly unknown[];
  protected readonly item: Shape;
  /** Kubernetes never counts such a list as a zero value, even when it is empty. */
  readonly isZero = false;

  constructor(raw: readonly unknown[], item: Shape) {
    super();
    this.raw = raw;
    this.item = item;
  }

  get native(): Value {
    return this.raw;
  }

  override get isIndexedByIntOnly(): boolean {
    return true;
  }

  get size(): number {
    return this.raw.length;
  }

  at(index: number): Value {
    return this.item.convert(this.raw[index] ?? null);
  }

  equalTo(other: Value): boolean | Failure {
    if (!isList(other)) return noSuchOverload();
    if (this.size !== listSize(other)) return false;
    for (let index = 0; index < this.size; index++) {
      const answer = equal(this.at(index), listAt(other, index));
      if (answer !== true) return answer;
    }
    return true;
  }

  includes(value: Value): boolean | Failure {
    let failure: Failure | undefined;
    for (let index = 0; index < this.size; index++) {
      const answer = equal(this.at(index), value);
      if (answer === true) return true;
      if (answer instanceof Failure) failure ??= answer;
    }
    return failure ?? false;
  }

  plus(other: Value): Value {
    if (!isList(other)) return noSuchOverload();
    return new TypedList([...this.raw, ...listItems(other).map(rawOf)], this.item);
  }
}

/** A list without order or duplicates. */
export class SetList extends TypedList {
  override get goName(): string {
    return '*common.unstructuredSetList';
  }

  override equalTo(other: Value): boolean | Failure {
    if (!isList(other)) return noSuchOverload();
    if (this.size !== listSize(other)) return false;
    const keys = new Set(this.raw.map(rawKey));
    return listItems(other).every((item) => keys.has(valueKey(item)));
  }

  override plus(other: Value): Value {
    if (!isList(other)) return noSuchOverload();
    const keys = new Set(this.raw.map(rawKey));
    const added: unknown[] = [];
    for (const item of listItems(other)) {
      if (keys.has(valueKey(item))) continue;
      keys.add(valueKey(item));
      added.push(rawOf(item));
    }
    return new SetList([...this.raw, ...added], this.item);
  }
}

/** Elements are compared as Kubernetes does: the raw JSON with the value computed by the expression. */
function rawKey(raw: unknown): string {
  return typeof raw === 'number' && !Number.isInteger(raw) ? `double ${raw}` : `${typeof raw} ${String(raw)}`;
}

function valueKey(value: Value): string {
  if (value instanceof Double) return `double ${value.value}`;
  if (isList(value) || isMap(value) || value instanceof Uint8Array) {
    throw new Breakdown(`internal error: runtime error: hash of unhashable type ${goNativeName(value)}`);
  }
  return typeof value === 'object' ? 'object' : `${typeof value} ${String(value)}`;
}

/** A list whose elements are identified by some of their fields. */
export class MapList extends TypedList {
  override get goName(): string {
    return '*common.unstructuredMapList';
  }

  readonly #keys: readonly string[];

  constructor(raw: readonly unknown[], item: Shape, keys: readonly string[]) {
    super(raw, item);
    this.#keys = keys;
  }

  override equalTo(other: Value): boolean | Failure {
    if (!isList(other)) return noSuchOverload();
    if (this.size !== listSize(other)) return false;
    const byKey = new Map(this.raw.map((element) => [this.#keyOf(element), element]));
    for (const item of listItems(other)) {
      const key = this.#keyOf(rawOf(item));
      if (!byKey.has(key)) return false;
      const answer = equal(this.item.convert(byKey.get(key)), item);
      if (answer !== true) return answer;
    }
    return true;
  }

  /** Elements with an existing key replace it, others are appended. */
  override plus(other: Value): Value {
    if (!isList(other)) return noSuchOverload();
    const merged = [...this.raw];
    const places = new Map(merged.map((element, at) => [this.#keyOf(element), at]));
    for (const item of listItems(other)) {
      const element = rawOf(item);
      const place = places.get(this.#keyOf(element));
      if (place === undefined) merged.push(element);
      else merged[place] = element;
    }
    return new MapList(merged, this.item, this.#keys);
  }

  #keyOf(element: unknown): string {
    const fields = (element ?? {}) as Readonly<Record<string, unknown>>;
    return JSON.stringify(
      this.#keys.map((key) => (typeof fields[key] === 'bigint' ? `${fields[key]}n` : (fields[key] ?? null))),
    );
  }
}
