// A webhook's HTTPS server on a real port, for tests.
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { CryptoRandom } from '../../../base/index.ts';
import { portIsClosed } from '../../../base/testing/closed-port.ts';
import {
  type CertificateRequest,
  issueCertificate,
  newPrivateKey,
  selfIssuer,
} from '../../../wire/certificates/index.ts';

export type Answer = (body: string, response: ServerResponse, request: IncomingMessage) => void;

const subject = { commonName: 'hooks' };
const authorityKey = createPrivateKey(newPrivateKey());
/** For `clientConfig`. */
export const caBundle = Buffer.from(certificateFor({ subject, usage: 'authority' }, authorityKey)).toString('base64');

function certificateFor(request: Pick<CertificateRequest, 'subject' | 'usage' | 'names'>, key: KeyObject): string {
  const validity = { notBefore: Date.UTC(2020), notAfter: Date.UTC(2049) };
  const issuer = selfIssuer(subject, authorityKey);
  return issueCertificate({ ...request, ...validity }, createPublicKey(key), { issuer, random: new CryptoRandom() });
}

/** Listens on a free port; `close` ends all connections and waits until new ones are refused, and `open` listens again on the same port. */
export class HookServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The number of connections so far. */
  connections = 0;
  port = 0;

  static async start(answer: Answer, protocol: 'h2' | 'http/1.1' = 'http/1.1'): Promise<HookServer> {
    const server = new HookServer(answer, protocol);
    await server.open();
    return server;
  }

  private constructor(answer: Answer, protocol: 'h2' | 'http/1.1') {
    const key = newPrivateKey();
    const names = ['localhost', '127.0.0.1', 'hook.default.svc'];
    const request = { subject: { commonName: 'hook' }, usage: 'server', names } as const;
    const cert = certificateFor(request, createPrivateKey(key));
    const handle = (request: IncomingMessage, response: ServerResponse): void =>
      void readBody(request).then((body) => answer(body, response, request));
    const server = protocol === 'h2' ? createSecureServer({ cert, key }) : createServer({ cert, key });
    this.#server = server as unknown as Server;
    this.#server.on('request', handle);
    this.#server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `https://localhost:${this.port}/hook`;
  }

  async open(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    await portIsClosed(this.port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.listening) await this.close();
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
