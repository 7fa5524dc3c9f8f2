import type { MutatingWebhook, ValidatingWebhook } from '../../api/types/admissionregistration/v1.d.ts';
import type { Authorizer, WebhookTarget } from '../../apiserver/index.ts';
import { type MatchSources, RequestMatcher } from '../matching/index.ts';
import { MatchConditions } from './match-conditions.ts';

export type HookType = 'admit' | 'validating';

/** One webhook of a configuration, prepared for calls. */
export class Hook {
  readonly name: string;
  readonly configuration: string;
  /** Distinguishes webhooks that have the same name. */
  readonly id: string;
  readonly matcher: RequestMatcher;
  readonly conditions: MatchConditions;
  readonly target: WebhookTarget;
  readonly reviewVersions: readonly string[];
  /** Whether a failing call lets the request pass. */
  readonly isFailingOpen: boolean;
  readonly allowsDryRun: boolean;
  readonly isReinvocable: boolean;
  readonly timeoutMs: number;

  constructor(webhook: MutatingWebhook | ValidatingWebhook, origin: HookOrigin, sources: HookSources) {
    const { name, rules = [], clientConfig, failurePolicy, sideEffects = '', timeoutSeconds = 10 } = webhook;
    this.name = name ?? '';
    this.configuration = origin.configuration;
    this.id = `${origin.configuration}/${this.name}/${origin.index}`;
    this.matcher = new RequestMatcher(
      { ...webhook, rules } as ConstructorParameters<typeof RequestMatcher>[0],
      sources,
    );
    const conditions = (webhook.matchConditions ?? []) as ConstructorParameters<typeof MatchConditions>[0];
    this.conditions = new MatchConditions(conditions, sources.authorizer);
    this.target = clientConfig as WebhookTarget;
    this.reviewVersions = webhook.admissionReviewVersions ?? [];
    this.isFailingOpen = failurePolicy === 'Ignore';
    this.allowsDryRun = sideEffects === 'None' || sideEffects === 'NoneOnDryRun';
    this.isReinvocable = 'reinvocationPolicy' in webhook && webhook.reinvocationPolicy === 'IfNeeded';
    this.timeoutMs = timeoutSeconds * 1000;
  }
}

interface HookOrigin {
  readonly configuration: string;
  /** Its position in the configuration. */
  readonly index: number;
}

export interface HookSources extends MatchSources {
  readonly authorizer: Authorizer;
}
