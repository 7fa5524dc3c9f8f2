import type { Random } from '../base/index.ts';
import type { Transport } from '../client/index.ts';

/** A request, and its answer, wait for so many turns of the event loop at most. */
const MAX_TURNS = 4;

/**
 * Lets requests overtake each other by chance: each waits for some turns of the event loop before it is sent, and before its answer is
 * told. No time passes. With the same seed they overtake each other in the same way.
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
