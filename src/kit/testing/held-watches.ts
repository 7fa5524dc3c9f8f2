// A transport that can hold back watch events while other requests pass.
import type { Transport, TransportEvent, TransportRequest, TransportResponse } from '../../client/index.ts';

export class HeldWatches implements Transport {
  readonly #inner: Transport;
  #release: (() => void) | undefined;
  #released: Promise<void> = Promise.resolve();

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  hold(): void {
    this.#released = new Promise((resolve) => (this.#release = resolve));
  }

  release(): void {
    this.#release?.();
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const response = await this.#inner.send(request);
    const { body } = response;
    if (body.type !== 'events') return response;
    return { ...response, body: { type: 'events', batches: this.#held(body.batches) } };
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }

  async *#held(batches: AsyncIterable<readonly TransportEvent[]>): AsyncGenerator<readonly TransportEvent[]> {
    for await (const batch of batches) {
      await this.#released;
      yield batch;
    }
  }
}
