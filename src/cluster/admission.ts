import {
  admissionWebhooks,
  ConditionMetrics,
  EquivalentResources,
  mutatingAdmissionPolicy,
  validatingAdmissionPolicy,
  type WebhookReviews,
} from '../admission/index.ts';
import type {
  AdmissionPlugin,
  Authorizer,
  ResourceRegistry,
  ServerObjects,
  WebhookClient,
} from '../apiserver/index.ts';
import type { MetricRegistry } from '../base/index.ts';
import { builtInAdmission } from '../resources/index.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';

/** What the admission of a server needs of it. */
export interface AdmissionSources {
  readonly objects: ServerObjects;
  readonly authorizer: Authorizer;
  readonly webhooks: WebhookClient;
  readonly metrics: MetricRegistry;
  readonly registry: () => ResourceRegistry;
  /** Keeps what webhooks were asked, where that is wanted. */
  readonly reviews?: WebhookReviews | undefined;
}

/** All admission plugins of a server in running order. */
export function clusterAdmission(options: ControlPlaneOptions, sources: AdmissionSources): readonly AdmissionPlugin[] {
  const { clock, random, enableAdmission = [], disableAdmission = [], admission = [] } = options;
  const { objects, authorizer, registry, webhooks: client, metrics, reviews } = sources;
  const equivalents = new EquivalentResources(registry);
  const conditionMetrics = new ConditionMetrics(metrics, clock);
  const configured = { ...sources, clock, conditionMetrics, equivalents, namespaces: objects.of('', 'namespaces') };
  return [
    ...builtInAdmission(
      { objects, clock, random, authorizer },
      { enable: enableAdmission, disable: disableAdmission },
      [
        mutatingAdmissionPolicy(configured),
        validatingAdmissionPolicy(configured),
        ...admissionWebhooks({ objects, client, metrics, conditionMetrics, authorizer, registry, reviews }),
      ],
    ),
    ...admission,
  ];
}
