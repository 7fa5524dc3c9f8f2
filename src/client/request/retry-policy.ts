import { Backoff, type Clock, type Random } from '../../base/index.ts';
import { headerOf, type ResponseHeaders } from '../transport.ts';
import { isTransportError } from '../../wire/http/index.ts';
import type { ApiRequest } from './api-request.ts';

/** A server that wants to be left alone for longer than this is told to the caller instead. */
const MAX_WAIT_MS = 60_000;

/** An answer that is no success, or no answer. */
export type Failure =
  | { readonly type: 'status'; readonly code: number; readonly retryAfterMs: number | undefined }
  | { readonly type: 'error'; readonly error: unknown };

/**
 * Decides whether and when a request is sent again.
 *
 * - 429, and what the server did not look at: always, since nothing has happened yet;
 * - any other 5xx that says when to come back: requests that can be repeated safely;
 * - 502, 503, 504 and connections that break: reads only.
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

  /** How long to wait before the next try; undefined when there is none. */
  nextWaitMs(failure: Failure): number | undefined {
    if (this.#left <= 0 || !this.#isRetriable(failure)) return undefined;
    const isFirst = this.#backoff.attempts === 0;
    const backoffMs = this.#backoff.nextMs();
    const askedMs = failure.type === 'status' ? (failure.retryAfterMs ?? 0) : 0;
    if (askedMs > MAX_WAIT_MS) return undefined;
    this.#left -= 1;
    // what broke or was turned away with its connection finds another one at once
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

/** What the `Retry-After` header says, in milliseconds from now. */
export function retryAfterMs(headers: ResponseHeaders, clock: Clock): number | undefined {
  const text = headerOf(headers, 'retry-after');
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - clock.now());
}
