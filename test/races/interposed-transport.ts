import type { Transport, TransportRequest, TransportResponse } from '../../src/client/index.ts';

type Match = (request: TransportRequest) => boolean;

/**
 * A transport on which others are faster: what a test schedules happens when a matching request has been sent and the
 * server has not seen it yet, once.
 */
export class InterposedTransport implements Transport {
  readonly #inner: Transport;
  readonly #scheduled: { readonly matches: Match; readonly act: () => Promise<unknown> }[] = [];

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  /** How many of the scheduled actions have not happened. */
  get left(): number {
    return this.#scheduled.length;
  }

  before(matches: Match, act: () => Promise<unknown>): void {
    this.#scheduled.push({ matches, act });
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const index = this.#scheduled.findIndex(({ matches }) => matches(request));
    const [next] = index < 0 ? [] : this.#scheduled.splice(index, 1);
    await next?.act();
    return this.#inner.send(request);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }
}

/** Requests of a method about the object of this name, or a subresource of it. */
export function to(method: string, name: string, subresource = ''): Match {
  const end = subresource === '' ? `/${name}` : `/${name}/${subresource}`;
  return (request) => request.method === method && new URL(request.path, 'http://server').pathname.endsWith(end);
}
