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
import type { Clock, Logger, MetricRegistry, Random } from '../base/index.ts';
import {
  builtInAdmission,
  type DefaultTolerationSeconds,
  type OtherPlugins,
  type PluginConfigurations,
} from '../resources/index.ts';

/** Which plugins change and check objects before they are stored. */
export interface AdmissionOptions {
  /** Plugins that are switched on besides those that are by default, by upstream's names. */
  readonly enable?: readonly string[];
  /** Plugins that are switched off, by upstream's names. */
  readonly disable?: readonly string[];
  /** The configuration of plugins by their names, in YAML or JSON, as an AdmissionConfiguration file has it. */
  readonly configuration?: PluginConfigurations;
  /** More plugins, after the built-in ones. */
  readonly plugins?: readonly AdmissionPlugin[];
  /** How long pods stay on nodes that are lost, when their specs do not say; default 300. */
  readonly tolerationSeconds?: DefaultTolerationSeconds;
  /**
   * For authors of admission webhooks: configurations may name plain `http://127.0.0.1:PORT`, and the last reviews are kept and can be
   * replayed. Default false.
   */
  readonly devWebhooks?: boolean;
}

/** What the admission of a server needs of it. */
export interface AdmissionSources {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly objects: ServerObjects;
  readonly authorizer: Authorizer;
  readonly webhooks: WebhookClient;
  readonly metrics: MetricRegistry;
  /** Writes an object as the server itself. */
  readonly update: (path: string, object: object) => Promise<void>;
  readonly registry: ResourceRegistry;
  /** Keeps the reviews that webhooks were sent; default none are kept. */
  readonly reviews?: WebhookReviews | undefined;
  /** Creates an object in the name of the server. */
  readonly create: (collection: string, object: object) => Promise<boolean>;
}

/** All admission plugins of a server in running order. */
export function clusterAdmission(options: AdmissionOptions, sources: AdmissionSources): readonly AdmissionPlugin[] {
  const { tolerationSeconds, enable = [], disable = [], configuration, plugins = [] } = options;
  const { webhooks: _, reviews: __, ...parts } = sources;
  const choice = { enable, disable, configurations: configuration };
  return [...builtInAdmission({ ...parts, tolerationSeconds }, choice, otherPlugins(sources)), ...plugins];
}

/** Those that ask webhooks or evaluate policies. */
function otherPlugins(sources: AdmissionSources): OtherPlugins {
  const { objects, authorizer, registry, webhooks, metrics, reviews, clock, random } = sources;
  const conditionMetrics = new ConditionMetrics(metrics, clock);
  const configured = {
    ...sources,
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
