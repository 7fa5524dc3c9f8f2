import { Boxed, MAP, type Type } from '../type-terms/index.ts';
import { doubleToInt, type Int } from './int.ts';
import { requireHashable } from './hashable.ts';
import { Duration } from './duration.ts';
import { CelError, Failure } from './failure.ts';
import { Timestamp } from './timestamp.ts';
import { doubleToUint, Uint } from './uint.ts';
import { Double, fromJson, isJsonObject, type JsonObject, type Value } from './value.ts';

/** A map that is no plain object. */
export abstract class MapBase extends Boxed {
  abstract readonly size: number;
  /** The value of a key; undefined when the key is not there. A key of a wrong type may be an error. */
  abstract find(key: Value): Value | Failure | undefined;
  abstract keys(): Iterable<Value>;

  /** What `size()` says; undefined when it does not take such maps. */
  get length(): number | undefined {
    return this.size;
  }

  /** Whether a key is there, for `in`. */
  has(key: Value): boolean | Failure {
    const found = this.find(key);
    return found instanceof Failure ? found : found !== undefined;
  }

  override get type(): Type {
    return MAP;
  }
}

export type MapLike = JsonObject | MapBase;

export function isMap(value: Value): value is MapLike {
  return value instanceof MapBase || isJsonObject(value);
}

export function mapSize(map: MapLike): number {
  return map instanceof MapBase ? map.size : Object.keys(map).length;
}

export function mapFind(map: MapLike, key: Value): Value | Failure | undefined {
  if (map instanceof MapBase) return map.find(key);
  return typeof key === 'string' && Object.hasOwn(map, key) ? fromJson(map[key]) : undefined;
}

export function mapKeys(map: MapLike): Iterable<Value> {
  return map instanceof MapBase ? map.keys() : Object.keys(map);
}

/** A map that an expression made: keys of any scalar type, in the order in which they were added. */
export class MapValue extends MapBase {
  readonly #plain = new Map<Value, Value>();
  /** Boxed keys, by their text: equal ones are the same key. */
  readonly #boxed = new Map<string, { readonly key: Value; readonly value: Value }>();

  static from(entries: Iterable<readonly [Value, Value]>): MapValue {
    const map = new MapValue();
    for (const [key, value] of entries) map.set(key, value);
    return map;
  }

  get goName(): string {
    return '*types.baseMap';
  }

  override has(key: Value): boolean {
    if (this.size === 0) return false;
    requireHashable(key);
    return this.find(key) !== undefined;
  }

  get size(): number {
    return this.#plain.size + this.#boxed.size;
  }

  set(key: Value, value: Value): void {
    const text = boxedKey(key);
    if (text === undefined) this.#plain.set(key, value);
    else this.#boxed.set(text, { key, value });
  }

  delete(key: Value): void {
    const text = boxedKey(key);
    if (text === undefined) this.#plain.delete(key);
    else this.#boxed.delete(text);
  }

  find(key: Value): Value | undefined {
    const found = this.#get(key);
    return found === undefined ? this.#findNumber(key) : found;
  }

  /** Numbers of different types are the same key when they are equal. */
  #findNumber(key: Value): Value | undefined {
    if (key instanceof Double) {
      const int = doubleToInt(key.value);
      const isWhole = Number.isInteger(key.value);
      const found = isWhole && !(int instanceof CelError) ? this.#get(int) : undefined;
      if (found !== undefined) return found;
      const uint = doubleToUint(key.value);
      return isWhole && uint instanceof Uint ? this.#get(uint) : undefined;
    }
    if (key instanceof Uint) return key.value < 2n ** 63n ? this.#get(shortest(key.value)) : undefined;
    if (typeof key === 'number' || typeof key === 'bigint')
      return key < 0 ? undefined : this.#get(new Uint(BigInt(key)));
    return undefined;
  }

  *keys(): Iterable<Value> {
    yield* this.#plain.keys();
    for (const { key } of this.#boxed.values()) yield key;
  }

  #get(key: Value): Value | undefined {
    const text = boxedKey(key);
    return text === undefined ? this.#plain.get(key) : this.#boxed.get(text)?.value;
  }
}

function boxedKey(key: Value): string | undefined {
  if (key instanceof Uint) return `${key.value}u`;
  if (key instanceof Double) return `${key.value}d`;
  if (key instanceof Duration) return `${key.nanos}ns`;
  return key instanceof Timestamp ? key.toString() : undefined;
}

function shortest(value: bigint): Int {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
