import { CniError } from './cni-error.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Deeper values are refused: reading and writing them recurse. */
const MAX_DEPTH = 100;

/** Reads JSON text that must be an object. `what` names it in errors: `network configuration "a.conflist"`. */
export function parseObject(text: string, what: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CniError('DecodingFailure', `cannot read ${what}`, { details: (cause as Error).message, cause });
  }
  if (depthOf(value, MAX_DEPTH) < 0)
    throw new CniError('DecodingFailure', `cannot read ${what}`, { details: `it is nested deeper than ${MAX_DEPTH}` });
  if (!isObject(value))
    throw new CniError('DecodingFailure', `cannot read ${what}`, {
      details: `it must be a JSON object, got ${kindOf(value)}`,
    });
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads the members of an object, which have certain types or are absent. Null counts as absent, as Go reads it. */
export class FieldReader {
  readonly #object: JsonObject;
  readonly #what: string;

  /** `what` names the object in errors. */
  constructor(object: JsonObject, what: string) {
    this.#object = object;
    this.#what = what;
  }

  text(name: string): string | undefined {
    return this.#read(name, 'a string', (value) => (typeof value === 'string' ? value : undefined));
  }

  integer(name: string): number | undefined {
    return this.#read(name, 'an integer', (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined,
    );
  }

  object(name: string): JsonObject | undefined {
    return this.#read(name, 'an object', (value) => (isObject(value) ? value : undefined));
  }

  list(name: string): readonly unknown[] | undefined {
    return this.#read(name, 'a list', (value) => (Array.isArray(value) ? (value as readonly unknown[]) : undefined));
  }

  texts(name: string): readonly string[] | undefined {
    return this.list(name)?.map((item, at) => {
      if (typeof item === 'string') return item;
      throw this.wrong(`${name}[${at}]`, 'a string', item);
    });
  }

  objects(name: string): readonly JsonObject[] | undefined {
    return this.list(name)?.map((item, at) => {
      if (isObject(item)) return item;
      throw this.wrong(`${name}[${at}]`, 'an object', item);
    });
  }

  /** True, false, or those words as text, which libcni takes as well. */
  flag(name: string): boolean {
    const read = this.#read(name, 'true or false', (value) => {
      const plain = typeof value === 'string' ? value.toLowerCase() : value;
      if (plain === true || plain === 'true') return true;
      return plain === false || plain === 'false' ? false : undefined;
    });
    return read ?? false;
  }

  /** The error of a member with another type than the one that is wanted. */
  wrong(name: string, wanted: string, value: unknown): CniError {
    return new CniError('DecodingFailure', `cannot read ${this.#what}`, {
      details: `"${name}" must be ${wanted}, got ${kindOf(value)}`,
    });
  }

  #read<T>(name: string, wanted: string, convert: (value: unknown) => T | undefined): T | undefined {
    const value = Object.hasOwn(this.#object, name) ? this.#object[name] : undefined;
    if (value === undefined || value === null) return undefined;
    const read = convert(value);
    if (read === undefined) throw this.wrong(name, wanted, value);
    return read;
  }
}

/** What a value is, for people: short values themselves, the kind of others. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** What is left of `budget` at the deepest place; negative when it does not suffice. */
function depthOf(value: unknown, budget: number): number {
  if (typeof value !== 'object' || value === null || budget < 0) return budget;
  let least = budget;
  for (const member of Object.values(value)) least = Math.min(least, depthOf(member, budget - 1));
  return least;
}
