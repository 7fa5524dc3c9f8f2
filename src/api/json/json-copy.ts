/** A private copy of a JSON value: equal to printing and parsing the original. */
export interface JsonCopy {
  readonly value: unknown;
  /** The number of keys in all objects. */
  readonly keys: number;
}

/** Larger values are better sent as text, which servers process in slices. */
const MAX_CHARACTERS = 32 * 1024;
const MAX_DEPTH = 64;
/** Larger integers may have digits that only the text preserves. */
const END_OF_INTEGERS = 1e15;

/**
 * Copies a value for a receiver in the same process, instead of its JSON text. Undefined if only the text shows what would
 * be read: for fractions and long numbers, objects that are not plain, invalid Unicode, and large values.
 */
export function jsonCopy(value: unknown): JsonCopy | undefined {
  const tally: Tally = { keys: 0, charactersLeft: MAX_CHARACTERS };
  const copied = copy(value, tally, MAX_DEPTH);
  return copied === undefined ? undefined : { value: copied, keys: tally.keys };
}

interface Tally {
  keys: number;
  charactersLeft: number;
}

/** Undefined if the value, or one in it, cannot be copied. */
function copy(value: unknown, tally: Tally, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      tally.charactersLeft -= value.length;
      return value.isWellFormed() ? value : undefined;
    case 'number':
      return Number.isInteger(value) && value < END_OF_INTEGERS && value > -END_OF_INTEGERS ? value + 0 : undefined;
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      if (depth === 0 || tally.charactersLeft < 0) return undefined;
      return Array.isArray(value) ? copyList(value, tally, depth) : copyObject(value, tally, depth);
    default:
      return undefined;
  }
}

function copyList(list: readonly unknown[], tally: Tally, depth: number): unknown[] | undefined {
  const result: unknown[] = [];
  for (let index = 0; index < list.length; index++) {
    const item = copy(list[index], tally, depth - 1);
    if (item === undefined) return undefined;
    result.push(item);
  }
  return result;
}

function copyObject(source: object, tally: Tally, depth: number): object | undefined {
  const prototype: unknown = Object.getPrototypeOf(source);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const members = source as Readonly<Record<string, unknown>>;
  const result: Record<string, unknown> = {};
  for (const key in members) {
    const member = members[key];
    if (member === undefined) continue;
    const copied = key === '__proto__' || !key.isWellFormed() ? undefined : copy(member, tally, depth - 1);
    if (copied === undefined) return undefined;
    result[key] = copied;
    tally.keys += 1;
    tally.charactersLeft -= key.length;
  }
  return result;
}
