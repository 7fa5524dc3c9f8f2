import { aborted, type Clock, onAbort } from '../../base/index.ts';
import type { FlagDefinitions, Flags } from '../flags.ts';
import { durationFlag } from './file-flag.ts';

/** How servers stop, under upstream's name. */
export const shutdownFlags: FlagDefinitions = {
  'shutdown-delay-duration': {
    type: 'string',
    value: 'DURATION',
    default: '0s',
    help: 'How long requests are still served after the server was told to stop, while /readyz says that it will',
  },
};

/** A server that can say that it is about to stop. */
interface Drainable {
  drain(): void;
}

/** The way from being told to stop to stopping. */
export interface OrderlyStop extends Disposable {
  /** Aborts when the server is to stop: at once while nothing is served yet, after the delay later on. */
  readonly signal: AbortSignal;
  /** The server serves from now on. Resolves when it is to stop. */
  serving(server: Drainable): Promise<void>;
}

export function orderlyStop(
  flags: Flags,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): OrderlyStop {
  const delayMs = durationFlag(flags, 'shutdown-delay-duration');
  const stop = new AbortController();
  let isServing = false;
  const told = onAbort(signal, () => {
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
    [Symbol.dispose]: () => told[Symbol.dispose](),
  };
}
