import { equal } from './equal.ts';
import type { Value } from './value.ts';

/** Whether two sets of fields are the same. */
export function deepEqualValues(left: ReadonlyMap<string, Value>, right: ReadonlyMap<string, Value>): boolean {
  if (left.size !== right.size) return false;
  for (const [name, value] of left) {
    const other = right.get(name);
    if (other === undefined || equal(value, other) !== true) return false;
  }
  return true;
}
