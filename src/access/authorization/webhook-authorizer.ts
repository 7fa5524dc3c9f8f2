import type { TypeTable } from '../../api/index.ts';
import { StatusError } from '../../api/index.ts';
import type { SubjectAccessReview, SubjectAccessReviewStatus } from '../../api/types/authorization/v1.d.ts';
import {
  type AccessDecision,
  type AccessRequest,
  type AccessRules,
  type ListingAuthorizer,
  NO_OPINION,
  type WebhookClientOptions,
} from '../../apiserver/index.ts';
import { type Clock, type Logger, messageOf, type UidSource } from '../../base/index.ts';
import { RecentByDigest } from '../recent-by-digest.ts';
import { ReviewWebhook } from '../review-webhook/review-webhook.ts';
import type { ConfiguredWebhook } from '../review-webhook/webhook-kubeconfig.ts';
import type { AccessConditions } from './access-conditions.ts';
import { type AccessQuestion, accessReviewSpec, betaSpec } from './access-review.ts';
import type { AuthorizationMetrics, WebhookResult } from './authorization-metrics.ts';

/** A webhook that authorizes requests, as configured in an AuthorizationConfiguration or by flags. */
export interface AuthorizationWebhookOptions {
  /** The name in metrics. */
  readonly name: string;
  readonly webhook: ConfiguredWebhook;
  /** The version of SubjectAccessReview to send. */
  readonly version: 'v1' | 'v1beta1';
  /** Timeout of one attempt. */
  readonly timeoutMs: number;
  /** How long answers that allow a request are cached; 0 disables caching. */
  readonly authorizedTtlMs: number;
  /** How long all other answers are cached. */
  readonly unauthorizedTtlMs: number;
  /** The decision when the webhook cannot be reached. */
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  readonly conditions: AccessConditions | undefined;
}

export interface AuthorizationWebhookParts {
  /** Webhooks of this process, by the host in their URL; they are called without a connection. */
  readonly local?: WebhookClientOptions['local'];
  readonly types: TypeTable;
  readonly clock: Clock;
  readonly uids: UidSource;
  readonly log: Logger;
  readonly metrics: AuthorizationMetrics;
}

/** Upstream's cache size. */
const MAX_ANSWERS = 8192;
/** An answer is not cached when its client-chosen text or its reason is longer. */
const MAX_REMEMBERED_TEXT = 10_000;

interface Remembered {
  readonly decision: AccessDecision;
  readonly untilMs: number;
}

/** Authorizes requests by sending SubjectAccessReviews to a webhook. */
export class WebhookAuthorizer implements ListingAuthorizer, Disposable {
  readonly #options: AuthorizationWebhookOptions;
  readonly #parts: AuthorizationWebhookParts;
  readonly #webhook: ReviewWebhook<SubjectAccessReview>;
  readonly #recent = new RecentByDigest<Remembered>(MAX_ANSWERS);

  constructor(options: AuthorizationWebhookOptions, parts: AuthorizationWebhookParts) {
    this.#options = options;
    this.#parts = parts;
    const { name, webhook, version, timeoutMs } = options;
    this.#webhook = new ReviewWebhook({
      webhook,
      group: 'authorization.k8s.io',
      kind: 'SubjectAccessReview',
      version,
      timeoutMs,
      blankStatus: { allowed: false },
      onAttempt: (error, seconds) => parts.metrics.asked(name, resultOf(error), seconds),
      ...parts,
    });
  }

  authorize(request: AccessRequest): AccessDecision | Promise<AccessDecision> {
    const spec = accessReviewSpec(request);
    const verdict = this.#judge(spec);
    if (verdict.type === 'excluded') return NO_OPINION;
    if (verdict.type === 'error') return this.#failed(verdict.message);
    const key = JSON.stringify(spec);
    const known = this.#recent.get(key);
    if (known !== undefined && known.untilMs > this.#parts.clock.now()) return known.decision;
    return this.#ask(request, spec, key);
  }

  /** A webhook cannot list its rules. */
  rulesFor(): AccessRules {
    const problem = 'webhook authorizer does not support user rule resolution';
    return { resourceRules: [], nonResourceRules: [], isIncomplete: true, problem };
  }

  /** Closes connections. */
  [Symbol.dispose](): void {
    this.#webhook[Symbol.dispose]();
  }

  #judge(spec: AccessQuestion): ReturnType<AccessConditions['judge']> {
    const { name, conditions } = this.#options;
    if (conditions === undefined || conditions.isEmpty) return { type: 'match' };
    const { metrics } = this.#parts;
    const start = metrics.clock.monotonic();
    const verdict = conditions.judge(spec);
    metrics.conditionsJudged(name, verdict.type, start);
    return verdict;
  }

  async #ask(request: AccessRequest, spec: AccessQuestion, key: string): Promise<AccessDecision> {
    const { name, version, failurePolicy } = this.#options;
    const { log, metrics } = this.#parts;
    try {
      const { status } = await this.#webhook.ask(version === 'v1' ? spec : betaSpec(spec), request.signal);
      const decision = decisionOf(status ?? { allowed: false });
      this.#remember(request, key, decision);
      return decision;
    } catch (error) {
      const message = messageOf(error);
      log.error('authorization webhook failed', { webhook: name, error: message });
      if (failurePolicy === 'NoOpinion' && !request.signal.aborted) metrics.failedOpen(name, resultOf(error));
      return this.#failed(message);
    }
  }

  #failed(error: string): AccessDecision {
    return { verdict: this.#options.failurePolicy === 'Deny' ? 'deny' : 'noOpinion', reason: '', error };
  }

  #remember({ info }: AccessRequest, key: string, decision: AccessDecision): void {
    const { authorizedTtlMs, unauthorizedTtlMs } = this.#options;
    const ttlMs = decision.verdict === 'allow' ? authorizedTtlMs : unauthorizedTtlMs;
    const { namespace, verb, group, version, resource, subresource, name, path } = info;
    const chosen = [namespace, verb, group, version, resource, subresource, name, path].join('').length;
    if (ttlMs <= 0 || chosen >= MAX_REMEMBERED_TEXT || decision.reason.length >= MAX_REMEMBERED_TEXT) return;
    this.#recent.set(key, { decision, untilMs: this.#parts.clock.now() + ttlMs });
  }
}

function decisionOf({ allowed, denied = false, reason = '' }: SubjectAccessReviewStatus): AccessDecision {
  if (!denied) return { verdict: allowed ? 'allow' : 'noOpinion', reason };
  if (!allowed) return { verdict: 'deny', reason };
  return {
    verdict: 'deny',
    reason,
    error: 'webhook subject access review returned both allow and deny response',
  };
}

function resultOf(error: unknown): WebhookResult {
  if (error === undefined) return 'success';
  if (error instanceof StatusError) return error.code === 504 || error.reason === 'Timeout' ? 'timeout' : 'error';
  const message = messageOf(error);
  if (message.endsWith('context canceled')) return 'canceled';
  return message.endsWith('context deadline exceeded') ? 'timeout' : 'error';
}
