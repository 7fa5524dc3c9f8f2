import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/index.ts';
import { ifThere } from './whole-file.ts';

/** A start that lives for this long is well. */
const WELL_AFTER_MS = 60_000;
/** After this many starts that were not, one after the other, programs stay off. */
const MAX_DEATHS = 2;

/**
 * Whether earlier starts on the same data ended without a stop, soon after their programs began. What programs do is decided by stored
 * objects, so that a start dies of the same object as the one before it.
 *
 * A file says that a start is under way; it is removed when the start has been well for a while, or stops in good order.
 */
export class StartRecord implements AsyncDisposable {
  readonly #path: string;
  readonly #deaths: number;
  readonly #timer: Disposable;

  private constructor(path: string, deaths: number, clock: Clock) {
    this.#path = path;
    this.#deaths = deaths;
    // with programs off, being well says nothing about them: the record stays until a stop
    this.#timer = clock.timer(WELL_AFTER_MS, () => (this.heldBack === undefined ? void this.#remove() : undefined));
  }

  /** To be called by the process that holds the store, before its programs begin. */
  static async begin(folder: string, clock: Clock): Promise<StartRecord> {
    const path = join(folder, 'start.json');
    const before = await ifThere(readFile(path, 'utf8'));
    const deaths = before === undefined ? 0 : deathsIn(before) + 1;
    await writeFile(path, `${JSON.stringify({ deaths, startedAt: new Date(clock.now()).toISOString() })}\n`, {
      mode: 0o600,
    });
    return new StartRecord(path, deaths, clock);
  }

  /** Why programs must not begin; undefined when they may. */
  get heldBack(): string | undefined {
    if (this.#deaths < MAX_DEATHS) return undefined;
    return `the last ${this.#deaths} starts ended without a stop, each within ${WELL_AFTER_MS / 1000} seconds`;
  }

  /** For a stop in good order. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#timer[Symbol.dispose]();
    await this.#remove();
  }

  async #remove(): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

/** How many starts had died before the one that wrote this; 0 when it did not finish writing. */
function deathsIn(text: string): number {
  try {
    const { deaths } = JSON.parse(text) as { readonly deaths?: unknown };
    return Number.isSafeInteger(deaths) ? (deaths as number) : 0;
  } catch {
    return 0; // it died while it wrote
  }
}
