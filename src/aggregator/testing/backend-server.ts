// An extension API server on a real port, whose answers the test decides.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { CryptoRandom } from '../../base/index.ts';
import { type CertificateRequest, issueCertificate, newPrivateKey, selfIssuer } from '../../wire/certificates/index.ts';

export type BackendAnswer = (request: IncomingMessage, response: ServerResponse) => void;

export interface BackendOptions {
  readonly protocol?: 'h2' | 'http/1.1';
  /** Names in its certificate; default: the name of the service. */
  readonly names?: readonly string[];
  readonly notAfter?: number;
}

const SUBJECT = { commonName: 'extension-ca' };
const authorityKey = createPrivateKey(newPrivateKey());
/** For `spec.caBundle`. */
export const backendAuthority = Buffer.from(issue({ subject: SUBJECT, usage: 'authority' }, authorityKey)).toString(
  'base64',
);

function issue(
  request: Pick<CertificateRequest, 'subject' | 'usage' | 'names'> & { readonly notAfter?: number },
  key: KeyObject,
): string {
  const validity = { notBefore: Date.UTC(2020), notAfter: request.notAfter ?? Date.UTC(2049) };
  const issuer = selfIssuer(SUBJECT, authorityKey);
  return issueCertificate({ ...request, ...validity }, createPublicKey(key), { issuer, random: new CryptoRandom() });
}

/** Answers discovery by itself, and everything else with `answer`. */
export class BackendServer implements AsyncDisposable {
  answer: BackendAnswer = (_, response) => void response.writeHead(404).end();
  readonly requests: IncomingMessage[] = [];
  readonly server: Server;
  readonly #sockets = new Set<Socket>();
  port = 0;

  static async start(options: BackendOptions = {}): Promise<BackendServer> {
    const backend = new BackendServer(options);
    await backend.open();
    return backend;
  }

  private constructor({ protocol = 'h2', names = ['api.wardle.svc'], notAfter }: BackendOptions) {
    const key = newPrivateKey();
    const request = { subject: { commonName: 'api' }, usage: 'server', names } as const;
    const cert = issue({ ...request, ...(notAfter === undefined ? {} : { notAfter }) }, createPrivateKey(key));
    const tls = { cert, key, requestCert: true, rejectUnauthorized: false };
    const server = protocol === 'h2' ? createSecureServer({ ...tls, allowHTTP1: true }) : createServer(tls);
    this.server = server as unknown as Server;
    this.server.on('request', (message: IncomingMessage, response: ServerResponse) => {
      this.requests.push(message);
      response.on('error', () => undefined);
      this.answer(message, response);
    });
    this.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get connections(): number {
    return this.#sockets.size;
  }

  async open(): Promise<void> {
    this.server.listen(this.port, 'localhost');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Stops at once, with all its connections. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.server.listening) await this.close();
  }
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** The discovery of one version with flunders in it, as servers without aggregated discovery have it. */
export const FLUNDERS = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'wardle.example.com/v1alpha1',
  resources: [
    { name: 'flunders', singularName: 'flunder', namespaced: true, kind: 'Flunder', verbs: ['get', 'list', 'watch'] },
    { name: 'flunders/status', singularName: '', namespaced: true, kind: 'Flunder', verbs: ['get'] },
  ],
};

/** Legacy discovery of flunders, and `otherwise` for all other paths. */
export function withDiscovery(otherwise: BackendAnswer): BackendAnswer {
  return (request, response) => {
    if (request.url === '/apis/wardle.example.com/v1alpha1') sendJson(response, FLUNDERS);
    else if (request.url?.startsWith('/apis/wardle.example.com/') === true) otherwise(request, response);
    else response.writeHead(404).end();
  };
}
