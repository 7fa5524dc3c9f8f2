import type { Clock, Duration, Logger, Random } from '../../base/index.ts';
import type { KubernetesObject, Observed } from '../kind.ts';
import type { RetryDelays } from './rate-limiter.ts';

/** Receives the objects and changes that a reflector reads. */
export interface ReflectorSink<T extends KubernetesObject> {
  /** All objects as of one resource version: an object that is not among them has been deleted. */
  replace(objects: readonly Observed<T>[], resourceVersion: string): void;
  add(object: Observed<T>): void;
  update(object: Observed<T>): void;
  /** `object` is the last state of the deleted object. */
  delete(object: Observed<T>): void;
}

export interface ReflectorOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  /** The name of the watched resource, for logs. */
  readonly name?: string;
  /**
   * Lists by watch (KEP-3157) where the server supports it; default true, except when the server is in this process.
   */
  readonly isStreaming?: boolean;
  /** Asks the server to end each watch after this time, with random jitter up to twice as long. Default 5 minutes. */
  readonly minWatchTime?: Duration;
  /**
   * Gives up a watch that has delivered nothing for this long, not even a bookmark. Default: a little longer than two
   * bookmarks.
   */
  readonly maxQuietTime?: Duration;
  /** The server is in this process: watches need no timeout and no bookmarks, and cannot fall silent. */
  readonly isLocal?: boolean;
  /**
   * The wait after a failed try; default 800 ms, doubling up to 30 s. Random jitter makes each wait up to twice as
   * long.
   */
  readonly retries?: RetryDelays;
}

/** A reflector's health, for readiness checks and metrics. */
export interface ReflectorHealth {
  readonly state: 'stopped' | 'fetching' | 'watching' | 'waiting';
  /** When the server last sent anything, in the clock's monotonic milliseconds; undefined before the first time. */
  readonly lastContactMs: number | undefined;
  /** The resource version that the sink has reached; empty before the first list. */
  readonly resourceVersion: string;
  /** The number of full lists: one, unless the server could not resume the watch. */
  readonly fetches: number;
  /** The tries that have failed since the last success, and the error of the last one. */
  readonly failures: number;
  readonly lastError: unknown;
}
