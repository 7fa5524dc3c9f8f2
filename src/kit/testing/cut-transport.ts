// A transport that can be cut: requests then fail or get no answer.
import { aborted } from '../../base/index.ts';
import { type Transport, TransportError, type TransportRequest, type TransportResponse } from '../../client/index.ts';

export class CutTransport implements Transport {
  readonly #inner: Transport;
  state: 'whole' | 'cut' | 'silent' = 'whole';

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.state === 'cut') throw new TransportError('cut', 'Lost the connection: it was cut');
    if (this.state === 'silent') {
      await aborted(request.signal);
      throw request.signal.reason;
    }
    return this.#inner.send(request);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }
}
