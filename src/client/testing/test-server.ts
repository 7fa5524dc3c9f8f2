// An HTTPS server with real TLS and HTTP/2 or HTTP/1.1; the test writes the responses.
import { readFileSync } from 'node:fs';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';

export type Answer = (request: Http2ServerRequest, response: Http2ServerResponse) => void | Promise<void>;

export interface TestServerOptions {
  readonly protocol?: 'h2' | 'http/1.1';
  readonly maxConcurrentStreams?: number;
}

/** A request as the server received it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly protocol: string;
  /** The common name in the client's certificate. */
  readonly user: string | undefined;
}

/** A file of `testdata`. */
export function testdata(name: string): string {
  return readFileSync(testdataPath(name), 'utf8');
}

export function testdataPath(name: string): string {
  return join(import.meta.dirname, '..', 'testdata', name);
}

type AnyServer = Http2SecureServer | ReturnType<typeof createHttpsServer>;

export class TestServer implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  /** The open sockets; `connections` counts all since the start. */
  readonly sockets = new Set<Socket>();
  readonly sessions: ServerHttp2Session[] = [];
  connections = 0;
  readonly #server: AnyServer;

  private constructor(server: AnyServer) {
    this.#server = server;
  }

  static async start(answer: Answer, options: TestServerOptions = {}): Promise<TestServer> {
    const tls = {
      key: testdata('server.key'),
      cert: testdata('server.crt'),
      ca: testdata('authority.crt'),
      requestCert: true,
      rejectUnauthorized: false,
    };
    const { maxConcurrentStreams = 100 } = options;
    const server =
      options.protocol === 'http/1.1'
        ? createHttpsServer({ ...tls, ALPNProtocols: ['http/1.1'] })
        : createSecureServer({ ...tls, settings: { maxConcurrentStreams } });
    const started = new TestServer(server);
    server.on('secureConnection', (socket: TLSSocket) => started.#connected(socket));
    server.on('session', (session: ServerHttp2Session) => started.sessions.push(session));
    server.on('request', (request: Http2ServerRequest, response: Http2ServerResponse) => {
      void started.#answer(request, response, answer);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  #connected(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }

  async #answer(request: Http2ServerRequest, response: Http2ServerResponse, answer: Answer): Promise<void> {
    response.on('error', () => undefined);
    request.on('error', () => undefined);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return; // the client went away
    }
    const certificate = (request.socket as TLSSocket).getPeerCertificate();
    this.seen.push({
      method: request.method,
      path: request.url,
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
      protocol: request.httpVersion,
      user: certificate.subject === undefined ? undefined : String(certificate.subject.CN),
    });
    await answer(request, response);
  }
}

/** Answers with JSON. */
export function json(
  response: Http2ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
