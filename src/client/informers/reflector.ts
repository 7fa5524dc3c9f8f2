import { compareResourceVersions, StatusError } from '../../api/index.ts';
import { Backoff, type BackoffOptions, type Clock, discardLogger, type Logger, type Random, type Runnable } from '../../base/index.ts';
import { AbortScope } from '../abort-scope.ts';
import { keyOf, type KubernetesObject, type Observed } from '../kind.ts';
import type { WatchEvent } from '../resource/watch-event.ts';
import { TransportError } from '../transport-error.ts';
import type { ListWatcher } from './list-watcher.ts';
import { classifyFailure } from './watch-failure.ts';

/** Where a reflector puts what it hears. */
export interface ReflectorSink<T extends KubernetesObject> {
  /** The whole state as of one moment: what is not in it is gone. */
  replace(objects: readonly Observed<T>[], resourceVersion: string): void;
  add(object: Observed<T>): void;
  update(object: Observed<T>): void;
  /** `object` is the last state of what was deleted. */
  delete(object: Observed<T>): void;
}

export interface ReflectorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  /** Names what is watched, for logs. */
  readonly name?: string;
  /** Fetches the state by watch (KEP-3157) where the server can; true unless given. */
  readonly isStreaming?: boolean;
  /** The server is asked to end each watch after this long, up to twice as long by chance. 5 minutes unless given. */
  readonly minWatchMs?: number;
  /** A watch on which nothing came for so long, not even a bookmark, is given up. A bit over two bookmarks unless given. */
  readonly inactivityMs?: number;
  /** Between tries that fail; 800 ms doubling to 30 s, each up to twice as long by chance, unless given. */
  readonly backoff?: BackoffOptions;
}

export type ReflectorState = 'stopped' | 'fetching' | 'watching' | 'waiting';

/** How a reflector is doing: for readiness checks and metrics. */
export interface ReflectorHealth {
  readonly state: ReflectorState;
  /** When the server was last heard of, in the clock's monotonic milliseconds; undefined before the first time. */
  readonly heardAtMs: number | undefined;
  /** How far it is. */
  readonly resourceVersion: string;
  /** Tries that failed since one succeeded. */
  readonly failures: number;
  readonly lastError: unknown;
}

/** Bookmarks come about once a minute. */
const DEFAULT_INACTIVITY_MS = 130_000;
/** Without bookmarks, silence is normal until the server should have ended the watch. */
const TIMEOUT_GRACE_MS = 30_000;
/** A streaming list that pauses for so long comes from a server that does not know how to end it. */
const INITIAL_QUIET_MS = 10_000;
/** After so many failures in a row the position itself is suspect. */
const MAX_FAILURES_IN_PLACE = 5;
const DEFAULT_BACKOFF: BackoffOptions = { initialMs: 800, factor: 2, jitter: 1, capMs: 30_000 };

/**
 * Keeps a sink up to date with the objects of one resource, for as long as it runs, whatever the network does.
 *
 * Fetches the state, then follows the changes from that very moment. A watch that ends is resumed where it was; one that
 * the server no longer can resume (410) leads to fetching the state anew; one that has gone silent is noticed.
 *
 * Guarantees: the sink hears of every change once and in order, or, after a gap, of the whole state.
 */
export class Reflector<T extends KubernetesObject> implements Runnable {
  readonly #source: ListWatcher<T>;
  readonly #sink: ReflectorSink<T>;
  readonly #options: ReflectorOptions;
  readonly #log: Logger;
  readonly #backoff: Backoff;
  /** Undefined: the state must be fetched. */
  #position: string | undefined;
  #canStream: boolean;
  #hasSeenBookmark = false;
  #state: ReflectorState = 'stopped';
  #heardAtMs: number | undefined;
  #failures = 0;
  #lastError: unknown;

  constructor(source: ListWatcher<T>, sink: ReflectorSink<T>, options: ReflectorOptions) {
    this.#source = source;
    this.#sink = sink;
    this.#options = options;
    this.#log = (options.log ?? discardLogger).with({ watched: options.name ?? 'objects' });
    this.#backoff = new Backoff(options.backoff ?? DEFAULT_BACKOFF, options.random);
    this.#canStream = options.isStreaming ?? true;
  }

  get health(): ReflectorHealth {
    return {
      state: this.#state,
      heardAtMs: this.#heardAtMs,
      resourceVersion: this.#position ?? '',
      failures: this.#failures,
      lastError: this.#lastError,
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.#attempt(signal);
      if (waitMs === undefined || signal.aborted) continue;
      this.#state = 'waiting';
      await this.#options.clock.sleep(waitMs, signal);
    }
    this.#state = 'stopped';
  }

  /** One list or watch, to its end; says how long to wait before the next. */
  async #attempt(signal: AbortSignal): Promise<number | undefined> {
    const isStreamingList = this.#position === undefined && this.#canStream;
    const startedAtMs = this.#options.clock.monotonic();
    const failuresBefore = this.#failures;
    try {
      if (this.#position === undefined && !this.#canStream) await this.#list(signal);
      else await this.#watch(isStreamingList, signal);
      const isVeryShort = this.#options.clock.monotonic() - startedAtMs < 1000 && this.#heardSince(startedAtMs) === false;
      return isVeryShort ? this.#fail(new TransportError('cut', 'The watch ended before it began'), isStreamingList) : undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      const wasHealthy = this.#failures === 0 && failuresBefore > 0;
      if (wasHealthy) this.#backoff.reset();
      return this.#fail(error, isStreamingList);
    }
  }
}
