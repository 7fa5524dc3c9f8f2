import type { Clock, Random } from '../../base/index.ts';
import type { Entry, HealthReporting, KeyRange, RangeOptions, ReadOptions, Revision, Store } from '../store.ts';
import type { WatchBatch, WatchOptions } from '../store.ts';

/** A part of a range at one revision. */
export interface MirroredPage {
  readonly entries: readonly Entry[];
  readonly revision: Revision;
}

/** A watch on which progress can be requested individually. Leaving its iteration ends it. */
export interface MirroredWatch extends AsyncIterable<WatchBatch> {
  /** Requests a batch that reaches `revision`, which the store is known to have reached. */
  wantProgress(revision: Revision): void;
}

/** A store of another process that can be mirrored. */
export interface MirroredStore extends Store, HealthReporting {
  readonly clock: Clock;
  readonly random: Random;
  revision(options?: Pick<ReadOptions, 'notOlderThan' | 'signal'>): Promise<Revision>;
  /** `revision()` synchronously, where it can be read without asking the other process. */
  newestNow?(): Revision | undefined;
  /** Reads `range` page by page, all at the same revision. */
  pages(range: KeyRange, options?: RangeOptions): AsyncIterable<MirroredPage>;
  /** `hasPrevious` says whether events include the previous entry. */
  openWatch(range: KeyRange, options: WatchOptions & { readonly hasPrevious: boolean }): MirroredWatch;
}
