import type { AppContext, Part, PreparedPart } from '../part.ts';
import type { KindAdmission } from './admission.ts';
import { AdmissionConfiguration, configurationNeeds, pathOf } from './admission-configuration.ts';
import { type HandlerPlace, WebhookServer, type WebhookServerOptions } from './webhook-server.ts';

export type AdmissionServerOptions = Partial<WebhookServerOptions>;

/**
 * Serves admission webhooks and, as a part of the app, writes their configurations with its certificate authority:
 * `app(name, [server.configuration], { webhooks: server })`. Several replicas need a shared `certificate`.
 */
export function admissionServer(
  admissions: readonly KindAdmission[],
  options: AdmissionServerOptions = {},
): AdmissionServer {
  return new AdmissionServer(admissions, options);
}

export class AdmissionServer extends WebhookServer {
  /** Writes the configurations once the server listens, and keeps them up to date. They outlive the server. */
  readonly configuration: Part;

  constructor(admissions: readonly KindAdmission[], options: AdmissionServerOptions) {
    super({ ...options, handlers: { ...options.handlers, ...handlersOf(admissions) } });
    const clientConfigOf = (path: string): Promise<HandlerPlace> => this.clientConfigOf(path);
    const onAuthority = (handler: () => void): Disposable => this.onAuthority(handler);
    const prepare = (context: AppContext): PreparedPart => {
      const exempt = this.service === undefined ? [] : [this.service.namespace];
      return new AdmissionConfiguration({ admissions, clientConfigOf, exempt, onAuthority }, context);
    };
    this.configuration = { name: 'admission-configuration', needs: configurationNeeds(admissions), prepare };
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
