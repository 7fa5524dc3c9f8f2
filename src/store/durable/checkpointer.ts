import type { Clock, Logger } from '../../base/index.ts';
import type { Mvcc } from '../mvcc/mvcc.ts';
import { type CheckpointSource, writeCheckpoint } from './checkpoint-writer.ts';
import type { DurableFiles } from './durable-files.ts';
import { listStoreFiles } from './file-names.ts';
import type { Manifest } from './manifest.ts';
import type { Segments } from './segments.ts';

/** What a checkpoint is made of, and who must know of it. */
export interface CheckpointedStore {
  readonly mvcc: Mvcc;
  readonly segments: Segments;
  readonly manifest: Manifest;
}

export interface CheckpointerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** A checkpoint is written when it makes at least so much of the log superfluous. */
  readonly afterBytes: number;
  /** After so long less will do. */
  readonly intervalMs: number;
  /** The size of the checkpoint that there is; 0 if there is none. */
  readonly lastBytes: number;
}

/** Too many files are reason enough: each start makes it read all of them. */
const MAX_SUPERFLUOUS = 64;
/** How long after a write it may take until it is noticed that one is due. */
const LOOK_MS = 10_000;

/**
 * Writes checkpoints in the background and removes what they make superfluous.
 *
 * A checkpoint is of the state just before the history begins, and the log from there on is the history: together they
 * are all that there is to know, so both the state and the history survive a restart.
 */
export class Checkpointer {
  readonly #files: DurableFiles;
  readonly #source: CheckpointedStore;
  readonly #options: CheckpointerOptions;
  readonly #stop = new AbortController();
  /** The size of the newest checkpoint. */
  #lastBytes: number;
  #lastMs: number;
  #lookedMs: number;
  #running: Promise<void> | undefined;

  constructor(files: DurableFiles, source: CheckpointedStore, options: CheckpointerOptions) {
    this.#files = files;
    this.#source = source;
    this.#options = options;
    this.#lastBytes = options.lastBytes;
    this.#lastMs = options.clock.monotonic();
    this.#lookedMs = this.#lastMs;
  }

  /** Something was written, so that older history may have been forgotten. */
  noteWrite(): void {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#lookedMs < LOOK_MS) return;
    this.#lookedMs = nowMs;
    this.consider();
  }

  /** Begins to write a checkpoint if that is worth it now. */
  consider(): void {
    if (this.#running !== undefined || this.#stop.signal.aborted || !this.#isWorthIt()) return;
    void this.#exclusively(async () => {
      try {
        await this.#write();
      } catch (error) {
        if (!this.#stop.signal.aborted)
          this.#options.log.warn('store checkpoint failed, will try again later', { error });
      }
    });
  }

  /** Writes a checkpoint now. */
  async write(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    await this.#exclusively(() => this.#write());
  }

  /** Stops what is under way; resolves once it has stopped. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  #exclusively(work: () => Promise<void>): Promise<void> {
    const working = work();
    const isOver = (): void => {
      this.#running = undefined;
    };
    this.#running = working.then(isOver, isOver);
    return working;
  }

  /**
   * Half a checkpoint's worth of log at least, so that checkpoints are never more than two thirds of what is written; after
   * some time an eighth is enough.
   */
  #isWorthIt(): boolean {
    const { mvcc, segments } = this.#source;
    const superfluous = segments.coveredBy(mvcc.firstWatchable - 1);
    const bytes = superfluous.reduce((sum, segment) => sum + segment.bytes, 0);
    const { afterBytes, intervalMs, clock } = this.#options;
    const isMuch = bytes >= Math.max(afterBytes, this.#lastBytes / 2);
    const isDue = clock.monotonic() - this.#lastMs >= intervalMs && bytes >= this.#lastBytes / 8;
    return superfluous.length > 0 && (isMuch || isDue || superfluous.length >= MAX_SUPERFLUOUS);
  }

  async #write(): Promise<void> {
    const { mvcc, segments, manifest } = this.#source;
    const source = checkpointSource(mvcc);
    const written = await writeCheckpoint(this.#files, source, { signal: this.#stop.signal });
    this.#lastBytes = written.bytes;
    this.#lastMs = this.#options.clock.monotonic();
    await manifest.note({ checkpoint: source.revision });
    await manifest.sync(); // before anything is removed that it makes superfluous
    const old = (await listStoreFiles(this.#files)).checkpoints.filter(({ revision }) => revision < source.revision);
    const covered = segments.coveredBy(source.revision);
    for (const { name } of [...covered, ...old]) await this.#files.remove(name);
    segments.forget(covered);
    this.#options.log.info('store checkpoint written', {
      revision: source.revision,
      bytes: written.bytes,
      segmentsRemoved: covered.length,
    });
  }
}

/** The state just before the history begins. */
function checkpointSource(mvcc: Mvcc): CheckpointSource {
  const { revision, entries } = mvcc.base();
  return {
    revision,
    floor: mvcc.floor,
    entries: entries.values(),
    // a key that was written since gets its deadline from the log
    deadlineOf: (entry) => (mvcc.get(entry.key) === entry ? mvcc.deadlines.of(entry.key) : 0),
  };
}
