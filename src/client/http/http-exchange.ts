import type { ResponseHeaders } from '../transport.ts';

/** An answer whose head is there, while its body may still be coming. */
export interface HttpExchange {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly chunks: AsyncIterable<Uint8Array>;
}
