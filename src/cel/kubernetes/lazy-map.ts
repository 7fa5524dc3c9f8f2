import { objectType, type Type } from '../type-terms/index.ts';
import { type Failure, MapBase, noSuchOverload, type CustomEquality, type Value } from '../values/index.ts';
import { unescapeName } from './escape.ts';

/**
 * A map whose values are computed when first read, and then kept. As in Kubernetes, it supports less than other maps:
 * it has no size and no `in`.
 */
export class LazyMap extends MapBase implements CustomEquality {
  readonly goName = '*lazy.MapValue';
  readonly #type: Type;
  readonly #makers: ReadonlyMap<string, () => Value>;
  readonly #values = new Map<string, Value>();

  constructor(typeName: string, makers: ReadonlyMap<string, () => Value>) {
    super();
    this.#type = objectType(typeName);
    this.#makers = makers;
  }

  override get type(): Type {
    return this.#type;
  }

  get size(): number {
    return this.#makers.size;
  }

  override get length(): undefined {
    return undefined;
  }

  /** `in` does not support such maps. */
  override has(): Failure {
    return noSuchOverload();
  }

  find(key: Value): Value | Failure | undefined {
    if (typeof key !== 'string') return noSuchOverload();
    const name = unescapeName(key);
    return name === undefined ? undefined : this.#value(name);
  }

  /** Iterating such a map yields its values, as in Kubernetes. */
  *keys(): Iterable<Value> {
    for (const name of this.#makers.keys()) yield this.#value(name) as Value;
  }

  equalTo(other: Value): boolean | Failure {
    return other instanceof LazyMap ? other === this : noSuchOverload();
  }

  #value(name: string): Value | undefined {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const value = this.#makers.get(name)?.();
    if (value !== undefined) this.#values.set(name, value);
    return value;
  }
}
