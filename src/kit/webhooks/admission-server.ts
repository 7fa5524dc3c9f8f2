import type { AppContext, Part, PreparedPart } from '../part.ts';
import type { KindAdmission } from './admission.ts';
import { AdmissionConfiguration, type HandlerPlace, pathOf } from './admission-configuration.ts';
import { WebhookServer, type WebhookServerOptions } from './webhook-server.ts';

export interface AdmissionServerOptions extends Partial<WebhookServerOptions> {
  /** The Service that leads to this server, where API servers do not run on this machine. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
}

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
  /** Writes the configurations once the server listens, and keeps them as they are meant to be; they stay when it ends. */
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
    const exempt = service === undefined ? [] : [service.namespace];
    const prepare = (context: AppContext): PreparedPart =>
      new AdmissionConfiguration({ admissions, clientConfigOf: (path) => this.clientConfigOf(path), exempt }, context);
    this.configuration = { name: 'admission-configuration', prepare };
  }

  /** `clientConfig` of a handler: by the Service if there is one. */
  async clientConfigOf(path: string): Promise<HandlerPlace> {
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
