import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type ApiResource, type KubernetesObject, memoryStorage } from 'keelson';

type Context = Parameters<NonNullable<ApiResource['create']>>[1];

/** What is decided about an object before it is stored: the object as it is to be, or an error that is thrown. */
export type Admit<T> = (object: T, old: T | undefined, context: Context) => T;

/** Objects in memory and in a folder, one file each: they are there again when the program is started again. */
export class FolderStorage<T extends KubernetesObject> {
  readonly #memory: ReturnType<typeof memoryStorage<T>>;
  readonly #objects = new Map<string, T>();
  readonly #folder: string;
  readonly #admit: Admit<T>;

  constructor(kind: Parameters<typeof memoryStorage<T>>[0], folder: string, admit: Admit<T> = (object) => object) {
    this.#memory = memoryStorage(kind);
    this.#folder = join(folder, kind.plural);
    this.#admit = admit;
  }

  /** Reads what a former process has stored; before anything else. */
  async load(): Promise<void> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const context: Context = { namespace: '', user: { name: '', groups: [] }, signal: new AbortController().signal };
    for (const file of readdirSync(this.#folder).filter((name) => name.endsWith('.json'))) {
      const stored = JSON.parse(readFileSync(join(this.#folder, file), 'utf8')) as T;
      const object = await this.#memory.create(stored, context);
      this.#objects.set(keyOf(object), object);
    }
  }

  /** For `api`. */
  get resource(): ApiResource<T> {
    return {
      ...this.#memory,
      create: async (object, context) =>
        this.#keep(await this.#memory.create(this.#admit(object, undefined, context), context)),
      update: async (object, old, context) =>
        this.#keep(await this.#memory.update(this.#admit(object, old, context), old, context)),
      delete: async (old, context) => {
        await this.#memory.delete(old, context);
        this.#objects.delete(keyOf(old));
        rmSync(this.#fileOf(old), { force: true });
      },
    };
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list({ namespace }: { readonly namespace?: string } = {}): T[] {
    const all = [...this.#objects.values()];
    return namespace === undefined ? all : all.filter(({ metadata }) => metadata?.namespace === namespace);
  }

  /** On the disk before the request is answered. */
  #keep(object: T): T {
    const path = this.#fileOf(object);
    const file = openSync(`${path}.new`, 'w', 0o600);
    try {
      writeSync(file, JSON.stringify(object));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(`${path}.new`, path);
    this.#objects.set(keyOf(object), object);
    return object;
  }

  #fileOf(object: T): string {
    return join(this.#folder, `${encodeURIComponent(keyOf(object))}.json`);
  }
}

function keyOf({ metadata: { namespace, name = '' } = {} }: KubernetesObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
