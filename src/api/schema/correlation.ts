import { deepEqual } from '../../base/index.ts';
import { isPlainObject, type PlainObject } from '../json/plain-object.ts';
import type { ListShape, Shape } from './schema.ts';

/**
 * A value of a structural type beside its previous value. Validation descends both together; a part without a known
 * previous value has no correlation.
 *
 * Example: items of a keyed list are matched by their keys, wherever they have moved to; items of other lists are not.
 * Bounded: every pair of values is compared once, however often it is asked for.
 */
export class Correlation {
  readonly #value: unknown;
  readonly #old: unknown;
  readonly #shape: Shape;
  #children: Map<string | number, Correlation | undefined> | undefined;
  #keyed: KeyedItems | undefined;
  #isUnchanged: boolean | undefined;

  constructor(value: unknown, old: unknown, shape: Shape) {
    this.#value = value;
    this.#old = old;
    this.#shape = shape;
  }

  /** The member of this name, if it existed before and the schema describes it. */
  key(name: string): Correlation | undefined {
    return this.#child(name, () => {
      if (!isPlainObject(this.#value) || !isPlainObject(this.#old)) return undefined;
      if (!Object.hasOwn(this.#value, name) || !Object.hasOwn(this.#old, name)) return undefined;
      const shape = memberShape(this.#shape, name);
      return shape === undefined ? undefined : new Correlation(this.#value[name], this.#old[name], shape);
    });
  }

  /** The item at this index of a keyed list, if one with its keys existed before. */
  index(place: number): Correlation | undefined {
    return this.#child(place, () => {
      if (this.#shape.kind !== 'list' || this.#shape.listType !== 'map') return undefined;
      if (!Array.isArray(this.#value) || !Array.isArray(this.#old)) return undefined;
      const item: unknown = this.#value[place];
      this.#keyed ??= new KeyedItems(this.#old, this.#shape);
      const old = this.#keyed.find(item);
      return old === undefined ? undefined : new Correlation(item, old, this.#shape.element);
    });
  }

  /** Whether the value is unchanged as far as the schema describes it; other parts may have changed. */
  get isUnchanged(): boolean {
    return (this.#isUnchanged ??= this.#compare());
  }

  #child(at: string | number, make: () => Correlation | undefined): Correlation | undefined {
    this.#children ??= new Map();
    const known = this.#children.get(at);
    if (known !== undefined || this.#children.has(at)) return known;
    const made = make();
    this.#children.set(at, made);
    return made;
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (this.#shape.kind !== 'list' || this.#shape.listType !== 'map') return deepEqual(value, old);
      return value.every((_, place) => this.index(place)?.isUnchanged === true);
    }
    if (isPlainObject(value) && isPlainObject(old)) {
      const names = Object.keys(value);
      return names.length === Object.keys(old).length && names.every((name) => this.key(name)?.isUnchanged === true);
    }
    return deepEqual(value, old);
  }
}

const TEXT: Shape = { kind: 'scalar', scalar: 'string' };

/** The shape of a member; of metadata, whose type is not the schema's own, it may have rules for some. */
function memberShape(shape: Shape, name: string): Shape | undefined {
  if (shape.kind === 'map') return isUndescribed(shape.value) ? undefined : shape.value;
  if (shape.kind !== 'struct') return undefined;
  const { struct, constraints } = shape;
  if (struct.isStructural !== true) return constraints?.properties?.[name] === undefined ? undefined : TEXT;
  const field = struct.field(name);
  return field === undefined || field.isImplied === true ? undefined : field.shape;
}

/** Whether a place allows anything because it has no schema. */
export function isUndescribed(shape: Shape): boolean {
  return shape.kind === 'scalar' && shape.scalar === 'JSON' && shape.constraints === undefined;
}

/** The items of a keyed list by their keys; of several with the same keys the first. */
export class KeyedItems {
  readonly #keys: readonly string[];
  readonly #items = new Map<string, PlainObject>();

  constructor(items: readonly unknown[], { keys = [] }: Pick<ListShape, 'keys'>) {
    this.#keys = keys;
    for (const item of items) {
      const key = this.#keyOf(item);
      if (key !== undefined && !this.#items.has(key)) this.#items.set(key, item as PlainObject);
    }
  }

  /** The item with the keys of another one. */
  find(item: unknown): PlainObject | undefined {
    const key = this.#keyOf(item);
    return key === undefined ? undefined : this.#items.get(key);
  }

  /** Undefined for items that are not objects, or whose keys are missing or not scalar. */
  #keyOf(item: unknown): string | undefined {
    if (!isPlainObject(item) || this.#keys.length === 0) return undefined;
    let key = '';
    for (const name of this.#keys) {
      const value = Object.hasOwn(item, name) ? item[name] : undefined;
      if (value === undefined || value === null || typeof value === 'object') return undefined;
      const text = String(value);
      key += `${typeof value} ${text.length} ${text}`; // with its length, so that different lists of values never have the same key
    }
    return key;
  }
}
