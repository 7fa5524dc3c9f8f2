import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { aborted, hasTracer, inSpan, messageOf, type Runnable } from '../../base/index.ts';
import {
  HttpsListener,
  type HttpsListenerOptions,
  type ListeningAddress,
  serviceHost,
  type ServiceReference,
} from './https-listener.ts';
import type { LocalAnswer, LocalWebhooks } from './local-webhooks.ts';
import { type WebhookHandler, WebhookRequestError } from './webhook-handler.ts';

export interface WebhookServerOptions extends HttpsListenerOptions {
  /** Handlers by path, such as `/convert`. */
  readonly handlers: Readonly<Record<string, WebhookHandler>>;
  /** The Service that leads to this server, needed when API servers run on other machines. */
  readonly service?: ServiceReference;
}

export type WebhookAddress = ListeningAddress;

/** How an API server calls one handler; fits the `clientConfig` of every kind of webhook. */
export interface WebhookClientConfig {
  readonly url: string;
  /** Base64 of PEM. */
  readonly caBundle: string;
}

/** How API servers call a handler: by URL, or by a Service. */
export type HandlerPlace =
  | WebhookClientConfig
  | { readonly service: ServiceReference & { readonly path: string }; readonly caBundle: string };

/** Limit of a body, as an API server's, for handlers without one of their own. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** Limit of all bodies that are read or answered at once: callers need no credentials to send one. */
const MAX_HELD_BYTES = 128 * 1024 * 1024;
const HTTPS_PORT = 443;

/** A server of webhooks, to be run alone; for those of an app there is `extensionServer`. Listens over HTTPS only. */
export function webhookServer(options: WebhookServerOptions): WebhookServer {
  return new WebhookServer(options);
}

/** The server that `webhookServer()` makes; `run` it. */
export class WebhookServer implements Runnable {
  readonly #options: WebhookServerOptions;
  readonly #listener: HttpsListener;
  #isLocal = false;
  /** Bytes of all bodies that are read or answered. */
  #heldBytes = 0;
  #service: ServiceReference | undefined;

  constructor(options: WebhookServerOptions) {
    const { service, names = [] } = options;
    this.#options = options;
    this.#service = service;
    this.#listener = new HttpsListener(
      { ...options, names: [...names, ...(service === undefined ? [] : [serviceHost(service)])] },
      { onRequest: (request, response) => void this.#respond(request, response) },
    );
  }

  /** The Service that leads to this server, if there is one. */
  get service(): ServiceReference | undefined {
    return this.#service;
  }

  /** Makes the server listen at the Service's port on all addresses. */
  standBehind(service: Required<ServiceReference>): void {
    this.#service = service;
    this.#listener.standBehind(service);
  }

  /** The CA certificate that callers have to trust, as PEM; constant for the lifetime of this object. */
  get authority(): string {
    return this.#listener.authority;
  }

  /** The same in base64, as in `clientConfig`. */
  get caBundle(): string {
    return this.#listener.caBundle;
  }

  /** Where the server listens; undefined while it does not. */
  get address(): WebhookAddress | undefined {
    return this.#listener.address;
  }

  /** Calls the handler when `authority` has changed, until the result is disposed. */
  onAuthority(handler: () => void): Disposable {
    return this.#listener.onAuthority(handler);
  }

  /** The paths of its handlers. */
  get paths(): readonly string[] {
    return Object.keys(this.#options.handlers);
  }

  /** Resolves when the server listens. */
  listening(): Promise<WebhookAddress> {
    return this.#listener.listening();
  }

  /** How API servers on this machine call a handler. */
  async clientConfig(path: string): Promise<WebhookClientConfig> {
    const { port, host } = await this.listening();
    const place = this.#isLocal ? host : `localhost:${port}`;
    return { url: `https://${place}${path}`, caBundle: this.caBundle };
  }

  /** How API servers anywhere call a handler: by the Service if there is one. */
  async clientConfigOf(path: string): Promise<HandlerPlace> {
    const local = await this.clientConfig(path);
    return this.#service === undefined ? local : { service: { ...this.#service, path }, caBundle: local.caBundle };
  }

  /**
   * The same as a kubeconfig, for API servers that are configured by flags such as
   * `--authentication-token-webhook-config-file`. `host` is where they reach this server; default this machine.
   */
  async kubeconfig(path: string, host = 'localhost'): Promise<string> {
    const { port } = await this.listening();
    const cluster = { server: `https://${host}:${port}${path}`, 'certificate-authority-data': this.caBundle };
    const context = { cluster: 'webhook', user: 'apiserver' };
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'webhook', cluster }],
      users: [{ name: 'apiserver', user: {} }],
      contexts: [{ name: 'webhook', context }],
      'current-context': 'webhook',
    });
  }

  /** Answers API servers of this process without a socket, instead of `run`. */
  async runLocally(local: LocalWebhooks, signal: AbortSignal): Promise<void> {
    this.#isLocal = true;
    const { handlers } = this.#options;
    using served = local.serve((path, body, scope) => answerTo(handlers, { path, body: async () => body }, scope));
    this.#listener.listensAt({ host: served.host, port: HTTPS_PORT });
    await aborted(signal);
    this.#listener.listensAt(undefined);
    this.#isLocal = false;
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#listener.run(signal);
  }

  async #respond(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const { handlers } = this.#options;
    const left = new AbortController();
    response.once('close', () => left.abort(new Error('the caller has left')));
    response.on('error', () => undefined);
    request.on('error', () => undefined);
    const path = request.url.split('?')[0] ?? '';
    if (request.method !== 'POST') {
      send(response, refusal(new WebhookRequestError(405, 'webhooks are called by POST')));
      return;
    }
    const held = { bytes: 0 };
    const hold = (bytes: number): void => {
      held.bytes += bytes;
      this.#heldBytes += bytes;
      if (this.#heldBytes > MAX_HELD_BYTES) throw new WebhookRequestError(429, 'too many large reviews at once');
    };
    const body = (maxBytes: number): Promise<string> => bodyOf(request, { maxBytes, hold });
    const answer = (): Promise<LocalAnswer> => answerTo(handlers, { path, body }, left.signal);
    try {
      send(response, await inWebhookSpan(request, answer));
    } finally {
      this.#heldBytes -= held.bytes;
    }
  }
}

interface Posted {
  readonly path: string;
  readonly body: (maxBytes: number) => Promise<string>;
}

async function answerTo(
  handlers: WebhookServerOptions['handlers'],
  { path, body }: Posted,
  signal: AbortSignal,
): Promise<LocalAnswer> {
  try {
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
    if (handler === undefined) throw new WebhookRequestError(404, `no webhook at "${path}"`);
    const answer = await handler(readJson(await body(handler.maxBodyBytes ?? MAX_BODY_BYTES)), { signal });
    return { status: 200, type: 'application/json', body: JSON.stringify(answer) };
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): LocalAnswer {
  const status = error instanceof WebhookRequestError ? error.status : 500;
  return { status, type: 'text/plain; charset=utf-8', body: `${messageOf(error)}\n` };
}

interface BodyLimits {
  readonly maxBytes: number;
  /** Counts bytes that are kept; throws when there are too many in all. */
  readonly hold: (bytes: number) => void;
}

async function bodyOf(request: Http2ServerRequest, { maxBytes, hold }: BodyLimits): Promise<string> {
  const tooLarge = (): WebhookRequestError =>
    new WebhookRequestError(413, `Request entity too large: limit is ${maxBytes}`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const { length } = chunk as Buffer;
    bytes += length;
    if (bytes > maxBytes) throw tooLarge();
    hold(length);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WebhookRequestError(400, `the review is no JSON: ${messageOf(error)}`);
  }
}

function send(response: Http2ServerResponse, { status, type, body }: LocalAnswer): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' });
  response.end(body);
}

/** Answers a webhook in a span if the process has a tracer: a child of the API server's span, if the request carries one. */
function inWebhookSpan(
  { url, headers: parent }: Pick<Http2ServerRequest, 'url' | 'headers'>,
  answer: () => Promise<LocalAnswer>,
): Promise<LocalAnswer> {
  if (!hasTracer()) return answer();
  const [path = ''] = url.split('?', 1);
  return inSpan(`webhook ${path}`, { kind: 'server', parent, attributes: { 'url.path': path } }, async (span) => {
    const given = await answer();
    span.set({ 'http.response.status_code': given.status });
    if (given.status >= 500) span.failed(new Error(given.body.trim()));
    return given;
  });
}
