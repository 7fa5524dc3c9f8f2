import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LogFields, type Logger, SeededRandom, VirtualClock } from '../../base/index.ts';
import type { DurableFiles } from '../durable/durable-files.ts';
import type { DurableStore, DurableStoreOptions } from '../durable/durable-store.ts';
import { openDurableStore } from '../durable/open-durable-store.ts';

/** A folder for a durable store, with its own clock; disposing removes it. */
export class DurableFolder implements AsyncDisposable {
  readonly path: string;
  readonly clock = new VirtualClock();
  /** What the stores opened here have logged. */
  readonly logged: { readonly level: string; readonly message: string; readonly fields: LogFields }[] = [];

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<DurableFolder> {
    return new DurableFolder(await mkdtemp(join(tmpdir(), 'keelson-durable-')));
  }

  open(options: Partial<DurableStoreOptions> & { readonly files?: DurableFiles } = {}): Promise<DurableStore> {
    return openDurableStore(this.path, {
      clock: this.clock,
      random: new SeededRandom(1),
      log: this.#logger(),
      ...options,
    });
  }

  /** Opens a store, runs the work, closes it. */
  async during<T>(work: (store: DurableStore) => Promise<T>, options: Partial<DurableStoreOptions> = {}): Promise<T> {
    await using store = await this.open(options);
    return await work(store);
  }

  /** The names of the files with this prefix, in order. */
  async names(start: 'log-' | 'checkpoint-'): Promise<string[]> {
    return (await readdir(this.path)).filter((name) => name.startsWith(start)).sort();
  }

  /** The names of all files that belong to the store. */
  async files(): Promise<string[]> {
    return (await readdir(this.path)).filter((name) => /^(log-|checkpoint-|manifest)/.test(name)).sort();
  }

  read(name: string): Promise<Buffer> {
    return readFile(join(this.path, name));
  }

  write(name: string, content: Uint8Array): Promise<void> {
    return writeFile(join(this.path, name), content);
  }

  remove(name: string): Promise<void> {
    return rm(join(this.path, name));
  }

  /** Flips one bit of a file. */
  async flip(name: string, offset: number): Promise<void> {
    const content = await this.read(name);
    content[offset] = (content[offset] as number) ^ 0x10;
    await this.write(name, content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true });
  }

  #logger(): Logger {
    const note =
      (level: string) =>
      (message: string, fields: LogFields = {}) =>
        void this.logged.push({ level, message, fields });
    const logger: Logger = {
      debug: note('debug'),
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
      with: () => logger,
      isEnabled: () => true,
    };
    return logger;
  }
}
