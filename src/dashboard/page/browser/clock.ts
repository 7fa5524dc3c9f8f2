/**
 * The only place of the page that reads the time or waits. `now` follows the cluster's clock, which may be ahead of the browser's and may stand
 * still; waiting is always in the browser's time.
 */
import { signal } from '@preact/signals';

let aheadMs = 0;
let stoppedAtMs: number | undefined;

/** Counts up once a second, and when the cluster's clock was set: ages that are shown read it. */
export const second = signal(0);

/** The cluster's time in milliseconds. */
export function now(): number {
  return stoppedAtMs ?? Date.now() + aheadMs;
}

/** Sets the cluster's clock. While it is paused, `now` stands still. */
export function setClusterTime(time: number, isPaused: boolean): void {
  aheadMs = time - Date.now();
  stoppedAtMs = isPaused ? time : undefined;
  second.value++;
}

/** Milliseconds that only go up, for measuring. */
export function elapsed(): number {
  return performance.now();
}

/** Resolves after `ms`, or as soon as `signal` aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
  });
}

/** Calls `work` once after `ms`; calling the result before stops that. */
export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}

export function nextFrame(): Promise<void> {
  // a page in the background gets no frames, but must not keep what it has received forever
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 1000);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Starts counting seconds. */
export function startSeconds(): void {
  setInterval(() => {
    if (document.visibilityState === 'visible') second.value++;
  }, 1000);
}
