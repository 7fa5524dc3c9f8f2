import { decodeBase64, ValueError } from '../../api/client.ts';
import { KubeconfigError } from './kubeconfig.ts';

/** Reads the members of one mapping of a kubeconfig; a wrong type is an error that names its place. */
export class EntryReader {
  readonly origin: string;
  readonly #members: Readonly<Record<string, unknown>>;

  constructor(value: unknown, origin: string) {
    this.origin = origin;
    if (value === undefined || value === null) this.#members = {};
    else if (typeof value === 'object' && !Array.isArray(value)) this.#members = value as Record<string, unknown>;
    else throw new KubeconfigError(`Cannot read ${origin}: it is not a mapping`);
  }

  /** A string member; undefined when it is absent or empty, which mean the same in a kubeconfig. */
  text(name: string): string | undefined {
    const value = this.#members[name];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw this.#wrong(name, 'a string');
    return value;
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new KubeconfigError(`Cannot use ${this.origin}: "${name}" is missing`);
    return value;
  }

  flag(name: string): boolean {
    const value = this.#members[name];
    if (value === undefined || value === null) return false;
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false');
    return value;
  }

  texts(name: string): readonly string[] {
    return this.list(name).map((item) => {
      if (typeof item !== 'string') throw this.#wrong(name, 'a list of strings');
      return item;
    });
  }

  list(name: string): readonly unknown[] {
    const value = this.#members[name];
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw this.#wrong(name, 'a list');
    return value;
  }

  /** A base64 member, decoded. */
  data(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const bytes = decodeBase64(text);
    if (bytes instanceof ValueError) throw this.#wrong(name, 'base64', bytes);
    return Buffer.from(bytes).toString('utf8');
  }

  has(name: string): boolean {
    const value = this.#members[name];
    return value !== undefined && value !== null;
  }

  at(name: string): EntryReader {
    return new EntryReader(this.#members[name], `"${name}" of ${this.origin}`);
  }

  raw(name: string): unknown {
    return this.#members[name];
  }

  names(): readonly string[] {
    return Object.keys(this.#members);
  }

  #wrong(name: string, expected: string, cause?: unknown): KubeconfigError {
    return new KubeconfigError(`Cannot read ${this.origin}: "${name}" is not ${expected}`, { cause });
  }
}
