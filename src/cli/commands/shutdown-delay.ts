import { aborted, type Clock, onAbort } from '../../base/index.ts';
import { durationFlag } from '../../cluster/programs/index.ts';
import type { Flags } from '../flags.ts';

/** A server that can announce its shutdown. */
interface Drainable {
  drain(): void;
}

/** The time between the signal to stop and the stop. */
export interface OrderlyStop extends Disposable {
  /** Aborts when the server must stop: at once before it serves, later after the delay. */
  readonly signal: AbortSignal;
  /** Marks the server as serving. Resolves when it must stop. */
  serving(server: Drainable): Promise<void>;
}

export function orderlyStop(
  flags: Flags,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): OrderlyStop {
  const delayMs = durationFlag(flags, 'shutdown-delay-duration');
  const stop = new AbortController();
  let isServing = false;
  const listening = onAbort(signal, () => {
    if (!isServing || delayMs === 0) stop.abort(signal.reason);
  });
  return {
    signal: stop.signal,
    async serving(server) {
      isServing = true;
      await aborted(signal);
      if (stop.signal.aborted) return;
      server.drain();
      await clock.sleep(delayMs);
      stop.abort(signal.reason);
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  };
}
