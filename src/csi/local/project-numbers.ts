import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../system/index.ts';

/** Below are numbers that administrators use. */
const FIRST = 1_000_000;

/** Which project each volume's files belong to: a file for each volume, written through before a number is used. */
export class ProjectNumbers {
  readonly #folder: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async find(volume: string): Promise<number | undefined> {
    try {
      const number = Number(await readFile(join(this.#folder, volume), 'utf8'));
      return number >= FIRST ? number : undefined; // a crash may have cut off the write
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** The number of a volume; the lowest free one for a new volume. */
  async of(volume: string): Promise<number> {
    const own = this.#last.then(() => this.#take(volume)); // two volumes must not find the same one free
    this.#last = own.catch(() => undefined);
    return await own;
  }

  async forget(volume: string): Promise<void> {
    await rm(join(this.#folder, volume), { force: true });
  }

  async #take(volume: string): Promise<number> {
    const known = await this.find(volume);
    if (known !== undefined) return known;
    await mkdir(this.#folder, { recursive: true });
    const taken = new Set(await Promise.all((await readdir(this.#folder)).map((name) => this.find(name))));
    let number = FIRST;
    while (taken.has(number)) number++;
    const file = await open(join(this.#folder, volume), 'w', 0o600);
    try {
      await file.writeFile(String(number));
      await file.sync();
    } finally {
      await file.close();
    }
    return number;
  }
}
