/** A configuration file with something in it that cannot be: which member, and why. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The members of one object of a configuration; each is taken once, and those that nobody takes are unknown. */
export class ConfigMembers {
  readonly path: string;
  readonly #left: Map<string, unknown>;
  /** Shared by an object and all objects in it. */
  readonly #all: ConfigMembers[];

  constructor(value: unknown, path = '', all: ConfigMembers[] = []) {
    this.path = path;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, 'an object');
    this.#left = new Map(Object.entries(value));
    this.#all = all;
    all.push(this);
  }

  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  text(name: string): string {
    const value = this.#take(name) ?? '';
    if (typeof value !== 'string') throw wrong(this.at(name), 'a string');
    return value;
  }

  flag(name: string): boolean | undefined {
    const value = this.#take(name);
    if (value !== undefined && typeof value !== 'boolean') throw wrong(this.at(name), 'true or false');
    return value;
  }

  integer(name: string): number | undefined {
    const value = this.#take(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw wrong(this.at(name), 'an integer');
    return value;
  }

  texts(name: string): readonly string[] {
    const value = this.#take(name) ?? [];
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
      throw wrong(this.at(name), 'a list of strings');
    return value;
  }

  object(name: string): ConfigMembers | undefined {
    const value = this.#take(name);
    return value === undefined ? undefined : new ConfigMembers(value, this.at(name), this.#all);
  }

  list(name: string): readonly ConfigMembers[] {
    const value = this.#take(name) ?? [];
    if (!Array.isArray(value)) throw wrong(this.at(name), 'a list');
    return value.map((one, index) => new ConfigMembers(one, `${this.at(name)}[${index}]`, this.#all));
  }

  /** The paths of members that nobody has taken, here and further in. */
  unknown(): readonly string[] {
    return this.#all.flatMap((members) => [...members.#left.keys()].map((name) => members.at(name)));
  }

  #take(name: string): unknown {
    const value = this.#left.get(name) ?? undefined;
    this.#left.delete(name);
    return value;
  }
}

function wrong(path: string, expected: string): ConfigError {
  return new ConfigError(path === '' ? `the file is not ${expected}` : `"${path}" is not ${expected}`);
}
