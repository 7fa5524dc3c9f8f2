// What the tests of the HTTP transport share: requests, transports to test servers, and networks that misbehave.
import { once } from 'node:events';
import { createServer, Server } from 'node:http';
import {
  type AddressInfo,
  connect as connectTcp,
  createServer as createTcpServer,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { settle } from '../../base/index.ts';
import type { ClusterConnection } from '../cluster-connection.ts';
import type { Credential } from '../credentials/index.ts';
import { HttpTransport, type HttpTransportOptions } from '../http/index.ts';
import { readText } from '../request/body-reader.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { type SeenRequest, testdata, type TestServer } from './test-server.ts';

export const never = new AbortController().signal;

export function get(path: string, options: Partial<TransportRequest> = {}): TransportRequest {
  return { method: 'GET', path, headers: {}, signal: never, ...options };
}

export function connectionTo(
  server: { readonly url: string },
  more: Partial<ClusterConnection> = {},
): ClusterConnection {
  return { server: server.url, certificateAuthority: { pem: testdata('authority.crt') }, ...more };
}

export function transportTo(
  server: TestServer,
  more: Partial<ClusterConnection> & HttpTransportOptions = {},
): HttpTransport {
  return new HttpTransport(connectionTo(server, more), more);
}

export async function text(response: TransportResponse): Promise<string> {
  return readText(response.body, 1_000_000);
}

export function certificate(name: string): Credential {
  return { certificate: { certificate: testdata(`${name}.crt`), key: testdata(`${name}.key`) } };
}

/** Resolves when the condition holds; checks it after each turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle();
}

export interface TestTcp extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly sockets: Set<Socket>;
}

export async function startTcp(onConnection: (socket: Socket) => void): Promise<TestTcp> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  return serveTcp(server, sockets);
}

/** A server that completes the TLS handshake and then stays silent. */
export async function startTls(protocols: readonly string[]): Promise<TestTcp> {
  const sockets = new Set<Socket>();
  const options = { key: testdata('server.key'), cert: testdata('server.crt'), ALPNProtocols: [...protocols] };
  const server = createTlsServer(options, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).resume();
    socket.once('close', () => sockets.delete(socket));
  });
  return serveTcp(server, sockets);
}

async function serveTcp(server: TcpServer, sockets: Set<Socket>): Promise<TestTcp> {
  const port = await listening(server);
  return { port, url: `https://127.0.0.1:${port}`, sockets, [Symbol.asyncDispose]: () => close(server, sockets) };
}

/** Forwards to a port, and can stop forwarding without closing, like a router that lost the connection. */
export async function startWire(port: number): Promise<TestTcp & { goSilent(): void }> {
  let isSilent = false;
  const tcp = await startTcp((socket) => {
    const far = connectTcp(port, '127.0.0.1');
    far.on('error', () => undefined);
    socket.once('close', () => far.destroy());
    far.once('close', () => socket.destroy());
    socket.on('data', (data) => void (isSilent || far.write(data)));
    far.on('data', (data) => void (isSilent || socket.write(data)));
  });
  return Object.assign(tcp, { goSilent: () => void (isSilent = true) });
}

export async function startProxy(
  authorization: string,
): Promise<{ port: number; targets: string[] } & AsyncDisposable> {
  const targets: string[] = [];
  const server = createServer();
  const sockets = new Set<Socket>();
  server.on('connect', (request, socket: Socket) => {
    sockets.add(socket);
    if (request.headers['proxy-authorization'] !== authorization) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    targets.push(request.url ?? '');
    const [host, port] = (request.url ?? '').split(':');
    const far = connectTcp(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    far.on('error', () => socket.destroy());
    socket.on('error', () => far.destroy());
  });
  const port = await listening(server);
  return { port, targets, [Symbol.asyncDispose]: () => close(server, sockets) };
}

export async function startHttp(
  see: (headers: SeenRequest['headers']) => void,
): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    see(request.headers);
    response.end('{}');
  });
  const port = await listening(server);
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => close(server, new Set()) };
}

async function listening(server: TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function close(server: TcpServer, sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  if (server instanceof Server) server.closeAllConnections();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
}
