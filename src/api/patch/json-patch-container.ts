import { JsonPatchError } from './json-patch-error.ts';

/** An object or list that a patch operation works on; changed in place. */
export interface Container {
  /** The value; undefined if an object has no such member; throws for a bad list index. */
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  add(key: string, value: unknown): void;
  remove(key: string): void;
}

export class ObjectContainer implements Container {
  readonly #members: Record<string, unknown>;

  constructor(members: Record<string, unknown>) {
    this.#members = members;
  }

  get(key: string): unknown {
    return Object.hasOwn(this.#members, key) ? this.#members[key] : undefined;
  }

  /** Defined rather than assigned, so that "__proto__" is an ordinary member. */
  set(key: string, value: unknown): void {
    Object.defineProperty(this.#members, key, { value, enumerable: true, configurable: true, writable: true });
  }

  add(key: string, value: unknown): void {
    this.set(key, value);
  }

  remove(key: string): void {
    if (!Object.hasOwn(this.#members, key)) {
      throw new JsonPatchError(`Unable to remove nonexistent key: ${key}: missing value`);
    }
    delete this.#members[key];
  }
}

export class ListContainer implements Container {
  readonly #items: unknown[];

  constructor(items: unknown[]) {
    this.#items = items;
  }

  get(key: string): unknown {
    return this.#items[this.#existing(parseIndex(key))];
  }

  set(key: string, value: unknown): void {
    this.#items[this.#existing(parseIndex(key))] = value;
  }

  add(key: string, value: unknown): void {
    if (key === '-') {
      this.#items.push(value);
      return;
    }
    const index = parseInsertIndex(key);
    this.#items.splice(resolve(index, this.#items.length + 1), 0, value);
  }

  remove(key: string): void {
    this.#items.splice(this.#existing(parseIndex(key)), 1);
  }

  #existing(index: number): number {
    return resolve(index, this.#items.length);
  }
}

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** One step down; undefined if there is nothing. */
export function childOf(node: unknown, key: string): unknown {
  if (!isContainer(node)) return undefined;
  if (!Array.isArray(node)) return Object.hasOwn(node, key) ? (node as Record<string, unknown>)[key] : undefined;
  const index = Number(key);
  return /^[+-]?\d+$/.test(key) ? node[index < 0 ? index + node.length : index] : undefined;
}

/** Counts from the end if negative; refuses indexes outside `length`. */
function resolve(index: number, length: number): number {
  if (index >= length || index < -length) {
    throw new JsonPatchError(`Unable to access invalid index: ${index}: invalid index referenced`);
  }
  return index < 0 ? index + length : index;
}

function parseIndex(key: string): number {
  if (!/^[+-]?\d+$/.test(key)) {
    throw new JsonPatchError(`strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`);
  }
  return Number(key);
}

function parseInsertIndex(key: string): number {
  try {
    return parseIndex(key);
  } catch (cause) {
    throw new JsonPatchError(`value was not a proper array index: '${key}': ${(cause as Error).message}`, { cause });
  }
}
