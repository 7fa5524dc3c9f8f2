import { expired, internalError, type StatusError, tooManyRequests } from '../../api/client.ts';
import { AbortScope, type Clock, type Duration, millisecondsOf, onAbort, type Random } from '../../base/index.ts';
import { TransportError } from '../../wire/http/index.ts';
import { decodeWatch } from '../request/watch-decoder.ts';
import type { Transport, TransportEvent, TransportRequest, TransportResponse } from '../transport.ts';
import { type FaultRates, noFaults, unreliableNetwork } from './fault-rates.ts';

export interface FaultyTransportOptions {
  readonly clock: Clock;
  /** The same seed injects the same faults. */
  readonly random: Random;
  /** Default `unreliableNetwork`. */
  readonly rates?: FaultRates;
  /** The longest delay of a response or an event; default 5 s. */
  readonly maxDelay?: Duration;
}

const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/** Injects faults at random between a client and its server, to test whether a program survives them. */
export class FaultyTransport implements Transport {
  readonly #inner: Transport;
  readonly #options: FaultyTransportOptions;
  readonly #counts = new Map<keyof FaultRates, number>();
  #rates: FaultRates;

  constructor(inner: Transport, options: FaultyTransportOptions) {
    this.#inner = inner;
    this.#options = options;
    this.#rates = options.rates ?? unreliableNetwork;
  }

  /** How often each fault has been injected so far. */
  get faults(): ReadonlyMap<keyof FaultRates, number> {
    return this.#counts;
  }

  /** Changes the rates from now on; by default no more faults. Watches that are already silent stay silent. */
  change(rates: FaultRates = noFaults): void {
    this.#rates = rates;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const refusal = this.#refusal(request);
    if (refusal !== undefined) return refused(refusal);
    if (this.#strikes('drop')) throw new TransportError('cut', 'Lost the connection: a fault');
    const scope = new AbortScope(request.signal); // lives as long as the caller's signal, which belongs to this one request
    const response = await this.#inner.send({ ...request, signal: scope.signal });
    if (this.#strikes('delay')) await this.#delay(request.signal);
    if (this.#strikes('loseAnswer')) {
      const lost = new TransportError('cut', 'Lost the answer: a fault');
      scope.abort(lost);
      throw lost;
    }
    return isWatch(request) && response.status === 200 ? this.#withFaults(response, request.signal) : response;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inner[Symbol.asyncDispose]();
  }

  #refusal(request: TransportRequest): StatusError | undefined {
    if (this.#strikes('tooManyRequests')) return tooManyRequests('too many requests: a fault', 1);
    if (this.#strikes('internalError')) return internalError('a fault');
    const namesRevision = /[?&](continue|resourceVersion)=./.test(request.path);
    return namesRevision && this.#strikes('expired') ? expired('too old resource version: a fault') : undefined;
  }

  #withFaults({ status, headers, body }: TransportResponse, signal: AbortSignal): TransportResponse {
    if (body.type === 'object') return { status, headers, body };
    const batches = body.type === 'events' ? body.batches : decodeWatch(body.chunks, MAX_EVENT_BYTES);
    const { clock, random, maxDelay = 5000 } = this.#options;
    const maxDelayMs = millisecondsOf(maxDelay);
    const count = (fault: keyof FaultRates): void => this.#count(fault);
    const faulty = faultyWatch(batches, { clock, random, signal, maxDelayMs, rates: () => this.#rates, count });
    return { status, headers, body: { type: 'events', batches: faulty } };
  }

  #strikes(fault: keyof FaultRates): boolean {
    const isHit = this.#options.random.float() < this.#rates[fault];
    if (isHit) this.#count(fault);
    return isHit;
  }

  #count(fault: keyof FaultRates): void {
    this.#counts.set(fault, (this.#counts.get(fault) ?? 0) + 1);
  }

  async #delay(signal: AbortSignal): Promise<void> {
    const { clock, random, maxDelay = 5000 } = this.#options;
    await clock.sleep(random.float() * millisecondsOf(maxDelay), signal);
    signal.throwIfAborted();
  }
}

function isWatch({ path }: TransportRequest): boolean {
  return /[?&]watch=true/.test(path);
}

function refused(error: StatusError): TransportResponse {
  const seconds = error.status.details?.retryAfterSeconds;
  const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return { status: error.code, headers, body: { type: 'object', object: error.status } };
}

interface FaultyWatchOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly maxDelayMs: number;
  readonly rates: () => FaultRates;
  readonly count: (fault: keyof FaultRates) => void;
}

/** Passes on a watch's events and injects faults between them. */
async function* faultyWatch(
  batches: AsyncIterable<readonly TransportEvent[]>,
  options: FaultyWatchOptions,
): AsyncGenerator<readonly TransportEvent[]> {
  const { clock, random, signal, maxDelayMs, count } = options;
  const strikes = (fault: keyof FaultRates): boolean => {
    const isHit = random.float() < options.rates()[fault];
    if (isHit) count(fault);
    return isHit;
  };
  let last: TransportEvent | undefined;
  for await (const batch of batches) {
    for (const event of batch) {
      if (strikes('late')) await clock.sleep(random.float() * maxDelayMs, signal);
      if (strikes('cut')) throw new TransportError('cut', 'Lost the connection: a fault');
      if (strikes('end')) return;
      if (strikes('silence')) await forever(signal);
      if (strikes('expired')) yield [{ type: 'ERROR', status: expired('too old resource version: a fault').status }];
      yield [event];
      if (strikes('duplicate')) yield [last ?? event, event];
      if (event.type !== 'BOOKMARK') last = event;
    }
  }
}

function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else onAbort(signal, () => reject(signal.reason as Error));
  });
}
