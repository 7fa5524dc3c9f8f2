import { AbortScope, Backoff, type BackoffOptions, type Clock, type Logger, type Random } from '../base/index.ts';

/** How an attempt ended: for good, to be retried with back-off, or to be repeated at a certain time. */
export type WorkResult = 'done' | 'failed' | { readonly againAfterMs: number };

export interface KeyedWorkOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Name in the log. */
  readonly name: string;
  readonly backoff: BackoffOptions;
  /** Max concurrent keys; others wait in order of arrival. */
  readonly maxAtOnce: number;
  readonly act: (key: string, signal: AbortSignal) => Promise<WorkResult>;
}

/** Work on keys: each key once at a time, retried until it succeeds and repeated whenever it is added. */
export class KeyedWork implements Disposable {
  readonly #options: KeyedWorkOptions;
  readonly #scope: AbortScope;
  readonly #waiting = new Set<string>();
  readonly #running = new Set<string>();
  readonly #timers = new Map<string, Disposable>();
  readonly #backoffs = new Map<string, Backoff>();

  constructor(options: KeyedWorkOptions) {
    this.#options = options;
    this.#scope = new AbortScope(options.signal);
  }

  /** Works on the key as soon as possible, even if it was delayed. */
  add(key: string): void {
    if (this.#scope.signal.aborted) return;
    this.#cancelTimer(key);
    this.#waiting.add(key);
    this.#startMore();
  }

  /** Resets a key's back-off. */
  resetBackoff(key: string): void {
    this.#backoffs.delete(key);
  }

  [Symbol.dispose](): void {
    this.#scope.abort();
    this.#scope[Symbol.dispose]();
    this.#waiting.clear();
    for (const key of [...this.#timers.keys()]) this.#cancelTimer(key);
  }

  #startMore(): void {
    for (const key of this.#waiting) {
      if (this.#running.size >= this.#options.maxAtOnce) return;
      if (this.#running.has(key)) continue; // it starts again when the current attempt has ended
      this.#waiting.delete(key);
      this.#running.add(key);
      void this.#attempt(key);
    }
  }

  async #attempt(key: string): Promise<void> {
    const { act, log, name } = this.#options;
    const { signal } = this.#scope;
    let result: WorkResult = 'failed';
    try {
      result = await act(key, signal);
    } catch (error) {
      if (!signal.aborted) log.warn('work on an API service failed', { work: name, service: key, error });
    }
    this.#running.delete(key);
    if (signal.aborted) return;
    if (result !== 'failed') this.#backoffs.delete(key);
    if (!this.#waiting.has(key)) this.#repeat(key, result);
    this.#startMore();
  }

  #repeat(key: string, result: WorkResult): void {
    if (result === 'done') return;
    const ms = result === 'failed' ? this.#nextPauseMs(key) : result.againAfterMs;
    this.#timers.set(
      key,
      this.#options.clock.timer(ms, () => this.add(key)),
    );
  }

  #nextPauseMs(key: string): number {
    const { backoff, random } = this.#options;
    const known = this.#backoffs.get(key) ?? new Backoff(backoff, random);
    this.#backoffs.set(key, known);
    return known.nextMs();
  }

  #cancelTimer(key: string): void {
    this.#timers.get(key)?.[Symbol.dispose]();
    this.#timers.delete(key);
  }
}
