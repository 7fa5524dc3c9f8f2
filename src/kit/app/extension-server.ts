import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { aborted, messageOf, MetricRegistry, type Runnable, runTogether } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { Api, AppApis } from '../apis/index.ts';
import type { Part } from '../part.ts';
import { conversionOf } from '../resource/conversion-of.ts';
import type { DefinedKind } from '../resource/defined-kind.ts';
import type { KindAdmission } from '../webhooks/admission.ts';
import { AdmissionServer } from '../webhooks/admission-server.ts';
import { authorizationWebhook, type DecideAccess } from '../webhooks/authorization-webhook.ts';
import { folderAuthority } from '../webhooks/folder-authority.ts';
import { HttpsListener, type HttpsListenerOptions, type ServiceReference } from '../webhooks/https-listener.ts';
import {
  LOOK_AGAIN_MS,
  type SecretPlace,
  SHARED_AUTHORITY_NEED,
  sharedAuthority,
} from '../webhooks/shared-authority.ts';
import { type IdentifyToken, tokenWebhook } from '../webhooks/token-webhook.ts';
import type { WebhookHandler } from '../webhooks/webhook-handler.ts';
import type { WebhookAddress, WebhookClientConfig } from '../webhooks/webhook-server.ts';
import { metered, type WebhookMeter, webhookMeter } from '../webhooks/webhook-metrics.ts';

/** What the server answers, and where it listens. */
export interface ExtensionServerOptions extends Omit<HttpsListenerOptions, 'front'> {
  /** Admission of requests; see `admission`. The app maintains the configurations of these webhooks itself. */
  readonly admission?: readonly KindAdmission[];
  /** Identifies the user of a bearer token, at `/authenticate`; see `tokenWebhook`. */
  readonly authenticate?: IdentifyToken;
  /** Decides what a user may do, at `/authorize`; see `authorizationWebhook`. */
  readonly authorize?: DecideAccess;
  /** Groups that the app serves behind the cluster's API server; see `api`. */
  readonly apis?: readonly Api[];
  /** The priorities of those groups in discovery, as in APIServices; default 1000 and 100. */
  readonly groupPriorityMinimum?: number;
  readonly versionPriority?: number;
  /** Other webhooks by path. */
  readonly handlers?: Readonly<Record<string, WebhookHandler>>;
  /** The Service that leads to the app, needed when API servers run on other machines. */
  readonly service?: { readonly namespace: string; readonly name: string; readonly port?: number };
  /**
   * The Secret that holds the certificate authority, for an app with several replicas: the first one creates it, and it is
   * replaced before it expires. Default: each process makes its own authority.
   */
  readonly secret?: SecretPlace;
  /**
   * The folder that holds the certificate authority, created if missing, for API servers that are configured by flags. The
   * app also writes `authenticate.kubeconfig` and `authorize.kubeconfig` there for them.
   */
  readonly folder?: string;
}

/** The app that a server belongs to. */
export interface ServedApp {
  readonly name: string;
  readonly parts: readonly Part[];
  readonly resources: readonly DefinedKind[];
}

/** The result of `extensionServer`, for `app(name, parts, { server })`: makes the server once the app is known. */
export class ExtensionServing {
  readonly #options: ExtensionServerOptions;
  #resolve: (server: ExtensionServer) => void = () => undefined;
  /** For tests: resolves to the server once an app has made it. */
  readonly made = new Promise<ExtensionServer>((resolve) => void (this.#resolve = resolve));

  constructor(options: ExtensionServerOptions) {
    this.#options = options;
  }

  /** For `app`. */
  serverOf(app: ServedApp): ExtensionServer {
    const server = new ExtensionServer(this.#options, app);
    this.#resolve(server);
    return server;
  }

  /** Resolves with the address once the server listens. */
  async listening(): Promise<WebhookAddress> {
    return (await this.made).webhooks.listening();
  }

  /** How API servers on this machine call a handler; resolves once the app listens. */
  async clientConfig(path: string): Promise<WebhookClientConfig> {
    return (await this.made).webhooks.clientConfig(path);
  }
}

/** The paths of conversion, authentication and authorization. */
const PATHS = { convert: '/convert', authenticate: '/authenticate', authorize: '/authorize' } as const;

/**
 * One HTTPS server for everything that API servers ask an app: admission, conversion of its kinds, tokens, access, other
 * webhooks, and its own APIs: `app('shop', [orders], { resources: [Order], server: extensionServer({ admission: [limits] })
 * })`. It makes and renews its certificate, and writes the authority into every registration in the cluster.
 */
export function extensionServer(options: ExtensionServerOptions = {}): ExtensionServing {
  return new ExtensionServing(options);
}

/** The server of one app. */
export class ExtensionServer {
  readonly webhooks: AdmissionServer;
  readonly apis: AppApis | undefined;
  /** Parts that register the server with the cluster. */
  readonly parts: readonly Part[];
  /** Metrics about webhook answers. */
  readonly metrics = new MetricRegistry();
  readonly #listener: HttpsListener;
  readonly #options: ExtensionServerOptions;
  readonly #name: string;
  #secret: SecretPlace | undefined;

  constructor(options: ExtensionServerOptions, app: ServedApp) {
    const {
      admission = [],
      apis = [],
      service,
      secret,
      folder,
      groupPriorityMinimum,
      versionPriority,
      handlers: _,
      authenticate: __,
      authorize: ___,
      ...listening
    } = options;
    const meter = webhookMeter(this.metrics);
    const own = service === undefined ? [] : [`${service.name}.${service.namespace}.svc`];
    const names = [...(listening.names ?? []), ...own];
    if (secret !== undefined && folder !== undefined)
      throw new Error(`Cannot make app "${app.name}": its authority is in a Secret or in a folder, not in both`);
    this.#name = app.name;
    this.#options = options;
    this.#secret = secret;
    this.#listener = new HttpsListener(
      { ...listening, names },
      { onRequest: refuse, asksForCertificate: apis.length > 0 },
    );
    const place = service === undefined ? {} : { service };
    this.webhooks = new AdmissionServer(
      admission.map((each) => metered(each, meter)),
      {
        ...place,
        handlers: handlersOf(options, app, meter),
        front: { listener: this.#listener, isFor: (path) => !isApiPath(path) },
      },
    );
    const front = { listener: this.#listener, isFor: isApiPath };
    this.apis = apis[0]?.serverOf(apis, { ...place, front, groupPriorityMinimum, versionPriority });
    this.parts = [
      ...(admission.length === 0 ? [] : [this.webhooks.configuration]),
      ...(secret === undefined ? [] : [AUTHORITY_NEEDS]),
      ...(this.apis === undefined ? [] : [this.apis.registration]),
    ];
  }

  /** Makes the server listen behind the Service, with an authority that all replicas share. */
  standBehind(service: Required<ServiceReference>): void {
    this.webhooks.standBehind(service);
    this.apis?.standBehind(service);
    const { namespace, name } = service;
    if (this.#options.folder === undefined) this.#secret ??= { namespace, name: `${name}-authority` };
  }

  /** Calls the handler when the certificate authority has changed, until the result is disposed. */
  onAuthority(handler: () => void): Disposable {
    return this.#listener.onAuthority(handler);
  }

  /** The paths at which webhooks are answered. */
  get paths(): readonly string[] {
    return this.webhooks.paths;
  }

  /** Listens until the signal aborts. The app runs the parts. */
  async run(client: Client, signal: AbortSignal): Promise<void> {
    const { folder } = this.#options;
    const secret = this.#secret;
    if (secret !== undefined) await this.#readAuthority(client, secret, signal);
    if (folder !== undefined) {
      const { authority, former } = await folderAuthority(folder, client);
      this.#listener.use(authority, former);
    }
    const tasks: Runnable[] = [this.#listener];
    if (secret !== undefined) tasks.push({ run: (scope) => this.#followAuthority(client, secret, scope) });
    if (folder !== undefined) tasks.push({ run: (scope) => this.#writeKubeconfigs(folder, scope) });
    await runTogether(tasks, signal);
  }

  async #writeKubeconfigs(folder: string, signal: AbortSignal): Promise<void> {
    await Promise.race([this.#listener.listening(), aborted(signal)]);
    if (signal.aborted) return;
    for (const path of [PATHS.authenticate, PATHS.authorize]) {
      if (!this.paths.includes(path)) continue;
      await writeFile(join(folder, `${path.slice(1)}.kubeconfig`), await this.webhooks.kubeconfig(path));
    }
  }

  async #readAuthority(client: Client, secret: SecretPlace, signal: AbortSignal): Promise<void> {
    const { clock, random } = client;
    const parts = { clock, random, fieldManager: this.#name, signal };
    const { authority, former } = await sharedAuthority(client, secret, parts);
    this.#listener.use(authority, former);
  }

  /** Checks periodically whether the authority has to be replaced or another replica has replaced it. */
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

/** Declares the access to the Secret, for the app's roles. */
const AUTHORITY_NEEDS: Part = {
  name: 'shared-authority',
  needs: [SHARED_AUTHORITY_NEED],
  prepare: () => ({ run: () => Promise.resolve() }),
};

function handlersOf(
  { authenticate, authorize, handlers = {} }: ExtensionServerOptions,
  { name, parts, resources }: ServedApp,
  meter: WebhookMeter,
): Readonly<Record<string, WebhookHandler>> {
  const converted = resources.filter(({ isConverted }) => isConverted);
  const own: [path: string, handler: WebhookHandler][] = [];
  if (authenticate !== undefined) own.push([PATHS.authenticate, tokenWebhook(authenticate)]);
  if (authorize !== undefined) own.push([PATHS.authorize, authorizationWebhook(authorize)]);
  if (converted.length > 0) own.push([PATHS.convert, conversionOf(...converted)]);
  for (const given of [handlers, ...parts.map((part) => part.handlers ?? {})]) own.push(...Object.entries(given));
  const twice = own.find(([path], index) => own.findIndex(([other]) => other === path) !== index);
  if (twice !== undefined) throw new Error(`Cannot make app "${name}": two webhooks are at "${twice[0]}"`);
  const odd = own.find(([path]) => !path.startsWith('/') || isApiPath(path));
  if (odd !== undefined) throw new Error(`Cannot make app "${name}": no webhook can be at "${odd[0]}"`);
  return Object.fromEntries(own.map(([path, handler]) => [path, meter(path, handler)]));
}

/** Paths that belong to the extension API server. */
function isApiPath(path: string): boolean {
  return /^\/(apis|openapi|version|healthz|livez|readyz)(\/|$)/.test(path);
}

/** Answers paths that belong to neither a webhook nor an API. */
function refuse(_: unknown, response: { writeHead(status: number): unknown; end(): unknown }): void {
  response.writeHead(404);
  response.end();
}
