import type { Clock } from '../../base/index.ts';
import type { QueuedPod } from './queued-pod.ts';

export interface BackoffOptions {
  /** The back-off after the first failure; default 1 s. */
  readonly initialMs?: number;
  /** Maximum back-off; default 10 s, 0 disables back-off. */
  readonly maxMs?: number;
}

/**
 * Back-off ends are rounded down to a multiple of this, so that pods whose back-off ends at about the same time are
 * ordered by priority.
 */
const WINDOW_MS = 1000;

/**
 * How long a pod waits before it is tried again; doubles after every failure.
 *
 * Example: 1 s, 2 s, 4 s, 8 s, 10 s, 10 s, …
 */
export class BackoffTimes {
  readonly #initialMs: number;
  readonly #maxMs: number;
  readonly #clock: Clock;

  constructor(clock: Clock, { initialMs = 1000, maxMs = 10_000 }: BackoffOptions = {}) {
    this.#clock = clock;
    this.#initialMs = initialMs;
    this.#maxMs = maxMs;
  }

  /** The start of the window in which the back-off ends; `-Infinity` without a back-off. */
  endOf(pod: QueuedPod): number {
    const failures = pod.errorsInRow > 0 ? pod.errorsInRow : pod.rejections;
    if (failures === 0 || this.#maxMs === 0) return -Infinity;
    pod.backoffEndMs ??= windowOf(pod.timestampMs + Math.min(this.#maxMs, this.#initialMs * 2 ** (failures - 1)));
    return pod.backoffEndMs;
  }

  isOver(pod: QueuedPod): boolean {
    return this.endOf(pod) < windowOf(this.#clock.now());
  }

  /** The time at which `isOver` becomes true. */
  overAtMs(pod: QueuedPod): number {
    return this.endOf(pod) + WINDOW_MS;
  }
}

function windowOf(ms: number): number {
  return Math.floor(ms / WINDOW_MS) * WINDOW_MS;
}
