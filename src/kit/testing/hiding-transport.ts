// A transport that answers some paths as not found, as for a kind that is not defined yet.
import type { Transport, TransportRequest, TransportResponse } from '../../client/index.ts';

export class HidingTransport implements Transport {
  readonly #inner: Transport;
  readonly #paths: RegExp;
  isHiding = true;

  constructor(inner: Transport, paths: RegExp) {
    this.#inner = inner;
    this.#paths = paths;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    const isHidden = this.isHiding && this.#paths.test(request.path);
    return this.#inner.send(isHidden ? { ...request, path: '/apis/example.com/v1/hidden' } : request);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }
}
