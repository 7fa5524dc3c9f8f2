import type { Clock } from '../base/index.ts';
import { TokenBucket } from './informers/rate-limiter.ts';
import { type Transport, withSend } from './transport.ts';

export interface Pace {
  readonly perSecond: number;
  /** The number of requests allowed at once. */
  readonly burst: number;
}

/** A transport that limits the rate of requests; those beyond the limit wait, in order. */
export function pacedTransport(transport: Transport, pace: Pace, clock: Clock): Transport {
  const bucket = new TokenBucket(clock, pace);
  return withSend(transport, async (request) => {
    const waitMs = bucket.nextMs();
    if (waitMs > 0) await clock.sleep(waitMs, request.signal);
    request.signal.throwIfAborted();
    return await transport.send(request);
  });
}
