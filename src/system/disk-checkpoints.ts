import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../base/index.ts';

/** Small texts as files of a folder, such as the checkpoints of a node. A file is replaced as a whole: a crash leaves the old one or the new one. */
export class DiskCheckpoints {
  readonly #folder: string;
  /** The last write of each file: two writes at once would use the same temporary file. */
  readonly #writes = new Map<string, Promise<void>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(name: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.#folder, name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined; // the first start has none
      throw new Error(`Cannot read the checkpoint ${join(this.#folder, name)}: ${messageOf(error)}`, { cause: error });
    }
  }

  write(name: string, text: string): Promise<void> {
    const before = this.#writes.get(name) ?? Promise.resolve();
    const done = before.catch(() => undefined).then(() => this.#replace(join(this.#folder, name), text));
    this.#writes.set(name, done);
    return done;
  }

  async #replace(path: string, text: string): Promise<void> {
    const temporary = `${path}.tmp`;
    try {
      const file = await open(temporary, 'w', 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    } catch (error) {
      throw new Error(`Cannot write the checkpoint ${path}: ${messageOf(error)}`, { cause: error });
    }
  }
}
