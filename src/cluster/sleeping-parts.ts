import type { ApiServer } from '../apiserver/index.ts';
import type { Clock, Logger } from '../base/index.ts';
import type { ClusterState, Dormancy, ObjectChange, ProgramPart, PartStart, ReadKind } from '../kit/index.ts';
import { type InProcessStore, isStoreError, prefixRange, type Store, type StoreEvent } from '../store/index.ts';
import { StoredChange, StoredState } from './stored-state.ts';

/** All keys begin with it. */
const EVERYTHING = '/';

/** What is known of the parts of a cluster that has settled. */
export interface SettledParts {
  /** The kinds that parts read, by `settledName`. */
  readonly reads: ReadonlyMap<string, readonly ReadKind[]>;
  /** For this long no part has anything to do, unless something changes. */
  readonly quietMs: number;
}

export function settledName(program: string, part: string): string {
  return `${program} ${part}`;
}

export interface SleepingPartsOptions {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where the cluster goes on from one in which nothing was left to do: such parts sleep until something concerns them. */
  readonly settled?: SettledParts | undefined;
}

interface Sleeper {
  readonly program: string;
  readonly part: ProgramPart;
  /** Whether the part has finished its work; otherwise it has never had any. */
  readonly isSettled: boolean;
  readonly wake: () => void;
}

/**
 * Parts of the cluster's programs that have nothing to do: for want of objects of their kinds, or because they had seen to
 * everything when the cluster was copied. One watch of the store shows when that changes.
 *
 * Guarantees: a part that sleeps would do nothing if it were awake.
 */
export class SleepingParts implements Disposable {
  readonly #options: SleepingPartsOptions;
  readonly #store: InProcessStore;
  readonly #state: ClusterState;
  /** The resourceVersion of the store in the beginning. */
  readonly #beganAt: string;
  readonly #sleepers = new Set<Sleeper>();
  /** The sleepers that changes below a prefix of the store's keys may wake. */
  readonly #byPrefix = new Map<string, Set<Sleeper>>();
  readonly #stop = new AbortController();
  #timer: Disposable | undefined;
  #isFollowing = false;

  private constructor(store: InProcessStore, options: SleepingPartsOptions) {
    this.#store = store;
    this.#options = options;
    this.#state = new StoredState(store, options.server);
    this.#beganAt = String(store.revisionNow());
  }

  /** Undefined where the store is in another process: there, checking for work costs as much as the work. */
  static of(options: SleepingPartsOptions): SleepingParts | undefined {
    const { store } = options.server.objects;
    return isInProcess(store) ? new SleepingParts(store, options) : undefined;
  }

  dormancyOf(program: string): Dormancy {
    return { startOf: (part, wake) => this.#startOf(part, { wake, program }) };
  }

  /** Forgets the parts of a program that has ended, and with them what it has in its caches. */
  forget(program: string): void {
    for (const sleeper of this.#sleepers) if (sleeper.program === program) this.#remove(sleeper);
  }

  /** Wakes all that were put to sleep as settled: time has passed that they might have waited for. */
  wakeSettled(): void {
    for (const sleeper of this.#sleepers) if (sleeper.isSettled && this.#isNeeded(sleeper.part)) this.#wake(sleeper);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#timer?.[Symbol.dispose]();
    this.#sleepers.clear();
  }

  #startOf(part: ProgramPart, { wake, program }: Pick<Sleeper, 'wake' | 'program'>): PartStart {
    const reads = this.#options.settled?.reads.get(settledName(program, part.name));
    const seen = reads === undefined ? {} : { seenUpTo: this.#beganAt };
    const isSettled = reads !== undefined && !(part.holds ?? []).some((kind) => this.#state.hasAny(kind));
    const concerning: readonly ReadKind[] = isSettled ? reads : (part.sleepsWithout ?? []);
    const isAsleep =
      (isSettled || !this.#isNeeded(part)) && concerning.every((kind) => this.#prefixOf(kind) !== undefined);
    if (!isAsleep) return { isAsleep, ...seen }; // of kinds that are not served yet, it waits itself
    const sleeper: Sleeper = { program, part, isSettled, wake };
    this.#sleepers.add(sleeper);
    if (part.readsEverything === true) this.#place(EVERYTHING, sleeper);
    else for (const kind of concerning) this.#place(this.#prefixOf(kind) ?? EVERYTHING, sleeper);
    this.#begin();
    return { isAsleep, ...seen };
  }

  /** What the keys of a kind's objects begin with; undefined while it is not served. */
  #prefixOf({ group, plural, namespace }: ReadKind): string | undefined {
    const { prefix } = this.#options.server.objects.of(group, plural);
    return prefix === undefined || namespace === undefined ? prefix : `${prefix}${namespace}/`;
  }

  #place(place: string, sleeper: Sleeper): void {
    const known = this.#byPrefix.get(place);
    if (known === undefined) this.#byPrefix.set(place, new Set([sleeper]));
    else known.add(sleeper);
  }

  #isNeeded({ sleepsWithout }: ProgramPart): boolean {
    return sleepsWithout === undefined || sleepsWithout.some((kind) => this.#state.hasAny(kind));
  }

  #begin(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const { settled, clock, log } = this.#options;
    if (settled !== undefined && settled.quietMs < Infinity)
      this.#timer = clock.timer(settled.quietMs, () => this.wakeSettled());
    this.#follow().catch((error: unknown) => {
      log.error('sleeping parts are woken, for changes cannot be followed', { error });
      for (const sleeper of this.#sleepers) this.#wake(sleeper);
    });
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const from = this.#store.revisionNow() + 1;
    try {
      for await (const { events } of this.#store.watch(prefixRange(''), { from, signal })) {
        for (const event of events) this.#changed(event);
        if (this.#sleepers.size === 0) return;
      }
    } catch (error) {
      if (!signal.aborted && !isStoreError(error, 'Unavailable')) throw error;
    }
  }

  #changed(event: StoreEvent): void {
    const key = event.type === 'put' ? event.entry.key : event.key;
    const change = new StoredChange(event, this.#options.server.objects);
    for (let end = key.indexOf('/'); end >= 0; end = key.indexOf('/', end + 1)) {
      const sleepers = this.#byPrefix.get(key.slice(0, end + 1));
      if (sleepers === undefined) continue;
      for (const sleeper of sleepers) if (!this.#sleepsThrough(change, sleeper.part)) this.#wake(sleeper);
    }
  }

  #sleepsThrough(change: ObjectChange, part: ProgramPart): boolean {
    try {
      return part.sleepsThrough?.(change, this.#state) === true;
    } catch {
      return false; // an encrypted value that was never read cannot be judged
    }
  }

  #wake(sleeper: Sleeper): void {
    if (this.#remove(sleeper)) sleeper.wake();
  }

  /** False if it was removed before. */
  #remove(sleeper: Sleeper): boolean {
    for (const sleepers of this.#byPrefix.values()) sleepers.delete(sleeper);
    return this.#sleepers.delete(sleeper);
  }
}

function isInProcess(store: Store): store is InProcessStore {
  return 'rangeNow' in store && 'revisionNow' in store;
}
