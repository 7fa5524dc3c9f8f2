import type { CustomResourceDefinition } from '../../api/types/apiextensions/v1.d.ts';
import { type ApiObject, StatusError } from '../../api/index.ts';
import type { Convert, WebhookClient } from '../../apiserver/index.ts';
import type { ConversionMetrics } from './conversion-metrics.ts';
import { WebhookConversion } from './webhook-conversion.ts';

/**
 * Converts objects between a definition's versions: synchronously by a new apiVersion (strategy `None`), or by its
 * webhook. Objects in the wanted version already are returned unchanged. Versions that the definition does not have are
 * refused, such as those of objects stored before a version was removed.
 */
export function definitionConversion(
  definition: CustomResourceDefinition,
  webhooks: WebhookClient,
  options: { readonly metrics?: ConversionMetrics } = {},
): Convert {
  const { group, versions } = definition.spec;
  const known = new Set(versions.map(({ name }) => `${group}/${name}`));
  const webhook = webhookOf(definition, webhooks, options.metrics);
  return (objects, apiVersion, signal) => {
    checkVersions(objects, apiVersion, known);
    if (webhook === undefined) return objects.map((object) => inVersion(object, apiVersion));
    const others = objects.filter((object) => object.apiVersion !== apiVersion);
    if (others.length === 0) return objects;
    return webhook.convert(others, apiVersion, signal).then((converted) => {
      const next = converted.values();
      return objects.map((object) => (object.apiVersion === apiVersion ? object : (next.next().value as ApiObject)));
    });
  };
}

function webhookOf(
  { metadata, spec: { conversion } }: CustomResourceDefinition,
  webhooks: WebhookClient,
  metrics: ConversionMetrics | undefined,
): WebhookConversion | undefined {
  if (conversion?.strategy !== 'Webhook') return undefined;
  const { clientConfig = {}, conversionReviewVersions: reviewVersions = [] } = conversion.webhook ?? {};
  const given = metrics === undefined ? {} : { metrics };
  const definition = metadata?.name ?? '';
  return new WebhookConversion({ definition, target: clientConfig, reviewVersions, webhooks, ...given });
}

function inVersion(object: ApiObject, apiVersion: string): ApiObject {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

function checkVersions(objects: readonly ApiObject[], apiVersion: string, known: ReadonlySet<string>): void {
  if (!known.has(apiVersion)) throw refused(`request to convert CR to an invalid group/version: ${apiVersion}`);
  const stray = objects.find((object) => !known.has(object.apiVersion ?? ''));
  if (stray === undefined) return;
  throw refused(`request to convert CR from an invalid group/version: ${stray.apiVersion}`);
}

function refused(message: string): StatusError {
  return new StatusError({ code: 500, message });
}
