/** A JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** The same type with every member readonly, at all levels. */
export type DeepReadonly<T> = T extends (...args: never) => unknown
  ? T
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

interface JsonObject {
  [key: string]: unknown;
}

/**
 * A deep copy of a JSON value; keys keep their order.
 *
 * Assumes: plain objects and arrays, nested no deeper than decoding allows (it recurses).
 */
export function clone<T>(value: T): T {
  return cloneValue(value) as T;
}

function cloneValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (let index = 0; index < value.length; index++) items.push(cloneValue(value[index]));
    return items;
  }
  const source = value as JsonObject;
  const copy: JsonObject = {};
  for (const key in source) {
    if (key === '__proto__') defineOwn(copy, key, cloneValue(source[key]));
    else copy[key] = cloneValue(source[key]);
  }
  return copy;
}

/** Assigning to `__proto__` would change the prototype; like JSON.parse, this makes it an ordinary property. */
function defineOwn(target: JsonObject, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Whether two JSON values are equal: key order does not matter, and a property that is `undefined` counts as absent. */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && areArraysEqual(left, right);
  return !Array.isArray(right) && areObjectsEqual(left as JsonObject, right as JsonObject);
}

function areArraysEqual(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!deepEqual(left[index], right[index])) return false;
  }
  return true;
}

function areObjectsEqual(left: JsonObject, right: JsonObject): boolean {
  // Looking up an absent `__proto__` yields this object, which is no JSON value; other inherited names yield functions.
  if (left === Object.prototype || right === Object.prototype) return false;
  let surplus = 0;
  for (const key in left) {
    const value = left[key];
    if (value === undefined) continue;
    surplus += 1;
    if (!deepEqual(value, right[key])) return false;
  }
  for (const key in right) if (right[key] !== undefined) surplus -= 1;
  return surplus === 0;
}

/**
 * Freezes a JSON value at all levels and returns it.
 *
 * Cheap to call again: a frozen object is assumed to be frozen at all levels. `before` is called with each object that is not
 * frozen yet.
 */
export function deepFreeze<T>(value: T, before?: (object: object) => void): DeepReadonly<T> {
  freezeValue(value, before);
  return value as DeepReadonly<T>;
}

function freezeValue(value: unknown, before: ((object: object) => void) | undefined): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  if (ArrayBuffer.isView(value)) return; // bytes cannot be frozen
  if (Array.isArray(value)) {
    Object.freeze(value);
    for (let index = 0; index < value.length; index++) freezeValue(value[index], before);
    return;
  }
  before?.(value);
  Object.freeze(value);
  for (const key in value) freezeValue((value as JsonObject)[key], before);
}
