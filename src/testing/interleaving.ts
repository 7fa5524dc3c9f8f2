import type { Random } from '../base/index.ts';
import type { Transport } from '../client/index.ts';

/** Maximum number of turns of the event loop that a request, or its response, waits. */
const MAX_TURNS = 4;

/**
 * Reorders requests at random: each waits for some turns of the event loop before it is sent and before its response is
 * returned. No virtual time passes. The same seed gives the same order.
 */
export function interleaved(inner: Transport, random: Random): Transport {
  const pause = async (): Promise<void> => {
    for (let left = random.int(MAX_TURNS + 1); left > 0; left--)
      await new Promise<void>((resolve) => void setImmediate(resolve));
  };
  return {
    ...(inner.isLocal === undefined ? {} : { isLocal: inner.isLocal }),
    send: async (request) => {
      await pause();
      request.signal.throwIfAborted();
      const response = await inner.send(request);
      await pause();
      return response;
    },
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}
