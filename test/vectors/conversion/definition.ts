import type { CustomResourceDefinition } from '../../../src/api/types/apiextensions/v1.d.ts';
import type { WebhookConversion } from './hook-server.ts';

/** A definition with versions v1, the stored one, and v2, between which a webhook converts. */
export function definitionOf(group: string, webhook: WebhookConversion): CustomResourceDefinition {
  const version = (name: string) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `crontabs.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
      versions: [version('v1'), version('v2')],
      conversion: { strategy: 'Webhook', webhook },
    },
  } as unknown as CustomResourceDefinition;
}
