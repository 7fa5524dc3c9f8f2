import type { Clock, Logger } from '../../base/index.ts';
import type { Mvcc } from '../mvcc/mvcc.ts';
import { type CheckpointSource, writeCheckpoint } from './checkpoint-writer.ts';
import type { DurableFiles } from './durable-files.ts';
import { listStoreFiles } from './file-names.ts';
import type { Manifest } from './manifest.ts';
import type { Segments } from './segments.ts';

/** What a checkpoint is made from, and what has to be updated once it exists. */
export interface CheckpointedStore {
  readonly mvcc: Mvcc;
  readonly segments: Segments;
  readonly manifest: Manifest;
}

export interface CheckpointerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Write a checkpoint when it makes at least this much of the log obsolete. */
  readonly afterBytes: number;
  /** After this interval, less obsolete log is enough. */
  readonly intervalMs: number;
  /** Size of the existing checkpoint; 0 if there is none. */
  readonly lastBytes: number;
}

/** This many obsolete segments are reason enough, because each start reads all of them. */
const MAX_OBSOLETE_SEGMENTS = 64;
/** How long after a write the checkpointer may take to notice that a checkpoint is due. */
const CHECK_INTERVAL_MS = 10_000;

/**
 * Writes checkpoints in the background and removes the files they make obsolete.
 *
 * A checkpoint holds the state just before the history begins, and the log from there on is the history. Together they
 * let both the state and the history survive a restart.
 */
export class Checkpointer {
  readonly #files: DurableFiles;
  readonly #source: CheckpointedStore;
  readonly #options: CheckpointerOptions;
  readonly #stop = new AbortController();
  /** Size of the newest checkpoint. */
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

  /** Call after a write: older history may have been dropped by it. */
  noteWrite(): void {
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - this.#lookedMs < CHECK_INTERVAL_MS) return;
    this.#lookedMs = nowMs;
    this.consider();
  }

  /** Starts writing a checkpoint if one is worthwhile now. */
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

  /** Stops the checkpoint in progress; resolves once it has stopped. */
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
   * Requires at least half a checkpoint's worth of obsolete log, so that checkpoints are never more than two thirds of
   * all bytes written; after the interval an eighth is enough.
   */
  #isWorthIt(): boolean {
    const { mvcc, segments } = this.#source;
    const obsolete = segments.coveredBy(mvcc.past.first - 1);
    const bytes = obsolete.reduce((sum, segment) => sum + segment.bytes, 0);
    const { afterBytes, intervalMs, clock } = this.#options;
    const isMuch = bytes >= Math.max(afterBytes, this.#lastBytes / 2);
    const isDue = clock.monotonic() - this.#lastMs >= intervalMs && bytes >= this.#lastBytes / 8;
    return obsolete.length > 0 && (isMuch || isDue || obsolete.length >= MAX_OBSOLETE_SEGMENTS);
  }

  async #write(): Promise<void> {
    const { mvcc, segments, manifest } = this.#source;
    const source = checkpointSource(mvcc);
    const written = await writeCheckpoint(this.#files, source, { signal: this.#stop.signal });
    this.#lastBytes = written.bytes;
    this.#lastMs = this.#options.clock.monotonic();
    await manifest.note({ checkpoint: source.revision });
    await manifest.sync(); // before the files it makes obsolete are removed
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
    // the log holds the deadline of a key that was written since
    deadlineOf: (entry) => (mvcc.get(entry.key) === entry ? mvcc.deadlines.of(entry.key) : 0),
  };
}
