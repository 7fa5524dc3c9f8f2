import {
  type Kind,
  type KubernetesObject,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../client/index.ts';
import type { AppContext, PreparedPart } from '../part.ts';
import { type AccessNeed, readNeed, writeNeed } from '../rbac/access-need.ts';
import { Passes } from '../work/passes.ts';
import type { KindAdmission } from './admission.ts';
import { applyRegistration } from './apply-registration.ts';
import type { HandlerPlace } from './webhook-server.ts';

export interface ConfigurationSources {
  readonly admissions: readonly KindAdmission[];
  readonly clientConfigOf: (path: string) => Promise<HandlerPlace>;
  /** Namespaces that are always exempt, because the webhooks themselves run there. */
  readonly exempt: readonly string[];
  /** Calls the handler when the certificate authority has changed. */
  readonly onAuthority: (handler: () => void) => Disposable;
}

/** How often, at most, changes that others made to the configurations are undone. */
const PERIOD_MS = 1000;

export function pathOf(name: string, what: 'mutate' | 'validate'): string {
  return `/${what}/${name}`;
}

/** The kinds of configuration objects that these admissions need. */
function writtenKinds(admissions: readonly KindAdmission[]): readonly Kind[] {
  return [
    ...(admissions.some(({ mutate }) => mutate !== undefined) ? [MutatingWebhookConfiguration] : []),
    ...(admissions.some(({ validate }) => validate !== undefined) ? [ValidatingWebhookConfiguration] : []),
    ...(admissions.some(({ options }) => hasRules(options))
      ? [ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding]
      : []),
  ];
}

/** The access for writing the configurations, and for reading the kinds that the handlers read. */
export function configurationNeeds(admissions: readonly KindAdmission[]): readonly AccessNeed[] {
  const written = writtenKinds(admissions);
  return [
    ...[...written, ...admissions.flatMap(({ options }) => options.reads ?? [])].map(readNeed),
    ...written.map((kind) => writeNeed(kind, ['create', 'patch'])),
  ];
}

/** Writes webhook configurations and policies, and writes them again when they are changed or deleted. */
export class AdmissionConfiguration implements PreparedPart {
  readonly #sources: ConfigurationSources;
  readonly #context: AppContext;
  readonly #passes: Passes;
  #isRegistered = false;

  constructor(sources: ConfigurationSources, context: AppContext) {
    this.#sources = sources;
    this.#context = context;
    this.#passes = new Passes(context, 'admission-configuration', {
      period: PERIOD_MS,
      pass: (signal) => this.#write(signal),
    });
    const { admissions } = sources;
    for (const admission of admissions) admission.readFrom(context);
    for (const kind of writtenKinds(admissions)) this.#follow(kind);
  }

  /** Until its first write, requests are not sent to this process: an app that is ready must not let them pass. */
  get unready(): readonly string[] {
    return this.#isRegistered ? [] : ['webhooks not registered'];
  }

  async run(signal: AbortSignal): Promise<void> {
    using _authority = this.#sources.onAuthority(() => this.#passes.request());
    await this.#passes.run(signal);
  }

  #follow<T extends KubernetesObject>(kind: Kind<T>): void {
    const names = new Set(this.#sources.admissions.map(({ name }) => name));
    const changed = ({ metadata }: { readonly metadata: { readonly name: string } }): void => {
      if (names.has(metadata.name)) this.#passes.request();
    };
    this.#context.onChange(kind, { update: changed, delete: changed });
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { client, name: fieldManager } = this.#context;
    const how = { fieldManager, force: true, signal };
    for (const admission of this.#sources.admissions) {
      const metadata = { name: admission.name };
      if (admission.mutate !== undefined) {
        const webhooks = [await this.#webhook(admission, 'mutate')];
        await applyRegistration(client.kind(MutatingWebhookConfiguration), { metadata, webhooks }, how);
      }
      if (admission.validate !== undefined) {
        const webhooks = [await this.#webhook(admission, 'validate')];
        await applyRegistration(client.kind(ValidatingWebhookConfiguration), { metadata, webhooks }, how);
      }
      if (!hasRules(admission.options)) continue;
      await client.kind(ValidatingAdmissionPolicy).apply({ metadata, spec: this.#policy(admission) }, how);
      const spec = { policyName: admission.name, validationActions: ['Deny' as const] };
      await client.kind(ValidatingAdmissionPolicyBinding).apply({ metadata, spec }, how);
    }
    this.#isRegistered = true;
  }

  async #webhook(admission: KindAdmission, what: 'mutate' | 'validate') {
    const { name, options } = admission;
    const { rules, ...selectors } = this.#matching(admission);
    return {
      name,
      clientConfig: await this.#sources.clientConfigOf(pathOf(name, what)),
      rules,
      ...selectors,
      failurePolicy: options.failurePolicy,
      sideEffects: 'None' as const,
      admissionReviewVersions: ['v1'],
      ...(options.timeoutSeconds === undefined ? {} : { timeoutSeconds: options.timeoutSeconds }),
    };
  }

  #policy(admission: KindAdmission) {
    const { failurePolicy, rules: validations = [] } = admission.options;
    const { rules: resourceRules, ...selectors } = this.#matching(admission);
    return { failurePolicy, matchConstraints: { resourceRules, ...selectors }, validations: [...validations] };
  }

  /** The requests that the admission applies to. */
  #matching({ kind, options }: KindAdmission) {
    const { operations = ['CREATE', 'UPDATE'], exemptNamespaces = ['kube-system'] } = options;
    const { namespaceSelector = {}, objectSelector } = options;
    const values = [...new Set([...exemptNamespaces, ...this.#sources.exempt])];
    const exempt = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values };
    return {
      rules: [
        {
          operations: [...operations],
          apiGroups: [kind.group],
          apiVersions: [kind.version],
          resources: [kind.plural],
          scope: kind.scope,
        },
      ],
      matchPolicy: 'Equivalent' as const,
      namespaceSelector: {
        ...namespaceSelector,
        matchExpressions: [...(namespaceSelector.matchExpressions ?? []), ...(values.length === 0 ? [] : [exempt])],
      },
      ...(objectSelector === undefined ? {} : { objectSelector }),
    };
  }
}

function hasRules({ rules = [] }: KindAdmission['options']): boolean {
  return rules.length > 0;
}
