import type { Clock, Duration, Logger, Random } from '../../base/index.ts';
import type { KubernetesObject, Observed } from '../kind.ts';
import type { RetryDelays } from './rate-limiter.ts';

/** Where a reflector puts what it is told. */
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
  /** Fetches the state by watch (KEP-3157) where the server can; default true, except when the server is in this process. */
  readonly isStreaming?: boolean;
  /** The server is asked to end each watch after this long, up to twice as long by chance. Default: 5 minutes. */
  readonly minWatchTime?: Duration;
  /** A watch on which nothing came for this long, not even a bookmark, is given up. Default: a bit over two bookmarks. */
  readonly maxQuietTime?: Duration;
  /** The server is in this process: watches need not end, need no bookmarks and cannot fall silent. */
  readonly isLocal?: boolean;
  /** How long to wait after a failed try; default 800 ms, doubling to 30 s. A random jitter makes each wait up to twice as long. */
  readonly retries?: RetryDelays;
}

/** How a reflector is doing: for readiness checks and metrics. */
export interface ReflectorHealth {
  readonly state: 'stopped' | 'fetching' | 'watching' | 'waiting';
  /** When the server last sent anything, in the clock's monotonic milliseconds; undefined before the first time. */
  readonly lastContactMs: number | undefined;
  /** How far the sink is; empty before the state has been fetched. */
  readonly resourceVersion: string;
  /** How often the whole state has been fetched: once, unless the server forgot where we were. */
  readonly fetches: number;
  /** Tries that failed since one succeeded, and why the last one did. */
  readonly failures: number;
  readonly lastError: unknown;
}
