import { messageOf } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import { type Api, ApiServer } from '../apis/index.ts';
import type { Part } from '../part.ts';
import { conversionOf } from '../resource/conversion-of.ts';
import type { DefinedKind } from '../resource/defined-kind.ts';
import type { KindAdmission } from '../webhooks/admission.ts';
import { AdmissionServer } from '../webhooks/admission-server.ts';
import { authorizationWebhook, type DecideAccess } from '../webhooks/authorization-webhook.ts';
import { HttpsListener, type HttpsListenerOptions } from '../webhooks/https-listener.ts';
import {
  LOOK_AGAIN_MS,
  type SecretPlace,
  SHARED_AUTHORITY_NEED,
  sharedAuthority,
} from '../webhooks/shared-authority.ts';
import { type IdentifyToken, tokenWebhook } from '../webhooks/token-webhook.ts';
import type { WebhookHandler } from '../webhooks/webhook-handler.ts';

/** What API servers ask an app, all of it over one HTTPS port. */
export interface AppExtensions {
  /** What the app has to say about requests; see `admission`. The app keeps the configurations of these webhooks itself. */
  readonly admission?: readonly KindAdmission[];
  /** Tells whose a bearer token is, at `/authenticate`; see `tokenWebhook`. */
  readonly authenticate?: IdentifyToken;
  /** Tells what somebody may do, at `/authorize`; see `authorizationWebhook`. */
  readonly authorize?: DecideAccess;
  /** Other webhooks by path. */
  readonly handlers?: Readonly<Record<string, WebhookHandler>>;
  /** Where all of it is served, and with which certificate; on this machine, with one of its own, unless given. */
  readonly serving?: ServingOptions;
}

export interface ServingOptions extends Omit<HttpsListenerOptions, 'front'> {
  /** The Service that leads to the app, where API servers do not run on this machine. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
  /**
   * The Secret with the authority of the certificates, for an app of several replicas: the first one makes it, and it is replaced
   * in time. Each process has an authority of its own unless given.
   */
  readonly secret?: SecretPlace;
}

export interface ExtensionServerOptions extends AppExtensions {
  /** As events and managed fields tell it. */
  readonly name: string;
  readonly parts: readonly Part[];
  readonly resources: readonly DefinedKind[];
  /** Groups that are served behind the cluster's API server. */
  readonly apis: readonly Api[];
}

/** Where tokens and access are asked about. */
export const EXTENSION_PATHS = { convert: '/convert', authenticate: '/authenticate', authorize: '/authorize' } as const;

/** The server of an app: webhooks of all kinds and APIs on one port, with a certificate that is made, renewed and told by the app. */
export class ExtensionServer {
  readonly webhooks: AdmissionServer;
  readonly apis: ApiServer | undefined;
  /** Parts that tell the cluster where the server is. */
  readonly parts: readonly Part[];
  readonly #listener: HttpsListener;
  readonly #options: ExtensionServerOptions;

  constructor(options: ExtensionServerOptions) {
    const { serving = {}, apis, admission = [] } = options;
    const { service, secret: _, ...listening } = serving;
    const names = [
      ...(listening.names ?? []),
      ...(service === undefined ? [] : [`${service.name}.${service.namespace}.svc`]),
    ];
    this.#options = options;
    this.#listener = new HttpsListener(
      { ...listening, names },
      { onRequest: refuse, asksForCertificate: apis.length > 0 },
    );
    const place = service === undefined ? {} : { service };
    const webhooks = { listener: this.#listener, isFor: (path: string) => !isApiPath(path) };
    this.webhooks = new AdmissionServer(admission, { ...place, handlers: handlersOf(options), front: webhooks });
    const front = { listener: this.#listener, isFor: isApiPath };
    this.apis = apis.length === 0 ? undefined : new ApiServer(apis, { ...place, front });
    this.parts = admission.length === 0 ? [] : [this.webhooks.configuration];
    if (serving.secret !== undefined) this.parts = [...this.parts, authorityPart];
  }

  /** Listens until the signal aborts; what it answers is run by the app. */
  async run(client: Client, signal: AbortSignal): Promise<void> {
    const { secret } = this.#options.serving ?? {};
    if (secret === undefined) return this.#listener.run(signal);
    await this.#readAuthority(client, secret, signal);
    const following = this.#followAuthority(client, secret, signal);
    await this.#listener.run(signal);
    await following;
  }

  async #readAuthority(client: Client, secret: SecretPlace, signal: AbortSignal): Promise<void> {
    const { clock, random } = client;
    const parts = { clock, random, fieldManager: this.#options.name, signal };
    const { authority, former } = await sharedAuthority(client, secret, parts);
    this.#listener.use(authority, former);
  }

  /** Looks from time to time whether the authority is due, or another replica has replaced it. */
  async #followAuthority(client: Client, secret: SecretPlace, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await client.clock.sleep(LOOK_AGAIN_MS, signal);
      if (signal.aborted) return;
      try {
        await this.#readAuthority(client, secret, signal);
      } catch (error) {
        client.log.warn('cannot look for the authority of webhooks', { error: messageOf(error) });
      }
    }
  }
}

/** For the roles of the app. */
const authorityPart: Part = {
  name: 'shared-authority',
  needs: [SHARED_AUTHORITY_NEED],
  prepare: () => ({ run: () => Promise.resolve() }),
};

function handlersOf(options: ExtensionServerOptions): Readonly<Record<string, WebhookHandler>> {
  const { authenticate, authorize, resources, parts, handlers = {} } = options;
  const converted = resources.filter(({ isConverted }) => isConverted);
  const own: [string, WebhookHandler][] = [
    ...(authenticate === undefined
      ? []
      : [[EXTENSION_PATHS.authenticate, tokenWebhook(authenticate)] as [string, WebhookHandler]]),
    ...(authorize === undefined
      ? []
      : [[EXTENSION_PATHS.authorize, authorizationWebhook(authorize)] as [string, WebhookHandler]]),
    ...(converted.length === 0
      ? []
      : [[EXTENSION_PATHS.convert, conversionOf(...converted)] as [string, WebhookHandler]]),
    ...Object.entries(handlers),
    ...parts.flatMap((part) => Object.entries(part.handlers ?? {})),
  ];
  const twice = own.find(([path], index) => own.findIndex(([other]) => other === path) !== index);
  if (twice !== undefined) throw new Error(`Cannot make app "${options.name}": two webhooks are at "${twice[0]}"`);
  const odd = own.find(([path]) => !path.startsWith('/') || isApiPath(path));
  if (odd !== undefined) throw new Error(`Cannot make app "${options.name}": no webhook can be at "${odd[0]}"`);
  return Object.fromEntries(own);
}

/** Paths that API servers ask an API server for. */
function isApiPath(path: string): boolean {
  return /^\/(apis|openapi|version|healthz|livez|readyz)(\/|$)/.test(path);
}

/** Nothing is at a path that neither webhooks nor APIs are asked for. */
function refuse(_: unknown, response: { writeHead(status: number): unknown; end(): unknown }): void {
  response.writeHead(404);
  response.end();
}
