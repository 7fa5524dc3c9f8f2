import { deepEqual } from '../../base/index.ts';
import type { Shape } from '../evaluate/shape.ts';
import { UNKNOWN, type Type } from '../type-terms/index.ts';
import type { Failure } from '../values/index.ts';
import {
  type CelError,
  equal,
  fromJson,
  isMap,
  MapBase,
  mapFind,
  mapSize,
  noSuchOverload,
  Opaque,
  type CustomEquality,
  type Value,
} from '../values/index.ts';
import { escapeName, unescapeName } from './escape.ts';
import { rawOf } from './raw-value.ts';

/** How the entries of a JSON object are read. */
export interface EntryShapes {
  /** Whether keys are field names, which are escaped in expressions; then null fields count as absent. */
  readonly hasFields: boolean;
  /** The shape of a key's value; undefined when expressions cannot see it. */
  shapeOf(key: string): Shape | undefined;
}

/** A JSON object whose schema is known. */
export class TypedMap extends MapBase implements CustomEquality {
  get goName(): string {
    return '*common.unstructuredMap';
  }

  readonly raw: Readonly<Record<string, unknown>>;
  readonly #entries: EntryShapes;
  readonly isZero = false;

  constructor(raw: Readonly<Record<string, unknown>>, entries: EntryShapes) {
    super();
    this.raw = raw;
    this.#entries = entries;
  }

  get native(): Value {
    return this.raw;
  }

  get size(): number {
    return Object.keys(this.raw).length;
  }

  find(key: Value): Value | Failure | undefined {
    if (typeof key !== 'string') return noSuchOverload();
    const name = this.#entries.hasFields ? unescapeName(key) : key;
    if (name === undefined || !Object.hasOwn(this.raw, name)) return undefined;
    const raw = this.raw[name] ?? null;
    if (this.#entries.hasFields && raw === null) return undefined;
    return this.#entries.shapeOf(name)?.convert(raw);
  }

  /** The keys that expressions can see; null in place of the others, as in Kubernetes. */
  *keys(): Iterable<Value> {
    let hidden = 0;
    for (const key of Object.keys(this.raw)) {
      if (this.#entries.shapeOf(key) === undefined) hidden += 1;
      else yield this.#entries.hasFields ? (escapeName(key) ?? key) : key;
    }
    for (; hidden > 0; hidden--) yield null;
  }

  equalTo(other: Value): boolean | Failure {
    if (!isMap(other)) return noSuchOverload();
    if (this.size !== mapSize(other)) return false;
    for (const [key, value] of Object.entries(this.raw)) {
      const answer =
        this.#entries.shapeOf(key) === undefined ? equalRaw(key, value, other) : this.#equalEntry(key, other);
      if (answer !== true) return answer;
    }
    return true;
  }

  #equalEntry(key: string, other: Value): boolean | Failure {
    const [mine, theirs] = [this.find(key), mapFind(other as MapBase, key)];
    if (mine === undefined || theirs === undefined) return mine === theirs;
    return equal(mine, theirs);
  }
}

/** Data without a schema is compared as JSON; a key that the other object lacks is ignored. */
function equalRaw(key: string, value: unknown, other: Value): boolean | Failure {
  if (!(other instanceof TypedMap)) return noSuchOverload();
  return !Object.hasOwn(other.raw, key) || deepEqual(value, other.raw[key]);
}

/** Data that a schema preserves without describing it; it can only be compared. */
export class PreservedValue extends Opaque {
  readonly raw: unknown;

  constructor(raw: unknown) {
    super();
    this.raw = raw;
  }

  get goName(): string {
    return '*common.unknownPreserved';
  }

  override get type(): Type {
    return UNKNOWN;
  }

  get native(): Value {
    return fromJson(this.raw);
  }

  equals(other: Value): boolean | CelError {
    return deepEqual(this.raw, rawOf(other));
  }
}
