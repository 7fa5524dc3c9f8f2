import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** What the server's thread did since the last look, in time on a core. */
export interface Held {
  /** The longest time for which it was kept from its event loop. */
  readonly longestMs: number;
  /** How often that was above the limit for an ordinary client. */
  readonly aboveLimit: number;
  /** All its work. */
  readonly busyMs: number;
}

/** What an ordinary client may notice of others. */
const LIMIT_MS = 50;
const ANSWER_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 20;

/** How long a server's thread is kept from its event loop, whatever else the machine does. */
export class HeldLoop {
  readonly #file: string;

  /** `folder` is a place for a small file. */
  constructor(folder: string) {
    this.#file = join(folder, 'loop-holds.json');
  }

  /** Flags of Node.js with which the server is to be started. */
  get nodeFlags(): readonly string[] {
    const program = pathToFileURL(join(import.meta.dirname, 'loop-holds.mjs'));
    program.searchParams.set('out', this.#file);
    return [`--import=${program.href}`];
  }

  /** Undefined when the server does not answer any more. */
  async look(pid: number): Promise<Held | undefined> {
    await rm(this.#file, { force: true });
    try {
      process.kill(pid, 'SIGUSR2');
    } catch {
      return undefined;
    }
    for (let waited = 0; !existsSync(this.#file); waited += LOOK_EVERY_MS) {
      if (waited > ANSWER_LIMIT_MS) return undefined;
      await sleep(LOOK_EVERY_MS);
    }
    const seen = JSON.parse(await readFile(this.#file, 'utf8')) as { holdsMs: number[]; busyMs: number };
    const aboveLimit = seen.holdsMs.filter((ms) => ms > LIMIT_MS).length;
    return { longestMs: Math.max(0, ...seen.holdsMs), aboveLimit, busyMs: seen.busyMs };
  }
}
