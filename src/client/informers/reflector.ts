import { compareResourceVersions, StatusError } from '../../api/client.ts';
import { Backoff, discardLogger, type Logger, millisecondsOf, type Runnable } from '../../base/index.ts';
import { TransportError } from '../../wire/http/index.ts';
import { keyOf, type KubernetesObject, type Observed } from '../kind.ts';
import type { WatchEvent } from '../resource/options.ts';
import type { ListWatcher } from './list-watcher.ts';
import type { ReflectorHealth, ReflectorOptions, ReflectorSink } from './reflector-options.ts';
import { noticingSilence, SilenceError } from './silence.ts';

/** A little longer than two bookmarks, which servers send about once a minute. */
const DEFAULT_QUIET_MS = 130_000;
/** A server that sends no bookmarks may stay silent until the watch's timeout; this is added to the timeout. */
const TIMEOUT_GRACE_MS = 30_000;
/** A streaming list that pauses for this long comes from a server that ignores `sendInitialEvents`. */
const LIST_QUIET_MS = 10_000;
/** A watch that lasted this long resets the back-off. */
const HEALTHY_AFTER_MS = 10_000;
/** After this many failures in a row the reflector lists again instead of resuming. */
const MAX_FAILURES_IN_PLACE = 5;
const DEFAULT_WATCH_MS = 5 * 60_000;
/** Effectively no timeout: ten years. */
const LOCAL_WATCH_MS = 10 * 365 * 24 * 60 * 60_000;

/**
 * Keeps a sink up to date with the objects of one resource until it is stopped, whatever the network does.
 *
 * Lists the objects, then watches from the list's resource version. A watch that ends is resumed from its last event;
 * if the server can no longer resume it (410), the reflector lists again; a silent watch is detected and restarted.
 *
 * Guarantees: the sink receives every change once and in order, or, after a gap, all objects.
 */
export class Reflector<T extends KubernetesObject> implements Runnable {
  readonly #source: ListWatcher<T>;
  readonly #sink: ReflectorSink<T>;
  readonly #options: ReflectorOptions;
  readonly #log: Logger;
  readonly #backoff: Backoff;
  /** The resource version to resume from. Undefined: list first. */
  #position: string | undefined;
  /** The sink's resource version when the position was given up. */
  #left = '';
  #canStream: boolean;
  #hasSeenBookmark = false;
  #state: ReflectorHealth['state'] = 'stopped';
  #lastContactMs: number | undefined;
  #startedAtMs = 0;
  #fetches = 0;
  #failures = 0;
  #lastError: unknown;

  constructor(source: ListWatcher<T>, sink: ReflectorSink<T>, options: ReflectorOptions) {
    this.#source = source;
    this.#sink = sink;
    this.#options = options;
    this.#log = (options.log ?? discardLogger).with({ watched: options.name ?? 'objects' });
    const { initialDelay = 800, maxDelay = 30_000 } = options.retries ?? {};
    const delays = { initialMs: millisecondsOf(initialDelay), capMs: millisecondsOf(maxDelay) };
    this.#backoff = new Backoff({ ...delays, factor: 2, jitter: 1 }, options.random);
    this.#canStream = options.isStreaming ?? options.isLocal !== true;
  }

  get health(): ReflectorHealth {
    return {
      state: this.#state,
      lastContactMs: this.#lastContactMs,
      resourceVersion: this.#position ?? this.#left,
      fetches: this.#fetches,
      failures: this.#failures,
      lastError: this.#lastError,
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#startedAtMs = this.#options.clock.monotonic();
      const isStreamingList = this.#position === undefined && this.#canStream;
      try {
        if (this.#position === undefined && !this.#canStream) await this.#list(signal);
        else await this.#follow(isStreamingList, signal);
      } catch (error) {
        if (!signal.aborted) await this.#recover(error, isStreamingList, signal);
      }
    }
    this.#state = 'stopped';
  }

  async #list(signal: AbortSignal): Promise<void> {
    this.#state = 'fetching';
    const { items, resourceVersion } = await this.#source.list({ signal, maxRetries: 0 });
    if (!signal.aborted) this.#replace(items, resourceVersion);
  }

  /** Runs one watch to its end: changes from the position on, or a streaming list first. */
  async #follow(isStreamingList: boolean, signal: AbortSignal): Promise<void> {
    this.#state = isStreamingList ? 'fetching' : 'watching';
    let gathering = isStreamingList ? new Map<string, Observed<T>>() : undefined;
    let count = 0;
    for await (const batch of this.#open(() => gathering !== undefined, signal)) {
      if (signal.aborted) return;
      this.#lastContactMs = this.#options.clock.monotonic();
      count += batch.length;
      for (const event of batch) {
        if (gathering === undefined) this.#apply(event);
        else if (this.#gather(gathering, event)) gathering = undefined;
      }
      if (gathering === undefined) this.#succeeded();
    }
    if (signal.aborted) return;
    if (gathering !== undefined) throw new TransportError('cut', 'The streaming list ended before it was complete');
    const isTooShort = count === 0 && this.#options.clock.monotonic() - this.#startedAtMs < 1000;
    if (isTooShort) throw new TransportError('cut', 'The watch ended right after it began');
  }

  #open(isGathering: () => boolean, signal: AbortSignal): AsyncIterable<readonly WatchEvent<T>[]> {
    const { clock, random, isLocal = false, maxQuietTime = DEFAULT_QUIET_MS } = this.#options;
    const { minWatchTime = isLocal ? LOCAL_WATCH_MS : DEFAULT_WATCH_MS } = this.#options;
    const maxQuietMs = millisecondsOf(maxQuietTime);
    const timeoutSeconds = Math.ceil((millisecondsOf(minWatchTime) * (1 + random.float())) / 1000);
    const start = isGathering()
      ? ({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } as const)
      : { resourceVersion: this.#position };
    const open = (scope: AbortSignal): AsyncIterable<readonly WatchEvent<T>[]> =>
      this.#source.watchBatches({
        ...start,
        allowWatchBookmarks: !isLocal,
        timeoutSeconds,
        signal: scope,
        maxRetries: 0,
      });
    if (isLocal) return open(signal);
    const withoutBookmarks = timeoutSeconds * 1000 + TIMEOUT_GRACE_MS;
    return noticingSilence(open, {
      clock,
      signal,
      maxQuietMs: () => (isGathering() ? LIST_QUIET_MS : this.#hasSeenBookmark ? maxQuietMs : withoutBookmarks),
    });
  }

  /** Takes an event of a streaming list; true when it was the last one. */
  #gather(state: Map<string, Observed<T>>, event: WatchEvent<T>): boolean {
    if (event.type === 'BOOKMARK') {
      if (!event.endsInitialEvents) return false;
      this.#hasSeenBookmark = true;
      this.#replace([...state.values()], event.resourceVersion);
      return true;
    }
    const key = keyOf(event.object);
    const known = state.get(key);
    if (known !== undefined && !isNewer(event.object.metadata.resourceVersion, known.metadata.resourceVersion))
      return false;
    if (event.type === 'DELETED') state.delete(key);
    else state.set(key, event.object);
    return false;
  }

  #replace(objects: readonly Observed<T>[], resourceVersion: string): void {
    this.#lastContactMs = this.#options.clock.monotonic();
    this.#position = resourceVersion;
    this.#state = 'watching';
    this.#fetches += 1;
    this.#sink.replace(objects, resourceVersion);
    this.#succeeded();
  }

  /**
   * Passes a change on, unless the sink has it already: events come in order, so one that is not newer is a repetition.
   */
  #apply(event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') {
      this.#hasSeenBookmark = true;
      if (isNewer(event.resourceVersion, this.#position)) this.#position = event.resourceVersion;
      return;
    }
    const { resourceVersion } = event.object.metadata;
    if (!isNewer(resourceVersion, this.#position)) return;
    this.#position = resourceVersion;
    if (event.type === 'ADDED') this.#sink.add(event.object);
    else if (event.type === 'MODIFIED') this.#sink.update(event.object);
    else this.#sink.delete(event.object);
  }

  #succeeded(): void {
    if (this.#failures === 0) return;
    this.#failures = 0;
    this.#backoff.reset();
  }

  async #recover(error: unknown, isStreamingList: boolean, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    if (clock.monotonic() - this.#startedAtMs > HEALTHY_AFTER_MS) this.#succeeded();
    this.#failures += 1;
    this.#lastError = error;
    const isUnendingList = error instanceof SilenceError && this.#state === 'fetching';
    const meaning = isUnendingList ? 'unsupported' : classifyFailure(error, isStreamingList);
    this.#log.warn('watch failed', { error, meaning, failures: this.#failures, position: this.#position });
    if (meaning === 'unsupported') this.#canStream = false;
    if (meaning === 'lost' || this.#failures % MAX_FAILURES_IN_PLACE === 0) {
      this.#left = this.#position ?? this.#left;
      this.#position = undefined;
    }
    const isFirst = this.#failures === 1;
    const isAskedAgain = meaning === 'lost' || meaning === 'unsupported' || error instanceof SilenceError;
    if (isFirst && isAskedAgain) return;
    this.#state = 'waiting';
    await clock.sleep(Math.max(this.#backoff.nextMs(), retryAfterMs(error)), signal);
  }
}

/** Whether `left` is newer than `right`. Versions that cannot be compared count as newer. */
function isNewer(left: string, right: string | undefined): boolean {
  if (right === undefined || right === '' || right === '0') return true;
  const order = compareResourceVersions(left, right);
  return typeof order !== 'number' || order > 0;
}

function retryAfterMs(error: unknown): number {
  return error instanceof StatusError ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;
}

/** What a failed list or watch means for a reflector. */
type WatchFailure =
  /** The server cannot resume from the position: list again. */
  | 'lost'
  /** The server does not support streaming lists. */
  | 'unsupported'
  /** An administrator must grant access first; then it goes on from the same position. */
  | 'forbidden'
  /** The server does not serve the kind, or not yet. */
  | 'unserved'
  /** Try again from the same position. */
  | 'passing';

/** What codes mean that say nothing about the position. */
const MEANINGS: ReadonlyMap<number, WatchFailure> = new Map([
  [401, 'forbidden'],
  [403, 'forbidden'],
  [404, 'unserved'],
  [408, 'passing'],
  [429, 'passing'],
]);

function classifyFailure(error: unknown, isStreamingList: boolean): WatchFailure {
  if (!(error instanceof StatusError)) return 'passing';
  if (error.code === 410 || isTooLargeResourceVersion(error)) return 'lost';
  if (error.code >= 500 || error.code < 400) return 'passing';
  return MEANINGS.get(error.code) ?? (isStreamingList ? 'unsupported' : 'lost');
}

/** The server is older than the position, as after a restore. */
function isTooLargeResourceVersion({ status }: StatusError): boolean {
  return status.details?.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') ?? false;
}
