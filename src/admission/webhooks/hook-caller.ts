import type { AdmissionResponse } from '../../api/types/admission/v1.d.ts';
import { forbidden, internalError, StatusError } from '../../api/index.ts';
import type { AdmissionAttributes, Resource, TraceStep, WebhookClient } from '../../apiserver/index.ts';
import { messageOf } from '../../base/index.ts';
import { type ConditionMetrics, versionedAttributes } from '../matching/index.ts';
import { callHook } from './call-hook.ts';
import type { Hook, HookType } from './hook.ts';
import { HookDenial, HookFailure } from './hook-failure.ts';
import type { PlacedHook } from './hook-index.ts';
import type { WebhookReviews } from './webhook-reviews.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** What calling a webhook needs from a server. */
export interface HookCallerOptions {
  readonly client: WebhookClient;
  readonly metrics: WebhookMetrics;
  readonly conditionMetrics: ConditionMetrics;
  readonly reviews?: WebhookReviews | undefined;
}

/** A webhook to call, and the request in the version it wants. */
export interface Invocation extends PlacedHook {
  readonly shown: AdmissionAttributes;
}

/** Decides whether to call webhooks, calls them, and applies their failure policies. */
export class HookCaller {
  readonly #type: HookType;
  readonly #options: HookCallerOptions;

  constructor(type: HookType, options: HookCallerOptions) {
    this.#type = type;
    this.#options = options;
  }

  /** Undefined when the webhook does not apply to the request. */
  async invocation(placed: PlacedHook, attributes: AdmissionAttributes): Promise<Invocation | undefined> {
    const { hook } = placed;
    const found = await hook.matcher.match(attributes);
    if (found === undefined) return skipped(attributes, hook, 'its rules and selectors do not match');
    const shown = await shownAs(attributes, found);
    if (hook.conditions.isEmpty) return { ...placed, shown };
    const { conditionMetrics: metrics } = this.#options;
    const start = metrics.now();
    const verdict = await hook.conditions.judge(shown);
    const { operation } = attributes;
    const labels = { name: hook.name, kind: 'webhook', type: this.#type, operation } as const;
    metrics.evaluated(labels, start, verdict.type === 'match' ? 0 : verdict.errors);
    if (verdict.type === 'match') return { ...placed, shown };
    if (verdict.type === 'mismatch' || hook.isFailingOpen) metrics.excluded(labels);
    if (verdict.type === 'mismatch') return skipped(attributes, hook, 'a match condition is false');
    if (hook.isFailingOpen) return skipped(attributes, hook, verdict.message);
    const { group, plural: resource } = attributes.resource;
    throw forbidden({ group, resource }, attributes.name, verdict.message);
  }

  /**
   * Calls the webhook and uses its response; undefined when that failed and its failure policy is Ignore. `failedOpen`
   * is the prefix of the audit annotation that records it.
   */
  async ask<T>(
    { hook, index, shown }: Invocation,
    use: (response: AdmissionResponse, step: TraceStep | undefined) => T,
    failedOpen: string,
  ): Promise<T | undefined> {
    const step = beginStep(shown, hook);
    const { client, metrics, reviews } = this.#options;
    const type = this.#type;
    const start = client.clock.monotonic();
    const ended = (outcome: Pick<Parameters<WebhookMetrics['ended']>[0], 'code' | 'rejection'>): void => {
      const seconds = (client.clock.monotonic() - start) / 1000;
      metrics.ended({ name: hook.name, type, operation: shown.operation, seconds, ...outcome });
    };
    try {
      const used = use(await callHook(hook, shown, { client, type, reviews }), step);
      ended({ code: 200 });
      step?.end();
      return used;
    } catch (error) {
      ended(outcomeOf(error, hook));
      step?.end(decisionOf(error, hook), messageOf(error));
      if (!(error instanceof HookFailure)) throw error;
      if (!hook.isFailingOpen) throw internalError(error);
      if (shown.signal.aborted) throw timedOut();
      metrics.failedOpen(hook.name, type);
      shown.annotate(`${failedOpen}index_${index}`, hook.name);
      return undefined;
    }
  }
}

function beginStep(attributes: AdmissionAttributes, { configuration, name }: Hook): TraceStep | undefined {
  return attributes.step?.begin(configuration === name ? name : `${configuration}/${name}`);
}

function skipped(attributes: AdmissionAttributes, hook: Hook, why: string): undefined {
  beginStep(attributes, hook)?.end('skipped', why);
}

function decisionOf(error: unknown, { isFailingOpen }: Hook): string {
  if (!(error instanceof HookFailure)) return 'refused';
  return isFailingOpen ? 'failed, ignored' : 'failed';
}

function outcomeOf(error: unknown, hook: Hook): Pick<Parameters<WebhookMetrics['ended']>[0], 'code' | 'rejection'> {
  if (error instanceof HookDenial) return { code: error.code, rejection: 'no_error' };
  if (!(error instanceof HookFailure)) return { code: 0, rejection: 'apiserver_internal_error' };
  return { code: error.code, ...(hook.isFailingOpen ? {} : { rejection: 'calling_webhook_error' as const }) };
}

async function shownAs(attributes: AdmissionAttributes, resource: Resource): Promise<AdmissionAttributes> {
  try {
    return await versionedAttributes(attributes, resource);
  } catch (error) {
    throw internalError(error);
  }
}

function timedOut(): StatusError {
  const message = 'Timeout: request did not complete within requested timeout';
  return new StatusError({ code: 504, reason: 'Timeout', message, details: {} });
}
