import { Backoff, discardLogger, type Logger, type Runnable } from '../../../base/index.ts';
import { isStoreError, StoreError } from '../../errors.ts';
import type { Mvcc, MvccOptions } from '../../mvcc/mvcc.ts';
import type { KeyRange, Revision } from '../../store.ts';
import type { EtcdStore } from '../etcd-store.ts';
import type { EtcdWatch } from '../etcd-watch.ts';
import { applyBatch, MirrorGap } from './apply-batch.ts';
import { loadMirror } from './load-mirror.ts';
import type { OwnValues } from './own-values.ts';
import { RevisionWaiters } from './revision-waiters.ts';

export interface MirrorFeedOptions extends MvccOptions {
  readonly range: KeyRange;
  readonly ownValues: OwnValues;
  readonly log?: Logger;
  /** How long to wait for the mirror; 10 s unless given. */
  readonly maxWaitMs?: number;
}

const DEFAULT_MAX_WAIT_MS = 10_000;
const RETRY = { initialMs: 100, capMs: 5000, jitter: 0.2 };
/** The event that is waited for is usually on its way; only when it does not come is etcd asked whether there is one. */
const ASK_AFTER_MS = 5;

/**
 * Keeps a copy of a range of etcd's keys: lists it once, then follows a watch. When the watch cannot go on, because etcd
 * has compacted what it missed, the copy is made anew and everybody who watches it is told so.
 */
export class MirrorFeed implements Runnable {
  readonly #etcd: EtcdStore;
  readonly #options: MirrorFeedOptions;
  readonly #log: Logger;
  readonly #waiters: RevisionWaiters;
  #mvcc: Mvcc | undefined;
  #watch: EtcdWatch | undefined;
  #asking: Disposable | undefined;
  #askFor: Revision = 0;
  #lastFailure: unknown;
  #isOver = false;

  constructor(etcd: EtcdStore, options: MirrorFeedOptions) {
    this.#etcd = etcd;
    this.#options = options;
    this.#log = options.log ?? discardLogger;
    this.#waiters = new RevisionWaiters(etcd.clock);
  }

  /** The copy as far as it is; `undefined` before there is one. */
  get mvcc(): Mvcc | undefined {
    return this.#mvcc;
  }

  /** The copy, once it has come to `revision`; any is good enough unless given. Rejects with `Unavailable` after a while. */
  async reached(revision: Revision = 0): Promise<Mvcc> {
    if (this.#isOver) throw closed();
    if (this.#mvcc === undefined || this.#mvcc.revision < revision) {
      this.#askSoon(revision);
      const timeoutMs = this.#options.maxWaitMs ?? DEFAULT_MAX_WAIT_MS;
      await this.#waiters.wait(revision, { timeoutMs, onTimeout: () => this.#tooLate(revision, timeoutMs) });
    }
    return this.#mvcc as Mvcc;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#etcd;
    const backoff = new Backoff(RETRY, random);
    while (!signal.aborted) {
      try {
        await this.#load(signal);
        backoff.reset();
        await this.#follow(this.#mvcc as Mvcc, signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#lastFailure = error;
        const isBehind = error instanceof MirrorGap || isStoreError(error, 'Compacted');
        this.#log.warn(isBehind ? 'mirror of etcd is made anew' : 'mirror of etcd has failed', { error });
        await clock.sleep(backoff.nextMs(), signal);
      }
    }
    this.#isOver = true;
    this.#asking?.[Symbol.dispose]();
    this.#waiters.rejectAll(closed());
    await this.#mvcc?.close();
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { range, ownValues, history, watch } = this.#options;
    const before = this.#mvcc;
    const mvcc = await loadMirror(this.#etcd, range, { signal, before, ownValues, history, watch });
    this.#mvcc = mvcc;
    await before?.close();
    this.#waiters.release(mvcc.revision);
  }

  async #follow(mvcc: Mvcc, signal: AbortSignal): Promise<void> {
    const { range, ownValues } = this.#options;
    this.#watch = this.#etcd.openWatch(range, { from: mvcc.revision + 1, signal, hasPrevious: false });
    if (this.#askFor > mvcc.revision) this.#watch.wantProgress(this.#askFor);
    for await (const batch of this.#watch) {
      applyBatch(mvcc, batch, { ownValues, timeMs: this.#etcd.clock.now() });
      this.#waiters.release(mvcc.revision);
    }
  }

  /** Makes sure that `revision` is reached even if it changed nothing in the range. */
  #askSoon(revision: Revision): void {
    this.#askFor = Math.max(this.#askFor, revision);
    this.#asking ??= this.#etcd.clock.timer(ASK_AFTER_MS, () => {
      this.#asking = undefined;
      if (this.#askFor > (this.#mvcc?.revision ?? 0)) this.#watch?.wantProgress(this.#askFor);
    });
  }

  #tooLate(revision: Revision, timeoutMs: number): StoreError {
    const at = this.#mvcc === undefined ? 'is not there yet' : `is at ${this.#mvcc.revision}`;
    const wish = revision === 0 ? '' : ` for revision ${revision}`;
    const message = `Cannot read the mirror of etcd: it ${at} after waiting ${timeoutMs} ms${wish}`;
    return new StoreError('Unavailable', message, { cause: this.#lastFailure });
  }
}

function closed(): StoreError {
  return new StoreError('Unavailable', 'Cannot use the store: it is closed');
}
