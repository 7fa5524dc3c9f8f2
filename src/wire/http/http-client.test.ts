import { createPrivateKey, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../certificates/index.ts';
import { HttpClient, type HttpClientOptions } from './http-client.ts';
import type { HttpRequest } from './http-exchange.ts';
import { judgedBy } from './judged-by.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function start(server: Server, path?: string): Promise<URL> {
  if (path === undefined) server.listen(0, '127.0.0.1');
  else server.listen(path);
  await once(server, 'listening');
  closers.push(() => server.close().closeAllConnections());
  return new URL(
    path === undefined ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : 'http://localhost',
  );
}

function clientOf(server: URL, options: Partial<HttpClientOptions> = {}): HttpClient {
  const client = new HttpClient({ target: { server }, clock: new RealClock(), ...options });
  closers.push(() => client.destroy());
  return client;
}

function request(path: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', path, headers: {}, signal: AbortSignal.timeout(120_000), ...more };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

test('connects to a unix socket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-http-'));
  const socketPath = join(folder, 's.sock');
  const server = await start(
    createServer((sent, response) => response.end(`${sent.headers.host} ${sent.url}`)),
    socketPath,
  );

  const answer = await clientOf(server, { target: { server, socketPath } }).request(request('/x?y'));

  expect(await textOf(answer.chunks)).toBe('localhost /x?y');
  rmSync(folder, { recursive: true });
});

test('a body is read from its source with backpressure', async () => {
  let resume!: () => void;
  const server = await start(
    createServer((sent, response) => {
      let bytes = 0;
      resume = () =>
        sent.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('end', () => response.end(`${bytes}`));
    }),
  );
  let produced = 0;
  async function* body(): AsyncGenerator<Uint8Array> {
    for (; produced < 64; produced++) yield Buffer.alloc(1024 * 1024);
  }

  const answering = clientOf(server).request(request('/', { method: 'POST', body: body() }));
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => void setImmediate(resolve));
  expect(produced).toBeLessThan(32);

  resume();
  expect(await textOf((await answering).chunks)).toBe(String(64 * 1024 * 1024));
});

test('an error of the body’s source fails the request', async () => {
  const server = await start(createServer((sent) => sent.resume()));
  // oxlint-disable-next-line require-yield
  async function* body(): AsyncGenerator<Uint8Array> {
    throw new Error('no more');
  }
  await expect(clientOf(server).request(request('/', { method: 'POST', body: body() }))).rejects.toThrow('no more');
});

test('the caller owns an upgraded connection; connections above the limit are refused', async () => {
  const server = createServer((_sent, response) => response.writeHead(403).end('not you'));
  server.on('upgrade', (sent, socket) => {
    if (sent.headers.upgrade !== 'echo') {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 7\r\n\r\nnot you');
      return;
    }
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\nhello ');
    socket.pipe(socket);
  });
  const client = clientOf(await start(server), { maxSockets: 1 });
  const headers = { connection: 'Upgrade', upgrade: 'echo' };

  const opened = await client.upgrade(request('/', { method: 'POST', headers }));
  if (!('socket' in opened)) throw new Error(`Refused: ${opened.status}`);
  await expect(client.upgrade(request('/', { headers }))).rejects.toThrow('1 upgraded connections are open already');
  opened.socket.end('world');
  const closed = once(opened.socket, 'close');
  expect(await textOf(opened.socket as AsyncIterable<Buffer>)).toBe('hello world');
  await closed;

  const refused = await client.upgrade(request('/', { headers: { connection: 'Upgrade', upgrade: 'other' } }));
  expect(refused.status).toBe(403);
  if ('chunks' in refused) expect(await textOf(refused.chunks)).toBe('not you');
});

test('a certificate with a problem is rejected whatever its judge returns, and nothing is sent', async () => {
  const requests: string[] = [];
  const key = newPrivateKey();
  const [subject, notBefore] = [{ commonName: 'untrusted' }, Date.UTC(2020)];
  const issuer = selfIssuer(subject, createPrivateKey(key));
  const leaf = { subject, usage: 'server', names: ['localhost'], notBefore, notAfter: Date.UTC(2049) } as const;
  const cert = issueCertificate(leaf, createPublicKey(key), { issuer, random: new CryptoRandom() });
  const plain = await start(
    createTlsServer({ cert, key }, ({ url = '' }, response) => response.end(String(requests.push(url)))),
  );
  const server = new URL(plain.href.replace('http:', 'https:').replace('127.0.0.1', 'localhost'));
  const seen: (string | undefined)[] = [];
  const judged = clientOf(server, {
    target: {
      server,
      judgeCertificate: judgedBy((_certificate, problem) => {
        seen.push(problem);
        return undefined;
      }),
    },
  });
  await expect(judged.request(request('/'))).rejects.toThrow('DEPTH_ZERO_SELF_SIGNED_CERT');

  const strict = clientOf(server, {
    target: {
      server,
      judgeCertificate: judgedBy((_certificate, problem) => (seen.push(problem), new Error('not you'))),
    },
    authorities: async () => cert,
  });
  await expect(strict.request(request('/'))).rejects.toThrow('not you');
  expect(seen).toEqual(['DEPTH_ZERO_SELF_SIGNED_CERT', undefined]);
  expect(requests).toEqual([]);
});

test('a request is sent to the address of the option instead of its host', async () => {
  const real = await start(createServer((sent, response) => response.end(sent.headers.host)));
  const server = new URL('http://somewhere.test');
  const address = async () => ({ host: '127.0.0.1', port: Number(real.port) });
  const answer = await clientOf(server, { target: { server, address } }).request(request('/'));
  expect(await textOf(answer.chunks)).toBe('somewhere.test');
});
