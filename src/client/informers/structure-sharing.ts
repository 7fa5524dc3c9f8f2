/** The number of recent values that a place remembers. */
const RECENT = 4;
/** A place with more members than this is a free-form map; members beyond the limit are not shared. */
const MAX_MEMBERS = 64;
/** V8 shares shorter strings already. */
const MIN_STRING_LENGTH = 11;
/**
 * After this many new values in a row a place counts as always different, such as uids, and is only tried now and then.
 */
const MAX_MISSES = 16;
const RETRY_EVERY = 1024;

type JsonObject = Record<string, unknown>;

/** The recent values at one path of objects, such as `spec.tolerations`. */
class Place {
  readonly #members = new Map<string, Place>();
  readonly #recent: unknown[] = [];
  #next = 0;
  #misses = 0;

  member(name: string): Place | undefined {
    const known = this.#members.get(name);
    if (known !== undefined || this.#members.size >= MAX_MEMBERS) return known;
    const place = new Place();
    this.#members.set(name, place);
    return place;
  }

  /** An equal value seen here before, or the value itself, which is then remembered. */
  pick(value: unknown): unknown {
    if (this.#misses >= MAX_MISSES && ++this.#misses % RETRY_EVERY !== 0) return value;
    for (const recent of this.#recent) {
      if (!isSame(value, recent)) continue;
      this.#misses = 0;
      return recent;
    }
    this.#misses += 1;
    this.#recent[this.#next] = value;
    this.#next = (this.#next + 1) % RECENT;
    return value;
  }
}

/**
 * Makes objects share their equal parts, and freezes them.
 *
 * Objects of a kind are much alike: pods of one ReplicaSet differ in little more than name, node and status, and a new
 * version of an object differs in little from the one before. Each part is compared with the same part of the old
 * version and with the values at the same path of the last few objects; equal parts are kept once. Parts are shared
 * from the leaves up, so members are compared by identity and each object is walked once.
 */
export class StructureSharing {
  readonly #root = new Place();

  /**
   * Returns an equal value that reuses known parts. Takes ownership of `value`, unless it is frozen: then it is shared
   * already.
   */
  share<T>(value: T, old?: T): T {
    return this.#share(value, old, this.#root) as T;
  }

  #share(value: unknown, old: unknown, place: Place | undefined): unknown {
    if (typeof value === 'object' && value !== null) {
      if (Object.isFrozen(value)) return value;
      if (Array.isArray(value)) this.#shareElements(value, old, place?.member('[]'));
      else this.#shareMembers(value as JsonObject, old, place);
      Object.freeze(value);
    }
    if (old !== undefined && isSame(value, old)) return old;
    return place === undefined ? value : place.pick(value);
  }

  #shareElements(value: unknown[], old: unknown, place: Place | undefined): void {
    const before = Array.isArray(old) ? (old as unknown[]) : undefined;
    for (let index = 0; index < value.length; index++) {
      if (isWorthSharing(value[index])) value[index] = this.#share(value[index], before?.[index], place);
    }
  }

  #shareMembers(value: JsonObject, old: unknown, place: Place | undefined): void {
    const before = typeof old === 'object' && old !== null ? (old as JsonObject) : undefined;
    for (const name in value) {
      const member = value[name];
      if (!isWorthSharing(member)) continue;
      const shared = this.#share(member, before?.[name], place?.member(name));
      if (shared !== member) value[name] = shared;
    }
  }
}

function isWorthSharing(value: unknown): boolean {
  return typeof value === 'string' ? value.length >= MIN_STRING_LENGTH : typeof value === 'object' && value !== null;
}

/** Whether two values have identical members. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && haveSameElements(left, right);
  return !Array.isArray(right) && haveSameMembers(left as JsonObject, right as JsonObject);
}

function haveSameElements(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false;
  return true;
}

function haveSameMembers(left: JsonObject, right: JsonObject): boolean {
  let surplus = 0;
  for (const name in left) {
    const member = left[name];
    if (member !== right[name] || (member === undefined && !Object.hasOwn(right, name))) return false;
    surplus += 1;
  }
  for (const _name in right) surplus -= 1;
  return surplus === 0;
}
