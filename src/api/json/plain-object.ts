import { NumberToken } from './number-token.ts';

/** A plain object of JSON values. */
export interface PlainObject {
  [key: string]: unknown;
}

/** Sets an own property under any key: assigning to `__proto__` would change the prototype instead. */
export function setOwn(target: PlainObject, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** Whether a decoded value is an object: not a list, and not a number token. */
export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberToken);
}
