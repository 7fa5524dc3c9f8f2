import { once } from 'node:events';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import {
  aborted,
  type Clock,
  CryptoRandom,
  messageOf,
  type Random,
  RealClock,
  type Runnable,
} from '../../base/index.ts';
import type { LocalAnswer, LocalWebhooks } from './local-webhooks.ts';
import { type ServingCertificate, WebhookAuthority } from './serving-certificate.ts';
import { type WebhookHandler, WebhookRequestError } from './webhook-handler.ts';

export interface WebhookServerOptions {
  /** 0, or absent, for any that is free. */
  readonly port?: number;
  /** 127.0.0.1 unless given; behind a Service it is `0.0.0.0` or `::`. */
  readonly host?: string;
  /** By path, such as `/convert`. */
  readonly handlers: Readonly<Record<string, WebhookHandler>>;
  /**
   * Names and addresses that callers use, such as `hook.default.svc`; those of this machine are always there. A certificate for
   * them is made at the start and renewed while the server runs.
   */
  readonly names?: readonly string[];
  /** A certificate of one's own instead, such as one that several replicas share. */
  readonly certificate?: ServingCertificate;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface WebhookAddress {
  readonly host: string;
  readonly port: number;
}

/** What an API server needs to know to call one handler; fits `clientConfig` of every kind of webhook. */
export interface WebhookClientConfig {
  readonly url: string;
  /** Base64 of PEM. */
  readonly caBundle: string;
}

/** Bodies of reviews; API servers send lists of objects, each of at most 1.5 MiB, in one review. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const MAX_CONNECTIONS = 256;
const HEADERS_TIMEOUT_MS = 10_000;
const HTTPS_PORT = 443;
const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];

/** A server of webhooks, to be run on its own or as `app(name, parts, { webhooks })`. Listens over HTTPS only. */
export function webhookServer(options: WebhookServerOptions): WebhookServer {
  return new WebhookServer(options);
}

export class WebhookServer implements Runnable {
  readonly #options: WebhookServerOptions;
  readonly #clock: Clock;
  readonly #authority: WebhookAuthority | undefined;
  #address: WebhookAddress | undefined;
  #isLocal = false;
  #waiting: ((address: WebhookAddress) => void)[] = [];

  constructor(options: WebhookServerOptions) {
    const { certificate, clock = new RealClock(), random = new CryptoRandom() } = options;
    this.#options = options;
    this.#clock = clock;
    this.#authority = certificate === undefined ? new WebhookAuthority({ clock, random }) : undefined;
  }

  /** PEM of the authority that callers have to trust; the same for as long as this object lives. */
  get authority(): string {
    return this.#authority?.certificate ?? this.#options.certificate?.authority ?? '';
  }

  /** The same as it stands in `clientConfig`: base64. */
  get caBundle(): string {
    return Buffer.from(this.authority).toString('base64');
  }

  /** Where the server listens; undefined while it does not. */
  get address(): WebhookAddress | undefined {
    return this.#address;
  }

  /** Resolves when the server listens. */
  listening(): Promise<WebhookAddress> {
    if (this.#address !== undefined) return Promise.resolve(this.#address);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** How API servers on this machine call a handler. */
  async clientConfig(path: string): Promise<WebhookClientConfig> {
    const { port, host } = await this.listening();
    const place = this.#isLocal ? host : `localhost:${port}`;
    return { url: `https://${place}${path}`, caBundle: this.caBundle };
  }

  /**
   * The same as a kubeconfig, which API servers are given for what they ask by flags, such as
   * `--authentication-token-webhook-config-file`. `host` is where they reach this server; this machine unless given.
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

  /** Answers API servers of this process without a socket, in place of `run`. */
  async runLocally(local: LocalWebhooks, signal: AbortSignal): Promise<void> {
    this.#isLocal = true;
    const { handlers } = this.#options;
    using served = local.serve((path, body, scope) => answerTo(handlers, { path, body: async () => body }, scope));
    this.#opened({ address: served.host, port: HTTPS_PORT, family: '' });
    await aborted(signal);
    this.#address = undefined;
    this.#isLocal = false;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { certificate: cert, privateKey: key } = this.#certificate();
    const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
      void respond(this.#options.handlers, request, response);
    });
    const sockets = boundConnections(server);
    const { port = 0, host = '127.0.0.1' } = this.#options;
    server.listen(port, host);
    await once(server, 'listening');
    this.#opened(server.address() as AddressInfo);
    try {
      await this.#renewUntil(server, signal);
    } finally {
      this.#address = undefined;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    }
  }

  #certificate(): ServingCertificate {
    const { certificate, names = [] } = this.#options;
    return this.#authority?.issue([...new Set([...names, ...LOCAL_NAMES])]) ?? (certificate as ServingCertificate);
  }

  #opened({ address, port }: AddressInfo): void {
    this.#address = { host: address, port };
    for (const resolve of this.#waiting.splice(0)) resolve(this.#address);
  }

  async #renewUntil(server: Http2SecureServer, signal: AbortSignal): Promise<void> {
    if (this.#authority === undefined) return aborted(signal);
    while (!signal.aborted) {
      await this.#clock.sleep(WebhookAuthority.RENEW_AFTER_MS, signal);
      if (signal.aborted) return;
      const { certificate: cert, privateKey: key } = this.#certificate();
      server.setSecureContext({ cert, key });
    }
  }
}

/** The open connections of a server, of which there are never too many, and none whose first request takes for ever. */
function boundConnections(server: Http2SecureServer): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.maxConnections = MAX_CONNECTIONS;
  Object.assign(server, { headersTimeout: HEADERS_TIMEOUT_MS });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('sessionError', () => undefined); // the caller's connection is gone; the next call makes another
  return sockets;
}

async function respond(
  handlers: WebhookServerOptions['handlers'],
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort(new Error('the caller has left')));
  response.on('error', () => undefined);
  request.on('error', () => undefined);
  const path = request.url.split('?')[0] ?? '';
  if (request.method === 'POST') {
    send(response, await answerTo(handlers, { path, body: () => bodyOf(request) }, left.signal));
  } else {
    send(response, refusal(new WebhookRequestError(405, 'webhooks are called by POST')));
  }
}

interface Posted {
  readonly path: string;
  readonly body: () => Promise<string>;
}

async function answerTo(
  handlers: WebhookServerOptions['handlers'],
  { path, body }: Posted,
  signal: AbortSignal,
): Promise<LocalAnswer> {
  try {
    const handler = Object.hasOwn(handlers, path) ? handlers[path] : undefined;
    if (handler === undefined) throw new WebhookRequestError(404, `no webhook at "${path}"`);
    const answer = await handler(readJson(await body()), { signal });
    return { status: 200, type: 'application/json', body: JSON.stringify(answer) };
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): LocalAnswer {
  const status = error instanceof WebhookRequestError ? error.status : 500;
  return { status, type: 'text/plain; charset=utf-8', body: `${messageOf(error)}\n` };
}

async function bodyOf(request: Http2ServerRequest): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BODY_BYTES) throw new WebhookRequestError(413, `the review has more than ${MAX_BODY_BYTES} bytes`);
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
