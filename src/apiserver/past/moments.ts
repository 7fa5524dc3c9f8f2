import type { Clock } from '../../base/index.ts';
import type { PastRevisions } from '../../store/index.ts';

/** A revision and when it was written. */
export interface Moment {
  readonly revision: number;
  /** RFC 3339, with milliseconds. */
  readonly time: string;
}

export function momentAt(past: PastRevisions, revision: number): Moment {
  return { revision, time: new Date(past.at(revision).timeMs).toISOString() };
}

/** The oldest change that is kept; now, where none is. */
export function oldestMoment(past: PastRevisions, clock: Pick<Clock, 'now'>): Moment {
  return past.first <= past.last ? momentAt(past, past.first) : emptyMoment(past, clock);
}

export function newestMoment(past: PastRevisions, clock: Pick<Clock, 'now'>): Moment {
  return past.first <= past.last ? momentAt(past, past.last) : emptyMoment(past, clock);
}

function emptyMoment({ last }: PastRevisions, clock: Pick<Clock, 'now'>): Moment {
  return { revision: last, time: new Date(clock.now()).toISOString() };
}

/** The last revision that was written until then; the one before the first where all were written later. */
export function revisionAt(past: PastRevisions, ms: number): number {
  let [low, high] = [past.first - 1, past.last];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (past.at(middle).timeMs <= ms) low = middle;
    else high = middle - 1;
  }
  return low;
}
