import type { AdmissionPlugin, ResourceRegistry, ServerObjects, WebhookClient } from '../../apiserver/index.ts';
import type { MetricRegistry } from '../../base/index.ts';
import { identified } from './hook-credentials.ts';
import { type ConditionMetrics, EquivalentResources } from '../matching/index.ts';
import { HookIndex } from './hook-index.ts';
import type { HookSources } from './hook.ts';
import { MutatingWebhooks } from './mutating-webhooks.ts';
import { ValidatingWebhooks } from './validating-webhooks.ts';
import type { WebhookReviews } from './webhook-reviews.ts';
import { WebhookMetrics } from './webhook-metrics.ts';

export interface AdmissionWebhookOptions extends Pick<HookSources, 'authorizer'> {
  readonly registry: ResourceRegistry;
  readonly objects: ServerObjects;
  readonly client: WebhookClient;
  readonly metrics: MetricRegistry;
  readonly conditionMetrics: ConditionMetrics;
  /** Records the reviews; then webhooks may also be called without TLS. */
  readonly reviews?: WebhookReviews | undefined;
}

/** Creates the plugins `MutatingAdmissionWebhook` and `ValidatingAdmissionWebhook`, each with its own configuration. */
export interface AdmissionWebhooks {
  mutating(configuration: string | undefined): AdmissionPlugin;
  validating(configuration: string | undefined): AdmissionPlugin;
}

/** Admission by the webhook configurations in the store. */
export function admissionWebhooks(options: AdmissionWebhookOptions): AdmissionWebhooks {
  const { objects, client, registry, authorizer } = options;
  const sources = {
    objects,
    authorizer,
    equivalents: new EquivalentResources(registry),
    namespaces: objects.of('', 'namespaces'),
    isServed: (group: string, plural: string) => registry.resourcesOf(group).some((kind) => kind.plural === plural),
  };
  const metrics = new WebhookMetrics(options.metrics);
  const asking = (configuration: string | undefined) => ({
    client: identified(client, configuration),
    metrics,
    conditionMetrics: options.conditionMetrics,
    reviews: options.reviews,
  });
  return {
    mutating: (configuration) =>
      new MutatingWebhooks(
        new HookIndex({ ...sources, plural: 'mutatingwebhookconfigurations' }),
        asking(configuration),
      ),
    validating: (configuration) =>
      new ValidatingWebhooks(
        new HookIndex({ ...sources, plural: 'validatingwebhookconfigurations' }),
        asking(configuration),
      ),
  };
}
