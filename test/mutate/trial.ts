import type { Checkout } from './checkout.ts';

export type Verdict =
  | { readonly type: 'caught'; readonly by: string }
  | { readonly type: 'missed'; readonly tests: number; readonly left: number };

export interface TrialOptions {
  /** For one fault, all its tests together. */
  readonly limitMs: number;
}

/** A few that are near first, so that most faults are caught in seconds. */
const CHUNKS = [6, 18, 50, Infinity];
/** Tests that need longer than this together hang, if they end in that time without the fault. */
const HUNG_MS = 60_000;
const HUNG_MS_A_FILE = 5000;
const CHECK_LIMIT_MS = 180_000;

/** Lets tests look at the fault that is planted in a checkout. */
export class Trial {
  readonly #mutated: Checkout;
  readonly #sound: Checkout;
  /** Whether test files pass without any fault; those that do not say nothing. */
  readonly #isSound = new Map<string, boolean>();

  constructor(mutated: Checkout, sound: Checkout) {
    this.#mutated = mutated;
    this.#sound = sound;
  }

  /** The tests in their order; types behind the first few, which catch most in less time. `file` has the fault. */
  async run(file: string, tests: readonly string[], { limitMs }: TrialOptions): Promise<Verdict> {
    const end = performance.now() + limitMs;
    let waiting = tests.filter((test) => this.#isSound.get(test) !== false);
    let tried = 0;
    for (const [round, size] of CHUNKS.entries()) {
      const check = round === 1 ? await this.#mutated.failedCheck(file, CHECK_LIMIT_MS) : undefined;
      if (check !== undefined) return { type: 'caught', by: check };
      while (waiting.length > 0 && performance.now() < end) {
        const chunk = waiting.slice(0, size);
        const patienceMs = HUNG_MS + chunk.length * HUNG_MS_A_FILE;
        const outcome = await this.#mutated.test(chunk, Math.min(end - performance.now(), patienceMs));
        const failed = outcome.type === 'failed' ? outcome.files : outcome.type === 'hung' ? chunk : [];
        if (outcome.type === 'hung' && performance.now() > end) break; // out of time, which says nothing
        if (outcome.type !== 'passed' && (await this.#isDueToFault(failed, patienceMs))) {
          return { type: 'caught', by: outcome.type === 'hung' ? 'hanging' : (failed[0] ?? 'failing to load') };
        }
        waiting = waiting.filter((test) => this.#isSound.get(test) !== false);
        if (outcome.type !== 'passed' && chunk.some((test) => this.#isSound.get(test) === false)) continue; // without it
        tried += chunk.length;
        waiting = waiting.slice(size);
        break;
      }
    }
    return { type: 'missed', tests: tried, left: waiting.length };
  }

  /** Each of the files fails alone with the fault, and passes without: it is not chance, nor a lack of time. */
  async #isDueToFault(files: readonly string[], limitMs: number): Promise<boolean> {
    if (!(await this.#passesWithoutFault(files, limitMs))) return false;
    return files.length === 0 || (await this.#mutated.test(files, limitMs)).type !== 'passed';
  }

  async #passesWithoutFault(files: readonly string[], limitMs: number): Promise<boolean> {
    for (const file of files) {
      let isSound = this.#isSound.get(file);
      if (isSound === undefined) {
        isSound = (await this.#sound.test([file], limitMs)).type === 'passed';
        this.#isSound.set(file, isSound);
      }
      if (!isSound) return false;
    }
    return true;
  }
}
