import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '../../base/index.ts';

/** The interval of checks for a change. Kubelets replace a token long before it expires. */
const LOOK_EVERY_MS = 10_000;

/** A file that another program replaces now and then; read again when it has changed. */
export class WatchedFile {
  readonly path: string;
  readonly #clock: Clock;
  #known: { readonly text: string; readonly stamp: string; lookedAtMs: number } | undefined;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
  }

  /**
   * The file's text. If the file can no longer be read, the last text: it may be in the middle of a replacement. Checks
   * the disk at most every ten seconds, or at once with `isForced`.
   */
  async read(isForced = false): Promise<string> {
    const known = this.#known;
    const nowMs = this.#clock.monotonic();
    if (known !== undefined && !isForced && nowMs - known.lookedAtMs < LOOK_EVERY_MS) return known.text;
    try {
      return await this.#look(nowMs);
    } catch (error) {
      if (known === undefined) throw error;
      known.lookedAtMs = nowMs;
      return known.text;
    }
  }

  async #look(nowMs: number): Promise<string> {
    const { mtimeMs, size, ino } = await stat(this.path);
    const stamp = `${mtimeMs} ${size} ${ino}`;
    if (this.#known?.stamp === stamp) {
      this.#known.lookedAtMs = nowMs;
      return this.#known.text;
    }
    const text = await readFile(this.path, 'utf8');
    this.#known = { text, stamp, lookedAtMs: nowMs };
    return text;
  }
}
