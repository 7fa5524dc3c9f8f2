import type { TokenReview } from '../../api/types/authentication/v1.d.ts';
import { type Clock, type Logger, messageOf } from '../../base/index.ts';
import { MAX_TOKENS, RecentByDigest } from '../recent-by-digest.ts';
import {
  refused,
  type TokenAuthenticator,
  type TokenFinding,
  type TokenQuestion,
  UNKNOWN,
} from './token-authenticator.ts';

/** Answers TokenReviews. */
export interface TokenReviewWebhook {
  ask(spec: object, signal: AbortSignal): Promise<TokenReview>;
}

export interface TokenWebhookOptions {
  readonly webhook: TokenReviewWebhook;
  /** The audiences of tokens for which the webhook does not return any. */
  readonly apiAudiences: readonly string[];
  /** How long answers are cached, for known and unknown tokens; default two minutes; 0 disables the cache. */
  readonly cacheTtlMs?: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const CACHE_TTL_MS = 120_000;
/** Maximum number of tokens that the webhook is being asked about; further ones are refused. */
const MAX_PENDING = 1000;

interface Remembered {
  readonly finding: TokenFinding;
  readonly untilMs: number;
}

/** Authenticates tokens by asking a webhook. When the webhook fails, the token is refused, and the next request asks again. */
export class TokenWebhook implements TokenAuthenticator {
  readonly name = 'token webhook';
  readonly #options: TokenWebhookOptions;
  readonly #recent = new RecentByDigest<Remembered>(MAX_TOKENS);
  /** By token and audiences: simultaneous requests with the same token share one question. */
  readonly #pending = new Map<string, Promise<TokenFinding>>();

  constructor(options: TokenWebhookOptions) {
    this.#options = options;
  }

  async authenticate(token: string, { audiences }: TokenQuestion): Promise<TokenFinding> {
    const key = JSON.stringify([audiences, token]);
    const known = this.#recent.get(key);
    if (known !== undefined && known.untilMs > this.#options.clock.now()) return known.finding;
    const asked = this.#pending.get(key);
    if (asked !== undefined) return asked;
    if (this.#pending.size >= MAX_PENDING) return refused('too many tokens are being reviewed');
    const asking = this.#ask(token, audiences, key).finally(() => this.#pending.delete(key));
    this.#pending.set(key, asking);
    return asking;
  }

  /** The answer is shared, so the question continues when the request that caused it ends. */
  async #ask(token: string, audiences: readonly string[], key: string): Promise<TokenFinding> {
    const { webhook, cacheTtlMs = CACHE_TTL_MS, clock, log } = this.#options;
    try {
      const review = await webhook.ask({ token, audiences }, new AbortController().signal);
      const finding = this.#read(review, audiences);
      if (finding.type !== 'refused' && cacheTtlMs > 0)
        this.#recent.set(key, { finding, untilMs: clock.now() + cacheTtlMs });
      return finding.type === 'refused' ? refused(withoutToken(finding.error, token)) : finding;
    } catch (error) {
      const message = withoutToken(messageOf(error), token);
      log.error('token webhook failed', { error: message });
      return refused(message);
    }
  }

  #read({ status = {} }: TokenReview, wanted: readonly string[]): TokenFinding {
    const returned = status.audiences ?? [];
    const possible = returned.length > 0 ? returned : this.#options.apiAudiences;
    const audiences = wanted.filter((audience) => possible.includes(audience));
    if (wanted.length > 0 && audiences.length === 0) return UNKNOWN;
    const { user = {}, error = '', authenticated = false } = status;
    if (!authenticated) return error === '' ? UNKNOWN : refused(error);
    const { username: name = '', uid = '', groups = [], extra = {} } = user;
    if (name === '') return refused('the webhook knows the token, but names no user');
    const found = {
      name,
      ...(uid === '' ? {} : { uid }),
      groups,
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    };
    return { type: 'known', user: found, audiences };
  }
}

/** A webhook may quote the rejected token in its error; logs and answers must not. */
function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, '<token>');
}
