import {
  admissionWebhooks,
  checkPolicyConfiguration,
  ConditionMetrics,
  EquivalentResources,
  imagePolicyWebhook,
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
import { builtInAdmission, type OtherPlugins } from '../resources/index.ts';
import type { ControlPlaneOptions } from './control-plane-options.ts';

/** What the admission of a server needs of it. */
export interface AdmissionSources {
  readonly objects: ServerObjects;
  readonly authorizer: Authorizer;
  readonly webhooks: WebhookClient;
  readonly metrics: MetricRegistry;
  /** Writes an object as the server itself. */
  readonly update: (path: string, object: object) => Promise<void>;
  readonly registry: ResourceRegistry;
  /** Keeps what webhooks were asked, where that is wanted. */
  readonly reviews?: WebhookReviews | undefined;
  /** Creates an object in the name of the server. */
  readonly create: (collection: string, object: object) => Promise<boolean>;
}

/** All admission plugins of a server in running order. */
export function clusterAdmission(options: ControlPlaneOptions, sources: AdmissionSources): readonly AdmissionPlugin[] {
  const {
    clock,
    random,
    log,
    tolerationSeconds,
    enableAdmission = [],
    disableAdmission = [],
    admission = [],
  } = options;
  const { objects, authorizer, metrics, registry, update, create } = sources;
  const choice = { enable: enableAdmission, disable: disableAdmission, configurations: options.admissionConfiguration };
  const parts = { objects, clock, random, log, tolerationSeconds, authorizer, metrics, registry, update, create };
  return [...builtInAdmission(parts, choice, otherPlugins(options, sources)), ...admission];
}

/** Those that ask webhooks or evaluate policies. */
function otherPlugins({ clock, random }: ControlPlaneOptions, sources: AdmissionSources): OtherPlugins {
  const { objects, authorizer, registry, webhooks, metrics, reviews } = sources;
  const conditionMetrics = new ConditionMetrics(metrics, clock);
  const configured = {
    ...sources,
    clock,
    conditionMetrics,
    equivalents: new EquivalentResources(registry),
    namespaces: objects.of('', 'namespaces'),
  };
  const hooks = admissionWebhooks({
    objects,
    client: webhooks,
    metrics,
    conditionMetrics,
    authorizer,
    registry,
    reviews,
  });
  return {
    ImagePolicyWebhook: (configuration) => imagePolicyWebhook({ webhooks, random }, configuration),
    MutatingAdmissionPolicy(configuration) {
      checkPolicyConfiguration('MutatingAdmissionPolicyConfiguration', configuration);
      return mutatingAdmissionPolicy(configured);
    },
    MutatingAdmissionWebhook: (configuration) => hooks.mutating(configuration),
    ValidatingAdmissionPolicy(configuration) {
      checkPolicyConfiguration('ValidatingAdmissionPolicyConfiguration', configuration);
      return validatingAdmissionPolicy(configured);
    },
    ValidatingAdmissionWebhook: (configuration) => hooks.validating(configuration),
  };
}
