import { type Clock, AbortScope } from '../../base/index.ts';

/** Nothing arrived on a stream for too long. The connection may look alive although something on the way has died. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

export interface SilenceOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The longest allowed silence; read again whenever it is over. */
  readonly maxQuietMs: () => number;
}

/**
 * Passes a stream on and ends it with a SilenceError when nothing arrives for too long.
 *
 * Assumes: the stream ends when its signal aborts.
 */
export async function* noticingSilence<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  { clock, signal, maxQuietMs }: SilenceOptions,
): AsyncGenerator<T> {
  using scope = new AbortScope(signal);
  let lastContactMs = clock.monotonic();
  const check = (): void => {
    const leftMs = lastContactMs + maxQuietMs() - clock.monotonic();
    if (leftMs > 0) timer = clock.timer(leftMs, check);
    else scope.abort(new SilenceError(`Nothing arrived for ${maxQuietMs()} ms`));
  };
  let timer = clock.timer(maxQuietMs(), check);
  try {
    for await (const item of open(scope.signal)) {
      lastContactMs = clock.monotonic();
      yield item;
      lastContactMs = clock.monotonic(); // does not count the time the reader took
    }
    if (scope.signal.aborted) throw scope.signal.reason;
  } finally {
    timer[Symbol.dispose]();
  }
}
