import { YamlBody } from '../api/index.ts';
import { messageOf, parseDuration } from '../base/index.ts';

/** Makes the error with which a file is refused. */
export type Refuse = (why: string, cause?: unknown) => Error;

/** The members of one object of a configuration file; each is taken once, and those that nobody takes are unknown. */
export class ConfigMembers {
  readonly #path: string;
  readonly #refuse: Refuse;
  readonly #left: Map<string, unknown>;

  private constructor(value: unknown, path: string, refuse: Refuse) {
    this.#path = path;
    this.#refuse = refuse;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#wrong('', 'an object');
    this.#left = new Map(Object.entries(value));
  }

  /** The members of the object that a text in YAML or JSON is. */
  static parse(text: string, refuse: Refuse): ConfigMembers {
    let value: unknown;
    try {
      value = new YamlBody(text).untyped();
    } catch (cause) {
      throw refuse(`it is not YAML: ${messageOf(cause)}`, cause);
    }
    return new ConfigMembers(value, '', refuse);
  }

  at(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }

  text(name: string): string {
    return this.optionalText(name) ?? '';
  }

  optionalText(name: string): string | undefined {
    const value = this.#take(name);
    if (value !== undefined && typeof value !== 'string') throw this.#wrong(name, 'a string');
    return value;
  }

  flag(name: string, otherwise = false): boolean {
    const value = this.#take(name) ?? otherwise;
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false');
    return value;
  }

  /** Milliseconds of a duration such as `30s`; 0 when it is not there. */
  duration(name: string): number {
    const text = this.text(name);
    if (text === '') return 0;
    try {
      return parseDuration(text);
    } catch {
      throw this.#wrong(name, 'a duration');
    }
  }

  texts(name: string): readonly string[] {
    const value = this.#take(name) ?? [];
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
      throw this.#wrong(name, 'a list of strings');
    return value;
  }

  object(name: string): ConfigMembers | undefined {
    const value = this.#take(name);
    return value === undefined ? undefined : new ConfigMembers(value, this.at(name), this.#refuse);
  }

  /** Stands for an object that is not there. */
  none(name: string): ConfigMembers {
    return new ConfigMembers({}, this.at(name), this.#refuse);
  }

  list(name: string): readonly ConfigMembers[] {
    const value = this.#take(name) ?? [];
    if (!Array.isArray(value)) throw this.#wrong(name, 'a list');
    return value.map((one, index) => new ConfigMembers(one, `${this.at(name)}[${index}]`, this.#refuse));
  }

  /** The result, after all members have been taken. */
  done<T>(result: T): T {
    const [unknown] = this.#left.keys();
    if (unknown !== undefined) throw this.#refuse(`unknown field "${this.at(unknown)}"`);
    return result;
  }

  #take(name: string): unknown {
    const value = this.#left.get(name) ?? undefined;
    this.#left.delete(name);
    return value;
  }

  #wrong(name: string, expected: string): Error {
    return this.#refuse(`"${name === '' ? this.#path : this.at(name)}" is not ${expected}`);
  }
}
