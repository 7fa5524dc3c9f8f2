import { StatusError, type TypeTable } from '../../api/index.ts';
import {
  readReview,
  type ServiceResolver,
  type WebhookCall,
  WebhookClient,
  type WebhookClientOptions,
} from '../../apiserver/index.ts';
import type { Clock, UidSource } from '../../base/index.ts';
import type { ConfiguredWebhook } from './webhook-kubeconfig.ts';

export interface ReviewWebhookOptions {
  readonly webhook: ConfiguredWebhook;
  readonly group: string;
  readonly kind: string;
  /** Default `v1`. */
  readonly version?: 'v1' | 'v1beta1';
  /** The `status` of the request; default absent. */
  readonly blankStatus?: object;
  /** Timeout of one attempt; default and maximum 30 seconds. */
  readonly timeoutMs?: number;
  /** Called after every attempt; `error` is undefined when it succeeded. */
  readonly onAttempt?: (error: unknown, seconds: number) => void;
  readonly types: TypeTable;
  readonly clock: Clock;
  readonly uids: UidSource;
  /** Webhooks of this process, by the host in their URL; they are called without a connection. */
  readonly local?: WebhookClientOptions['local'];
}

/** Maximum duration of a question with all its attempts. */
const TIMEOUT_MS = 30_000;
/** Reviews are small; a larger answer is an error. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const ATTEMPTS = 5;
const FIRST_DELAY_MS = 500;
const DELAY_FACTOR = 1.5;

/**
 * Sends reviews such as TokenReview to the webhook that a file in kubeconfig format names.
 *
 * Guarantees: an answer, or an error, within 30 seconds. Temporary failures are retried with growing pauses, as upstream does.
 */
export class ReviewWebhook<Review extends object> implements Disposable {
  readonly #options: ReviewWebhookOptions;
  readonly #client: WebhookClient;

  constructor(options: ReviewWebhookOptions) {
    this.#options = options;
    const { webhook, clock, uids, types, local } = options;
    this.#client = new WebhookClient({
      clock,
      uids,
      types,
      services: NO_SERVICES,
      credentialFor: () => webhook.credential,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      userAgent: 'kube-apiserver',
      ...(local === undefined ? {} : { local }),
    });
  }

  /** Sends a review; returns it as the webhook has filled it in. */
  async ask(spec: object, signal: AbortSignal): Promise<Review> {
    const { clock, group, kind, version = 'v1', blankStatus: status = {}, timeoutMs = TIMEOUT_MS } = this.#options;
    const endsMs = clock.now() + TIMEOUT_MS;
    const body = JSON.stringify({ kind, apiVersion: `${group}/${version}`, metadata: {}, spec, status });
    for (let attempt = 1, delayMs = FIRST_DELAY_MS; ; attempt++, delayMs *= DELAY_FACTOR) {
      try {
        return await this.#attempt(body, { timeoutMs: Math.min(timeoutMs, endsMs - clock.now()), signal });
      } catch (error) {
        if (attempt === ATTEMPTS || !isTemporary(error) || clock.now() + delayMs >= endsMs) throw error;
        await clock.sleep(delayMs, signal);
        if (signal.aborted) throw error;
      }
    }
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }

  async #attempt(body: string, call: Pick<WebhookCall, 'timeoutMs' | 'signal'>): Promise<Review> {
    const { clock, onAttempt } = this.#options;
    const start = clock.monotonic();
    try {
      const review = await this.#askOnce(body, call);
      onAttempt?.(undefined, (clock.monotonic() - start) / 1000);
      return review;
    } catch (error) {
      onAttempt?.(error, (clock.monotonic() - start) / 1000);
      throw error;
    }
  }

  async #askOnce(body: string, call: Pick<WebhookCall, 'timeoutMs' | 'signal'>): Promise<Review> {
    const { webhook, types, group, kind, version = 'v1' } = this.#options;
    const answer = await this.#client.post(webhook.target, { body, ...call });
    return readReview<Review>(answer, { types, group, kind, version, versions: ['v1', 'v1beta1'] }).review;
  }
}

export const NO_SERVICES: ServiceResolver = {
  resolve: () => Promise.reject(new Error('webhooks of files are named by URL')),
};

/** Whether another attempt may succeed: the webhook says so, or the connection broke. */
function isTemporary(error: unknown): boolean {
  if (error instanceof StatusError) return error.reason === 'InternalError' || [429, 500, 504].includes(error.code);
  return error instanceof Error && /connection reset by peer|http2: client connection lost/.test(error.message);
}
