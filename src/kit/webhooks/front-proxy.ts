import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import {
  aborted,
  type Clock,
  CryptoRandom,
  messageOf,
  type Random,
  RealClock,
  type Runnable,
} from '../../base/index.ts';
import type { Credential } from '../../wire/certificates/index.ts';
import { TlsListener } from '../../wire/listen/index.ts';
import { WebhookAuthority } from './serving-certificate.ts';
import type { TokenUser } from './token-webhook.ts';
import type { WebhookAddress } from './webhook-server.ts';

/** The API server behind a front proxy. */
export interface ProxyTarget {
  /** Such as `https://127.0.0.1:6443`. */
  readonly server: string;
  /** The CA certificates to trust, as PEM; default the system's. */
  readonly certificateAuthority?: string;
}

export interface FrontProxyOptions {
  /** Identifies the user of a request; undefined refuses it with 401. */
  readonly identify: (
    request: IncomingMessage,
  ) => Omit<TokenUser, 'audiences'> | undefined | Promise<Omit<TokenUser, 'audiences'> | undefined>;
  /** Where requests are sent; called for each, so that it may become known after the proxy is made. */
  readonly target: () => ProxyTarget | Promise<ProxyTarget>;
  /** The proxy's client certificate; default one for `front-proxy-client` from an authority that the proxy makes. */
  readonly client?: Credential & { readonly authority: string };
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Names and addresses by which users reach the proxy, besides those of this machine. */
  readonly names?: readonly string[];
  readonly clock?: Clock;
  readonly random?: Random;
}

const CLIENT_NAME = 'front-proxy-client';
const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];
const LIMITS = { maxConnections: 1024, headersTimeoutMs: 10_000, handshakeTimeoutMs: 10_000 };

/** A proxy in front of an API server that authenticates users with a function. Serves HTTPS with HTTP/1.1 only. */
export function frontProxy(options: FrontProxyOptions): FrontProxy {
  return new FrontProxy(options);
}

/** The proxy that `frontProxy()` makes; `run` it. */
export class FrontProxy implements Runnable {
  /** The CA certificate that users of the proxy have to trust, as PEM. */
  readonly authority: string;
  /** The CA certificate of its client certificate, as PEM, for the API server's `--requestheader-client-ca-file`. */
  readonly clientAuthority: string;
  readonly #options: FrontProxyOptions;
  readonly #clock: Clock;
  readonly #signer: WebhookAuthority;
  readonly #client: Credential;
  #agent: { readonly key: string; readonly agent: Agent } | undefined;
  #address: WebhookAddress | undefined;
  #waiting: ((address: WebhookAddress) => void)[] = [];

  constructor(options: FrontProxyOptions) {
    const { clock = new RealClock(), random = new CryptoRandom(), client } = options;
    this.#options = options;
    this.#clock = clock;
    this.#signer = new WebhookAuthority({ clock, random });
    this.authority = this.#signer.certificate;
    this.clientAuthority = client?.authority ?? this.#signer.certificate;
    this.#client = client ?? this.#signer.issueClient(CLIENT_NAME);
  }

  /** Resolves when the proxy listens. */
  listening(): Promise<WebhookAddress> {
    if (this.#address !== undefined) return Promise.resolve(this.#address);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port = 0, host = '127.0.0.1', names = [] } = this.#options;
    const { certificate, privateKey: key } = this.#signer.issue([...new Set([...names, ...LOCAL_NAMES])]);
    const listener = new TlsListener({
      clock: this.#clock,
      limits: LIMITS,
      serving: { certificate, key },
      http1: {
        request: (request, response) => void this.#pass(request, response),
        upgrade: (request, socket, first) => void this.#upgrade(request, { socket, first }),
      },
    });
    const { address, port: opened } = await listener.open(host, port);
    this.#address = { host: address, port: opened };
    for (const resolve of this.#waiting.splice(0)) resolve(this.#address);
    await aborted(signal);
    this.#address = undefined;
    this.#agent?.agent.destroy();
    await listener.end();
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const headers = await this.#headersFor(request);
      if (headers === undefined) {
        answer(response, 401, 'Unauthorized');
        return;
      }
      const sent = await this.#send(request, headers);
      sent.on('error', (error) => answer(response, 502, messageOf(error)));
      sent.on('response', (got) => {
        response.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(response);
        got.on('error', () => response.destroy());
      });
      response.on('close', () => sent.destroy());
      request.pipe(sent);
    } catch (error) {
      answer(response, 502, messageOf(error));
    }
  }

  async #upgrade(request: IncomingMessage, { socket, first }: { socket: Duplex; first: Buffer }): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const headers = await this.#headersFor(request);
      if (headers === undefined) {
        socket.end(head(401, {}));
        return;
      }
      const sent = await this.#send(request, { ...headers, connection: 'Upgrade', upgrade: request.headers.upgrade });
      sent.on('error', () => socket.destroy());
      sent.on('response', (got) => socket.end(head(got.statusCode ?? 502, {})));
      sent.on('upgrade', (got, far, farFirst) => {
        socket.write(head(101, got.headers));
        far.on('error', () => socket.destroy());
        far.write(first);
        socket.write(farFirst);
        far.pipe(socket).pipe(far);
      });
      sent.end();
    } catch {
      socket.destroy();
    }
  }

  /** The headers to forward: all but the user's credentials and those that only the proxy may set. */
  async #headersFor(request: IncomingMessage): Promise<OutgoingHttpHeaders | undefined> {
    const user = await this.#options.identify(request);
    if (user === undefined || user.name === '') return undefined;
    const kept = Object.entries(request.headers).filter(([name]) => !isReplaced(name));
    const extra = Object.entries(user.extra ?? {}).map(([key, values]) => [
      `x-remote-extra-${encodeURIComponent(key)}`,
      [...values],
    ]);
    return {
      ...(Object.fromEntries(kept) as IncomingHttpHeaders),
      'x-remote-user': user.name,
      ...(user.uid === undefined ? {} : { 'x-remote-uid': user.uid }),
      ...((user.groups ?? []).length === 0 ? {} : { 'x-remote-group': [...(user.groups ?? [])] }),
      ...(Object.fromEntries(extra) as OutgoingHttpHeaders),
    };
  }

  async #send(request: IncomingMessage, headers: OutgoingHttpHeaders): Promise<ReturnType<typeof httpsRequest>> {
    const target = await this.#options.target();
    const { hostname, port } = new URL(target.server);
    const { method, url: path } = request;
    return httpsRequest({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path,
      headers,
      agent: this.#agentFor(target),
    });
  }

  #agentFor({ server, certificateAuthority }: ProxyTarget): Agent {
    const key = `${server} ${certificateAuthority ?? ''}`;
    if (this.#agent?.key !== key) {
      const { certificate: cert, privateKey } = this.#client;
      const trust = certificateAuthority === undefined ? {} : { ca: certificateAuthority };
      this.#agent?.agent.destroy();
      this.#agent = { key, agent: new Agent({ keepAlive: true, cert, key: privateKey, ...trust }) };
    }
    return this.#agent.agent;
  }
}

/** Hop-by-hop headers, the user's credentials, and the headers that only the proxy may set. */
function isReplaced(name: string): boolean {
  return ['host', 'connection', 'authorization', 'cookie'].includes(name) || name.startsWith('x-remote-');
}

function answer(response: ServerResponse, code: number, text: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}

function head(code: number, headers: IncomingHttpHeaders): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  return `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines.join('')}\r\n`;
}
