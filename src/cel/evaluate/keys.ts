import { Double, Uint, type Value } from '../values/index.ts';

/** Whether a value can stand in brackets. */
export function isKey(value: Value): boolean {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return true;
    default:
      return value instanceof Uint || value instanceof Double;
  }
}
