import { jsonGo } from '../../api/values/index.ts';

/** Reads the members of a JSON object as Go's decoder does: names are case-insensitive, `null` means absent. */
export class GoMembers {
  readonly #type: string;
  readonly #members: ReadonlyMap<string, unknown>;

  constructor(value: unknown, type: string) {
    this.#type = type;
    if (typeof value !== 'object' || Array.isArray(value)) throw goMismatch(value, `Go value of type v1.${type}`);
    this.#members = new Map(Object.entries(value ?? {}).map(([name, member]) => [name.toLowerCase(), member]));
  }

  text(name: string): string {
    const value = this.#get(name);
    if (value === undefined) return '';
    if (typeof value === 'string') return value;
    throw this.#mismatch(value, name, 'string');
  }

  integer(name: string): number {
    const value = this.#get(name) ?? 0;
    if (typeof value === 'number' && Number.isInteger(value)) return value;
    throw this.#mismatch(value, name, 'int64');
  }

  texts(name: string): readonly string[] | undefined {
    return this.list(name, '[]string')?.map((item) => {
      if (typeof item === 'string') return item;
      throw this.#mismatch(item, name, 'string');
    });
  }

  list(name: string, type = 'slice'): readonly unknown[] | undefined {
    const value = this.#get(name);
    if (value === undefined || Array.isArray(value)) return value;
    throw this.#mismatch(value, name, type);
  }

  object(name: string, type: string): GoMembers | undefined {
    const value = this.#get(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) throw this.#mismatch(value, name, `v1.${type}`);
    return new GoMembers(value, type);
  }

  /** The entries of a map; `type` is the Go type for error messages. */
  map(name: string, type: string): readonly (readonly [key: string, value: unknown])[] {
    const value = this.#get(name) ?? {};
    if (typeof value === 'object' && !Array.isArray(value)) return Object.entries(value);
    throw this.#mismatch(value, name, type);
  }

  textMap(name: string): ReadonlyMap<string, string> {
    return new Map(
      this.map(name, 'v1.FailedNodesMap').map(([key, value]) => {
        if (typeof value === 'string') return [key, value];
        throw this.#mismatch(value, name, 'string');
      }),
    );
  }

  #get(name: string): unknown {
    return this.#members.get(name.toLowerCase()) ?? undefined;
  }

  #mismatch(value: unknown, name: string, type: string): Error {
    return goMismatch(value, `Go struct field ${this.#type}.${name} of type ${type}`);
  }
}

/** Go's error message for a value of the wrong type. Numbers are shown when their size or fraction is the problem. */
export function goMismatch(value: unknown, target: string): Error {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const shown = typeof value === 'number' && target.endsWith('int64') ? `${kind} ${jsonGo(value)}` : kind;
  return new Error(`json: cannot unmarshal ${shown} into ${target}`);
}
