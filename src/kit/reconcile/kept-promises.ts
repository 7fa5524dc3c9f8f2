import { messageOf } from '../../base/index.ts';

/**
 * The calls that a run has started through its context. The run ends when all of them have, even those that the reconciler
 * forgot to await.
 */
export class KeptPromises {
  readonly #begun: { readonly what: string; readonly promise: NoticingPromise<unknown> }[] = [];

  /** Tracks a call, and keeps its failure from ending the process. The failure's stack names who called. */
  keep<T>(what: string, work: Promise<T>): Promise<T> {
    const caller: Caller = {};
    Error.captureStackTrace(caller, this.keep); // formatted only when it is read
    const promise = new NoticingPromise<T>(
      (resolve, reject) => void work.then(resolve, (error: unknown) => reject(calledBy(caller, error))),
    );
    promise.quiet();
    this.#begun.push({ what, promise });
    return promise;
  }

  /** Waits for the calls that the reconciler has not awaited; rejects if any of them failed. */
  async forgotten(): Promise<void> {
    const failures: { readonly what: string; readonly error: unknown }[] = [];
    for (const { what, promise } of this.#begun) {
      if (promise.isAwaited) continue;
      const error = await promise.then(() => undefined, toFailure);
      if (error !== undefined) failures.push({ what, error: error.failure });
    }
    const [first] = failures;
    if (first === undefined) return;
    const all = failures.map(({ what, error }) => `${what}: ${messageOf(error)}`).join('; ');
    throw new Error(`Cannot end the run: what was begun without "await" has failed: ${all}`, { cause: first.error });
  }
}

interface Caller {
  readonly stack?: string;
}

/** The engine loses the reconciler's frames, because its await is not the only one of the promise. */
function calledBy({ stack = '' }: Caller, error: unknown): unknown {
  if (error instanceof Error) error.stack = `${error.stack}${stack.slice(stack.indexOf('\n'))}`;
  return error;
}

function toFailure(failure: unknown): { readonly failure: unknown } {
  return { failure };
}

/** A promise that knows whether it is awaited. */
class NoticingPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  isAwaited = false;

  /** Marks the failure as handled. */
  quiet(): void {
    super.then(undefined, () => undefined);
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise, and only takes note
  override then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isAwaited = true;
    return super.then(onFulfilled, onRejected);
  }
}
