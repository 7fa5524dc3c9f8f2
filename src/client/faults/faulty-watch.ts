import { expired } from '../../api/client.ts';
import { type Clock, type Random, onAbort } from '../../base/index.ts';
import type { TransportEvent } from '../transport.ts';
import { TransportError } from '../../wire/http/index.ts';
import type { FaultRates } from './fault-rates.ts';

export interface FaultyWatchOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly maxDelayMs: number;
  readonly rates: () => FaultRates;
  readonly count: (fault: keyof FaultRates) => void;
}

/** Passes on the events of a watch, with faults. */
export async function* faultyWatch(
  batches: AsyncIterable<readonly TransportEvent[]>,
  options: FaultyWatchOptions,
): AsyncGenerator<readonly TransportEvent[]> {
  const { clock, random, signal, maxDelayMs, count } = options;
  const strikes = (fault: keyof FaultRates): boolean => {
    const isHit = random.float() < options.rates()[fault];
    if (isHit) count(fault);
    return isHit;
  };
  let heard: TransportEvent | undefined;
  for await (const batch of batches) {
    for (const event of batch) {
      if (strikes('late')) await clock.sleep(random.float() * maxDelayMs, signal);
      if (strikes('cut')) throw new TransportError('cut', 'Lost the connection: a fault');
      if (strikes('end')) return;
      if (strikes('silence')) await forever(signal);
      if (strikes('expired')) yield [{ type: 'ERROR', status: expired('too old resource version: a fault').status }];
      yield [event];
      if (strikes('duplicate')) yield [heard ?? event, event];
      if (event.type !== 'BOOKMARK') heard = event;
    }
  }
}

function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else onAbort(signal, () => reject(signal.reason as Error));
  });
}
