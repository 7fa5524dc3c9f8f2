import {
  AbortScope,
  aborted,
  Backoff,
  type Clock,
  isAnswerTo,
  type Logger,
  type Random,
  type Runnable,
} from '../base/index.ts';

export interface ProgramFenceOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The delays before a program that failed starts again. */
const RESTART = { initialMs: 1000, capMs: 60_000 } as const;
/** A program that has run for this long is well: its next failure is the first one again. */
const WELL_AFTER_MS = 300_000;

/**
 * Keeps failures of programs (controllers, scheduler, nodes) from ending the process, which also holds the store and serves the API.
 *
 * A program that fails starts again, later each time. Programs can be held back, all of them, while the process has no memory for
 * them or after starts that did not survive them; the API goes on meanwhile.
 */
export class ProgramFence {
  readonly #options: ProgramFenceOptions;
  readonly #listeners = new Set<(error: unknown) => void>();
  /** Runs that have begun and not ended. */
  readonly #running = new Set<AbortScope>();
  /** Why programs are held back, by cause; they run while there is none. */
  readonly #holds = new Map<string, string>();
  #released: PromiseWithResolve | undefined;

  constructor(options: ProgramFenceOptions) {
    this.#options = options;
  }

  /** Why programs do not run; undefined while they may. */
  get heldBack(): string | undefined {
    return this.#holds.size === 0 ? undefined : [...this.#holds.values()].join('; ');
  }

  /** Stops all programs, and starts none until `release` is called for the same cause. */
  hold(cause: string, why: string): void {
    this.#holds.set(cause, why);
    this.#released ??= promiseWithResolve();
    for (const scope of this.#running) scope.abort(new HeldBackError(why));
  }

  release(cause: string): void {
    if (!this.#holds.delete(cause) || this.#holds.size > 0) return;
    this.#released?.resolve();
    this.#released = undefined;
  }

  /** Calls the listener with each failure of a program, until the result is disposed of. */
  onFailure(listener: (error: unknown) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /**
   * Takes an error that no code was left to handle, such as one that a timer's callback threw, as a failure of the programs: all start
   * again. False when none runs; then the error is the server's.
   */
  takeUncaught(error: unknown): boolean {
    if (this.#running.size === 0) return false;
    for (const scope of this.#running) scope.abort(new UncaughtError(error));
    return true;
  }

  /** The program, started again when it fails. Ends when the signal aborts, or when the program ends by itself. */
  around(name: string, program: Runnable): Runnable {
    const { clock, random } = this.#options;
    const backoff = new Backoff(RESTART, random);
    return {
      run: async (signal) => {
        while (!signal.aborted) {
          if (this.#released !== undefined) await this.#untilReleased(signal);
          if (signal.aborted) return;
          const startMs = clock.monotonic();
          const failure = await this.#runOnce(program, signal);
          if (failure === undefined) return;
          if (failure.error instanceof HeldBackError) continue;
          if (clock.monotonic() - startMs > WELL_AFTER_MS) backoff.reset();
          const restartMs = backoff.nextMs();
          this.#report(name, failure.error, restartMs);
          await clock.sleep(restartMs, signal);
        }
      },
    };
  }

  async #runOnce(program: Runnable, signal: AbortSignal): Promise<{ readonly error: unknown } | undefined> {
    using scope = new AbortScope(signal);
    this.#running.add(scope);
    try {
      await program.run(scope.signal);
      return scope.signal.aborted && !signal.aborted ? { error: scope.signal.reason } : undefined;
    } catch (error) {
      return signal.aborted && isAnswerTo(scope.signal, error) ? undefined : { error };
    } finally {
      this.#running.delete(scope);
    }
  }

  #report(program: string, error: unknown, restartMs: number): void {
    const cause = error instanceof UncaughtError ? error.cause : error;
    this.#options.log.error('a program of the cluster failed, and starts again', { program, error: cause, restartMs });
    for (const listener of this.#listeners) listener(cause);
  }

  async #untilReleased(signal: AbortSignal): Promise<void> {
    while (this.#released !== undefined && !signal.aborted) {
      using scope = new AbortScope(signal);
      await Promise.race([this.#released.promise, aborted(scope.signal)]);
      scope.abort(); // lets go of the other promise
    }
  }
}

/** Why a program was stopped. */
class HeldBackError extends Error {
  override readonly name = 'HeldBackError';
}

class UncaughtError extends Error {
  override readonly name = 'UncaughtError';

  constructor(cause: unknown) {
    super('An error was not caught', { cause });
  }
}

interface PromiseWithResolve {
  readonly promise: Promise<void>;
  resolve(): void;
}

function promiseWithResolve(): PromiseWithResolve {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((resolved) => (resolve = resolved));
  return { promise, resolve };
}
