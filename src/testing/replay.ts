import { CryptoRandom } from '../base/index.ts';

/** What decides a cluster's run, besides the code. */
export interface Replay {
  readonly seed: string;
  /** Where virtual time begins; default now. */
  readonly startAt?: Date | string;
}

/** The environment variable that repeats an earlier run. */
export const REPLAY_VARIABLE = 'KEELSON_REPLAY';
const SEED_LENGTH = 10;

/** The seed and start time: as given, from the environment, or random. */
export function replayOf(given: Partial<Replay>, environment: Readonly<Record<string, string | undefined>>): Replay {
  const { seed, startAt } = given;
  if (seed !== undefined) return { seed, ...(startAt === undefined ? {} : { startAt }) };
  const recorded = environment[REPLAY_VARIABLE];
  if (recorded === undefined || recorded === '')
    return { seed: new CryptoRandom().nameSuffix(SEED_LENGTH), ...(startAt === undefined ? {} : { startAt }) };
  const [, earlier = '', time = ''] = /^(.+)@([^@]+)$/.exec(recorded) ?? [];
  if (earlier === '' || Number.isNaN(Date.parse(time)))
    throw new Error(`Cannot replay ${REPLAY_VARIABLE}="${recorded}": it is not SEED@TIME, as a failed test prints it`);
  return { seed: earlier, startAt: startAt ?? time };
}

/** The value of the variable that repeats the run. */
export function replayText({ seed, startMs }: { readonly seed: string; readonly startMs: number }): string {
  return `${seed}@${new Date(startMs).toISOString()}`;
}
