import type { Checkout, TestLimits } from './checkout.ts';
import type { RankedTest } from './execution-record.ts';

export type Verdict =
  | { readonly type: 'caught'; readonly by: string }
  | { readonly type: 'missed'; readonly tests: number; readonly left: number };

export interface TrialOptions {
  /** For one fault, all its tests together. */
  readonly limitMs: number;
}

/** How much recorded time of tests runs at once: a few quick ones first, so that most faults are caught in seconds. */
const CHUNKS_MS = [2000, 10_000, 40_000, 120_000];
const CHECK_LIMIT_MS = 180_000;
/** Tests count as hanging when they take this many times their recorded duration. */
const HUNG_FACTOR = 6;
const LEAST_TEST_MS = 15_000;
const START_MS = 60_000;
/** Without the fault, tests that hung must end in this share of the time, so that a busy machine does not count as a fault. */
const SOUND_SHARE = 1 / 3;

/** Lets tests look at the fault that is planted in a checkout. */
export class Trial {
  readonly #mutated: Checkout;
  readonly #sound: Checkout;
  readonly #hasPassed: (test: string) => boolean;

  constructor(mutated: Checkout, sound: Checkout, hasPassed: (test: string) => boolean) {
    this.#mutated = mutated;
    this.#sound = sound;
    this.#hasPassed = hasPassed;
  }

  /** The tests in their order; types behind the first few, which catch most in less time. `file` has the fault. */
  async run(file: string, tests: readonly RankedTest[], { limitMs }: TrialOptions): Promise<Verdict> {
    const end = performance.now() + limitMs;
    let tried = 0;
    for (const [round, chunk] of chunksOf(tests).entries()) {
      if (performance.now() > end) return { type: 'missed', tests: tried, left: tests.length - tried };
      const by = await this.#failureOf(chunk);
      if (by !== undefined) return { type: 'caught', by };
      tried += chunk.length;
      const check = round === 0 ? await this.#mutated.failedCheck(file, CHECK_LIMIT_MS) : undefined;
      if (check !== undefined) return { type: 'caught', by: check };
    }
    const check = tests.length === 0 ? await this.#mutated.failedCheck(file, CHECK_LIMIT_MS) : undefined;
    return check === undefined ? { type: 'missed', tests: tried, left: 0 } : { type: 'caught', by: check };
  }

  /** What notices the fault among the tests: undefined if all pass, or fail without the fault as well. */
  async #failureOf(chunk: readonly RankedTest[]): Promise<string | undefined> {
    const outcome = await this.#mutated.test(namesOf(chunk), limitsOf(chunk));
    if (outcome.type === 'passed') return undefined;
    const files = outcome.type === 'failed' ? outcome.files : [];
    const [asserted] = outcome.type === 'failed' ? outcome.asserted : [];
    if (asserted !== undefined && this.#hasPassed(asserted)) return asserted;
    const suspects = files.length === 0 ? chunk : chunk.filter(({ test }) => files.includes(test));
    if (!(await this.#isDueToFault(suspects))) {
      const others = chunk.filter((one) => !suspects.includes(one));
      return others.length === 0 || suspects.length === 0 ? undefined : await this.#failureOf(others);
    }
    return outcome.type === 'hung' ? 'hanging' : (files[0] ?? 'failing to load');
  }

  /** The tests pass without the fault, with time to spare, and fail with it again: it is not chance, nor a lack of time. */
  async #isDueToFault(suspects: readonly RankedTest[]): Promise<boolean> {
    const limits = limitsOf(suspects);
    const short = { runMs: limits.runMs * SOUND_SHARE, testMs: limits.testMs * SOUND_SHARE };
    if ((await this.#sound.test(namesOf(suspects), short)).type !== 'passed') return false;
    return (await this.#mutated.test(namesOf(suspects), limits)).type !== 'passed';
  }
}

function namesOf(tests: readonly RankedTest[]): string[] {
  return tests.map(({ test }) => test);
}

function limitsOf(tests: readonly RankedTest[]): TestLimits {
  const durations = tests.map(({ durationMs }) => durationMs);
  return {
    runMs: START_MS + HUNG_FACTOR * durations.reduce((all, one) => all + one, 0),
    testMs: Math.max(LEAST_TEST_MS, HUNG_FACTOR * Math.max(...durations)),
  };
}

function chunksOf(tests: readonly RankedTest[]): RankedTest[][] {
  const chunks: RankedTest[][] = [];
  let room = 0;
  for (const one of tests) {
    if (room <= 0) {
      room = CHUNKS_MS[chunks.length] ?? CHUNKS_MS.at(-1) ?? 0;
      chunks.push([]);
    }
    chunks.at(-1)?.push(one);
    room -= one.durationMs;
  }
  return chunks;
}
