import { type ApiObject, keepSentEmpty, type Shape, type Struct } from '../api/index.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Puts members into the order of the type, which is the order of JSON output, after a hook has appended some. Changes only
 * the object itself in place; ordered parts stay the same objects.
 */
export function arrange(object: ApiObject, type: Struct): void {
  const order = orderOf(type);
  let isOrdered = true;
  let last = -1;
  for (const name of Object.keys(object)) {
    const place = order.get(name);
    const value = object[name];
    if (place === undefined) continue;
    if (value === undefined) {
      delete object[name];
      continue;
    }
    if (place.index < last) isOrdered = false;
    last = place.index;
    const arranged = place.index < FIRST_NESTED ? value : arrangedValue(value, place.shape);
    if (arranged !== value) object[name] = arranged;
  }
  if (!isOrdered) reorder(object, type);
}

/** Removes and adds all members, because JavaScript keeps insertion order. */
function reorder(object: ApiObject, type: Struct): void {
  for (const { name } of type.fields) {
    const value = object[name];
    if (value === undefined) continue;
    delete object[name];
    object[name] = value;
  }
}

/** `kind` and `apiVersion` come first in every kind. */
const FIRST_NESTED = 2;

/** Frozen values were stored before, and are already in order. */
function arrangedValue(value: unknown, shape: Shape): unknown {
  if (value === undefined || value === null || Object.isFrozen(value)) return value;
  switch (shape.kind) {
    case 'scalar':
      return value;
    case 'struct':
      return arrangedStruct(value as Members, shape.struct);
    case 'list':
      if (shape.element.kind === 'scalar') return value;
      return arrangedList(value as readonly unknown[], shape.element);
    case 'map':
      return shape.value.kind === 'scalar' ? value : arrangedMap(value as Members, shape.value);
  }
}

function arrangedStruct(value: Members, struct: Struct): Members {
  const order = orderOf(struct);
  let result: Record<string, unknown> | undefined;
  let isOrdered = true;
  let last = -1;
  for (const name in value) {
    const place = order.get(name);
    if (place === undefined) continue;
    if (place.index < last || value[name] === undefined) isOrdered = false;
    last = place.index;
    const arranged = arrangedValue(value[name], place.shape);
    if (arranged !== value[name]) (result ??= { ...value })[name] = arranged;
  }
  return isOrdered ? (result ?? value) : reordered(result ?? value, struct);
}

function reordered(value: Members, struct: Struct): Members {
  const result: Record<string, unknown> = {};
  for (const { name } of struct.fields) if (value[name] !== undefined) result[name] = value[name];
  return keepSentEmpty(result, value);
}

function arrangedList(list: readonly unknown[], element: Shape): readonly unknown[] {
  let result: unknown[] | undefined;
  for (const [index, item] of list.entries()) {
    const arranged = arrangedValue(item, element);
    if (arranged !== item) (result ??= [...list])[index] = arranged;
  }
  return result ?? list;
}

function arrangedMap(map: Members, shape: Shape): Members {
  let result: Record<string, unknown> | undefined;
  for (const name in map) {
    const arranged = arrangedValue(map[name], shape);
    if (arranged !== map[name]) (result ??= { ...map })[name] = arranged;
  }
  return result ?? map;
}

interface Place {
  readonly index: number;
  readonly shape: Shape;
}

const orders = new WeakMap<Struct, ReadonlyMap<string, Place>>();

function orderOf(struct: Struct): ReadonlyMap<string, Place> {
  const known = orders.get(struct);
  if (known !== undefined) return known;
  const order = new Map(struct.fields.map(({ name, shape }, index): [string, Place] => [name, { index, shape }]));
  orders.set(struct, order);
  return order;
}
