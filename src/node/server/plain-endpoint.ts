import { createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { Listener } from '../../wire/listen/index.ts';
import type { RequestGuard } from './node-access.ts';
import type { TextAnswer } from './node-request.ts';
import type { NodeServer } from './node-server.ts';

/** What a port without TLS answers: one page, or the node's paths that a guard lets pass. */
export type PlainEndpointOptions = { readonly host: string; readonly port: number } & (
  | { answer(request: { readonly path: string; readonly query: URLSearchParams }): TextAnswer }
  | { readonly guard: RequestGuard; server(): NodeServer | undefined }
);

const LIMITS = { maxConnections: 100, headersTimeoutMs: 10_000 };

/** A port of a node without TLS, for checks of its health and for readers without credentials. */
export class PlainEndpoint implements Disposable {
  readonly #close: () => void;
  readonly port: number;

  static async open(options: PlainEndpointOptions): Promise<PlainEndpoint> {
    return 'answer' in options ? openPage(options) : openServer(options);
  }

  constructor(port: number, close: () => void) {
    this.port = port;
    this.#close = close;
  }

  [Symbol.dispose](): void {
    this.#close();
  }
}

async function openPage({
  host,
  port,
  answer,
}: Extract<PlainEndpointOptions, { readonly answer: unknown }>): Promise<PlainEndpoint> {
  const listener = new Listener({
    limits: LIMITS,
    http1: {
      request: (message, response) => {
        message.resume();
        const { pathname: path, searchParams: query } = new URL(message.url ?? '/', 'http://node');
        const isKnown = path === '/healthz' || path.startsWith('/healthz/');
        const { code, text } = isKnown ? answer({ path, query }) : { code: 404, text: '404 page not found\n' };
        response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
      },
    },
  });
  await listener.open(host, port);
  return new PlainEndpoint(listener.address.port, () => void listener.end());
}

async function openServer({
  host,
  port,
  guard,
  server,
}: Extract<PlainEndpointOptions, { readonly guard: unknown }>): Promise<PlainEndpoint> {
  const sockets = new Set<Socket>();
  const listening: Server = createServer((socket) => {
    const found = server();
    socket.on('error', () => undefined); // the server of the socket sees it closed
    if (found === undefined || sockets.size >= LIMITS.maxConnections) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    found.accept(socket, guard);
  });
  listening.listen(port, host);
  await once(listening, 'listening');
  const address = listening.address();
  return new PlainEndpoint(typeof address === 'object' && address !== null ? address.port : port, () => {
    listening.close();
    for (const socket of sockets) socket.destroy();
  });
}
