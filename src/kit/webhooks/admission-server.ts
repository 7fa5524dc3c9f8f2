import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '../../client/index.ts';
import { aborted } from '../../base/index.ts';
import type { AppContext, Part, PreparedPart } from '../part.ts';
import type { KindAdmission } from './admission.ts';
import { type WebhookClientConfig, WebhookServer, type WebhookServerOptions } from './webhook-server.ts';

export interface AdmissionServerOptions extends Partial<WebhookServerOptions> {
  /** The Service that leads to this server, where API servers do not run on this machine. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
}

/** Where API servers find a handler. */
type ClientConfig = WebhookClientConfig | Record<string, unknown>;

/**
 * Serves admission webhooks and, as a part of the app, writes their configurations with the authority of its certificate:
 * `app(name, [server.configuration], { webhooks: server })`. Several replicas need a `certificate` that they share.
 */
export function admissionServer(
  admissions: readonly KindAdmission[],
  options: AdmissionServerOptions = {},
): AdmissionServer {
  return new AdmissionServer(admissions, options);
}

export class AdmissionServer extends WebhookServer {
  /** Writes the configurations once the server listens; they stay when it ends. */
  readonly configuration: Part;
  readonly #service: AdmissionServerOptions['service'];

  constructor(admissions: readonly KindAdmission[], { service, ...options }: AdmissionServerOptions) {
    const own = service === undefined ? [] : [`${service.name}.${service.namespace}.svc`];
    super({
      ...options,
      handlers: { ...options.handlers, ...handlersOf(admissions) },
      names: [...(options.names ?? []), ...own],
    });
    this.#service = service;
    const prepare = (context: AppContext): PreparedPart => new ConfigurationWriter(this, admissions, context);
    this.configuration = { name: 'admission-configuration', prepare };
  }

  /** `clientConfig` of a handler: by the Service if there is one. */
  async clientConfigOf(path: string): Promise<ClientConfig> {
    const local = await this.clientConfig(path);
    return this.#service === undefined ? local : { service: { ...this.#service, path }, caBundle: local.caBundle };
  }
}

function handlersOf(admissions: readonly KindAdmission[]): WebhookServerOptions['handlers'] {
  const entries = admissions.flatMap(({ name, mutate, validate }) => [
    ...(mutate === undefined ? [] : [[pathOf(name, 'mutate'), mutate] as const]),
    ...(validate === undefined ? [] : [[pathOf(name, 'validate'), validate] as const]),
  ]);
  const twice = entries.find(([path], index) => entries.findIndex(([other]) => other === path) !== index);
  if (twice !== undefined) throw new Error(`Cannot serve admission: two are at "${twice[0]}"`);
  return Object.fromEntries(entries);
}

function pathOf(name: string, what: 'mutate' | 'validate'): string {
  return `/${what}/${name}`;
}

class ConfigurationWriter implements PreparedPart {
  readonly #server: AdmissionServer;
  readonly #admissions: readonly KindAdmission[];
  readonly #context: AppContext;
  isIdle = false;

  constructor(server: AdmissionServer, admissions: readonly KindAdmission[], context: AppContext) {
    this.#server = server;
    this.#admissions = admissions;
    this.#context = context;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { client, name: fieldManager } = this.#context;
    const how = { fieldManager, force: true, signal };
    for (const admission of this.#admissions) {
      const metadata = { name: admission.name };
      if (admission.mutate !== undefined) {
        const webhooks = [await this.#webhook(admission, 'mutate')];
        await client.kind(MutatingWebhookConfiguration).apply({ metadata, webhooks }, how);
      }
      if (admission.validate !== undefined) {
        const webhooks = [await this.#webhook(admission, 'validate')];
        await client.kind(ValidatingWebhookConfiguration).apply({ metadata, webhooks }, how);
      }
    }
    this.isIdle = true;
    await aborted(signal);
  }

  async #webhook({ name, kind, options }: KindAdmission, what: 'mutate' | 'validate') {
    const { failurePolicy, operations = ['CREATE', 'UPDATE'], exemptNamespaces = ['kube-system'] } = options;
    const { namespaceSelector = {}, objectSelector, timeoutSeconds } = options;
    const exempt = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [...exemptNamespaces] };
    return {
      name,
      clientConfig: await this.#server.clientConfigOf(pathOf(name, what)),
      rules: [
        {
          operations: [...operations],
          apiGroups: [kind.group],
          apiVersions: [kind.version],
          resources: [kind.plural],
          scope: kind.scope,
        },
      ],
      failurePolicy,
      matchPolicy: 'Equivalent' as const,
      sideEffects: 'None' as const,
      admissionReviewVersions: ['v1'],
      namespaceSelector: {
        ...namespaceSelector,
        matchExpressions: [
          ...(namespaceSelector.matchExpressions ?? []),
          ...(exemptNamespaces.length === 0 ? [] : [exempt]),
        ],
      },
      ...(objectSelector === undefined ? {} : { objectSelector }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    };
  }
}
