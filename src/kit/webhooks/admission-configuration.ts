import {
  type Kind,
  type KubernetesObject,
  MutatingWebhookConfiguration,
  type Observed,
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
  /** What was applied, by kind and name, and the version that came of it. */
  readonly #applied = new Map<string, { readonly wanted: string; readonly resourceVersion: string }>();
  /** The versions that the watches have shown; undefined for what was deleted. */
  readonly #seen = new Map<string, string | undefined>();
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
    const see = (name: string, resourceVersion: string | undefined): void => {
      if (!names.has(name)) return;
      const key = keyOf(kind, name);
      this.#seen.set(key, resourceVersion);
      if (this.#applied.has(key) && !this.#isAsApplied(key)) this.#passes.request();
    };
    const changed = ({ metadata }: Observed<T>): void => see(metadata.name, metadata.resourceVersion);
    this.#context.onChange(kind, {
      add: changed,
      update: changed,
      delete: ({ metadata }) => see(metadata.name, undefined),
    });
  }

  /** Whether what is there came of this process: its own writes are seen, too. */
  #isAsApplied(key: string): boolean {
    return this.#seen.get(key) === this.#applied.get(key)?.resourceVersion;
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { client, name: fieldManager } = this.#context;
    const how = { fieldManager, force: true, signal };
    for (const admission of this.#sources.admissions) {
      const metadata = { name: admission.name };
      if (admission.mutate !== undefined) {
        const webhooks = [await this.#webhook(admission, 'mutate')];
        await this.#apply(MutatingWebhookConfiguration, { metadata, webhooks }, (wanted) =>
          applyRegistration(client.kind(MutatingWebhookConfiguration), wanted, how),
        );
      }
      if (admission.validate !== undefined) {
        const webhooks = [await this.#webhook(admission, 'validate')];
        await this.#apply(ValidatingWebhookConfiguration, { metadata, webhooks }, (wanted) =>
          applyRegistration(client.kind(ValidatingWebhookConfiguration), wanted, how),
        );
      }
      if (!hasRules(admission.options)) continue;
      await this.#apply(ValidatingAdmissionPolicy, { metadata, spec: this.#policy(admission) }, (wanted) =>
        client.kind(ValidatingAdmissionPolicy).apply(wanted, how),
      );
      const spec = { policyName: admission.name, validationActions: ['Deny' as const] };
      await this.#apply(ValidatingAdmissionPolicyBinding, { metadata, spec }, (wanted) =>
        client.kind(ValidatingAdmissionPolicyBinding).apply(wanted, how),
      );
    }
    this.#isRegistered = true;
  }

  /** Applies a configuration, unless it is there as this process has applied it. */
  async #apply<Wanted extends { readonly metadata: { readonly name: string } }>(
    kind: Kind,
    wanted: Wanted,
    apply: (wanted: Wanted) => Promise<{ readonly metadata: { readonly resourceVersion: string } }>,
  ): Promise<void> {
    const key = keyOf(kind, wanted.metadata.name);
    const text = JSON.stringify(wanted);
    if (this.#applied.get(key)?.wanted === text && this.#isAsApplied(key)) return;
    const { metadata } = await apply(wanted);
    this.#applied.set(key, { wanted: text, resourceVersion: metadata.resourceVersion });
    // another's change may have been seen before the answer, or this one is still to be seen: look again
    if (this.#seen.has(key) && !this.#isAsApplied(key)) this.#passes.request();
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

function keyOf({ kind }: Kind, name: string): string {
  return `${kind} ${name}`;
}

function hasRules({ rules = [] }: KindAdmission['options']): boolean {
  return rules.length > 0;
}
