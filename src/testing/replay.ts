import { CryptoRandom } from '../base/index.ts';

/** What decides how a run of a cluster goes, besides the code. */
export interface Replay {
  readonly seed: string;
  /** Where virtual time begins; default now. */
  readonly startAt?: Date | string;
}

/** The variable of the environment that has a run of before repeated. */
export const REPLAY_VARIABLE = 'KEELSON_REPLAY';
const SEED_LENGTH = 10;

/** The seed and the time to start with: as given, as the environment says, or by chance. */
export function replayOf(given: Partial<Replay>, environment: Readonly<Record<string, string | undefined>>): Replay {
  const { seed, startAt } = given;
  if (seed !== undefined) return { seed, ...(startAt === undefined ? {} : { startAt }) };
  const recorded = environment[REPLAY_VARIABLE];
  if (recorded === undefined || recorded === '')
    return { seed: new CryptoRandom().nameSuffix(SEED_LENGTH), ...(startAt === undefined ? {} : { startAt }) };
  const [, earlier = '', time = ''] = /^(.+)@([^@]+)$/.exec(recorded) ?? [];
  if (earlier === '' || Number.isNaN(Date.parse(time)))
    throw new Error(`Cannot replay ${REPLAY_VARIABLE}="${recorded}": it is not SEED@TIME, as a failed test tells it`);
  return { seed: earlier, startAt: startAt ?? time };
}

/** What the variable has to be for the same run again. */
export function replayText({ seed, startMs }: { readonly seed: string; readonly startMs: number }): string {
  return `${seed}@${new Date(startMs).toISOString()}`;
}
