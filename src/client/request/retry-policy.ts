import { Backoff, type Clock, type Random } from '../../base/index.ts';
import { headerOf, type ResponseHeaders } from '../transport.ts';
import { isTransportError } from '../../wire/http/index.ts';
import type { ApiRequest } from './api-request.ts';

/** A longer `Retry-After` is not waited for: the caller gets the error. */
const MAX_WAIT_MS = 60_000;

/** An error response, or no response. */
export type Failure =
  | { readonly type: 'status'; readonly code: number; readonly retryAfterMs: number | undefined }
  | { readonly type: 'error'; readonly error: unknown };

/**
 * Decides whether and when a request is sent again.
 *
 * - 429, and requests that the server did not process: always, since nothing has happened yet;
 * - any other 5xx with `Retry-After`: idempotent requests;
 * - 502, 503, 504 and broken connections: reads only.
 */
export class RetryPlan {
  readonly #request: ApiRequest;
  readonly #backoff: Backoff;
  #left: number;

  constructor(request: ApiRequest, maxRetries: number, random: Random) {
    this.#request = request;
    this.#left = maxRetries;
    this.#backoff = new Backoff({ initialMs: 100, factor: 2, jitter: 1, capMs: 5000 }, random);
  }

  /** The wait before the next try; undefined to give up. */
  nextWaitMs(failure: Failure): number | undefined {
    if (this.#left <= 0 || !this.#isRetriable(failure)) return undefined;
    const isFirst = this.#backoff.attempts === 0;
    const backoffMs = this.#backoff.nextMs();
    const askedMs = failure.type === 'status' ? (failure.retryAfterMs ?? 0) : 0;
    if (askedMs > MAX_WAIT_MS) return undefined;
    this.#left -= 1;
    // after a broken connection a new one is tried at once
    return isFirst && failure.type === 'error' ? 0 : Math.max(backoffMs, askedMs);
  }

  #isRetriable(failure: Failure): boolean {
    const { method, isIdempotent = method !== 'POST' && method !== 'PATCH' } = this.#request;
    const isRead = method === 'GET';
    if (failure.type === 'error') {
      return isTransportError(failure.error, 'refused') || (isRead && isTransportError(failure.error, 'cut'));
    }
    if (failure.code === 429) return true;
    if (failure.code < 500) return false;
    if (failure.retryAfterMs !== undefined) return isIdempotent;
    return isRead && [502, 503, 504].includes(failure.code);
  }
}

/** The wait in the `Retry-After` header, in milliseconds. */
export function retryAfterMs(headers: ResponseHeaders, clock: Clock): number | undefined {
  const text = headerOf(headers, 'retry-after');
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - clock.now());
}
