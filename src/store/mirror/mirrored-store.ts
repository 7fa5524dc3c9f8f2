import type { Clock, Random } from '../../base/index.ts';
import type { Entry, HealthReporting, KeyRange, RangeOptions, ReadOptions, Revision, Store } from '../store.ts';
import type { WatchBatch, WatchOptions } from '../store.ts';

/** A part of a range, as it was at one revision. */
export interface MirroredPage {
  readonly entries: readonly Entry[];
  readonly revision: Revision;
}

/** A watch that can also be asked for progress on its own. Whoever iterates it ends it. */
export interface MirroredWatch extends AsyncIterable<WatchBatch> {
  /** Asks for a batch that reaches `revision`, which the store is known to have reached. */
  wantProgress(revision: Revision): void;
}

/** A store of another process, which a mirror can be a copy of. */
export interface MirroredStore extends Store, HealthReporting {
  readonly clock: Clock;
  readonly random: Random;
  revision(options?: Pick<ReadOptions, 'notOlderThan' | 'signal'>): Promise<Revision>;
  /** `revision()` at once, where that can be had without asking the other process. */
  newestNow?(): Revision | undefined;
  /** `range` piece by piece, all at the same revision. */
  pages(range: KeyRange, options?: RangeOptions): AsyncIterable<MirroredPage>;
  /** `hasPrevious` says whether events are to tell what was there before. */
  openWatch(range: KeyRange, options: WatchOptions & { readonly hasPrevious: boolean }): MirroredWatch;
}
