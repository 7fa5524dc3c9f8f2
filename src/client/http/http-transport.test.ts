import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { settle, VirtualClock } from '../../base/index.ts';
import type { ClusterConnection } from '../cluster-connection.ts';
import { bearer, type Credential, type Credentials, FixedCredentials } from '../credentials/index.ts';
import { readText } from '../request/body-reader.ts';
import { json, type SeenRequest, testdata, TestServer, type TestServerOptions } from '../testing/test-server.ts';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';

const never = new AbortController().signal;

function get(path: string, options: Partial<TransportRequest> = {}): TransportRequest {
  return { method: 'GET', path, headers: {}, signal: never, ...options };
}

function connectionTo(server: { readonly url: string }, more: Partial<ClusterConnection> = {}): ClusterConnection {
  return { server: server.url, certificateAuthority: { pem: testdata('authority.crt') }, ...more };
}

function transportTo(server: TestServer, more: Partial<ClusterConnection> & HttpTransportOptions = {}): HttpTransport {
  return new HttpTransport(connectionTo(server, more), more);
}

async function text(response: TransportResponse): Promise<string> {
  return readText(response.body, 1_000_000);
}

function certificate(name: string): Credential {
  return { certificate: { certificate: testdata(`${name}.crt`), key: testdata(`${name}.key`) } };
}

/** Resolves when the condition holds; checked whenever something may have happened. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle();
}

describe.each<TestServerOptions>([{ protocol: 'h2' }, { protocol: 'http/1.1' }])(
  'HttpTransport over $protocol',
  (options) => {
    test('sends method, path, headers, body and certificate, and gives back status, headers and body', async () => {
      await using server = await TestServer.start(
        (_request, response) => json(response, 201, { ok: true }, { 'x-more': 'a' }),
        options,
      );
      await using transport = transportTo(server, { credentials: new FixedCredentials(certificate('client')) });

      const response = await transport.send(
        get('/api?x=1', { method: 'POST', headers: { 'x-list': ['a', 'b'] }, body: 'hello' }),
      );

      expect(response.status).toBe(201);
      expect(response.headers['x-more']).toBe('a');
      expect(await text(response)).toBe('{"ok":true}');
      expect(server.seen).toMatchObject([
        {
          method: 'POST',
          path: '/api?x=1',
          body: 'hello',
          user: 'client',
          protocol: options.protocol === 'h2' ? '2.0' : '1.1',
        },
      ]);
      expect(String(server.seen[0]?.headers['x-list'])).toMatch(/^a, ?b$/);
    });

    test('an answer of any status resolves', async () => {
      await using server = await TestServer.start(
        (_request, response) => json(response, 503, { kind: 'Status' }),
        options,
      );
      await using transport = transportTo(server);

      const response = await transport.send(get('/'));

      expect(response.status).toBe(503);
      expect(await text(response)).toBe('{"kind":"Status"}');
    });

    test('a stream is read as it comes, and leaving the loop ends the request', async () => {
      let isClosed = false;
      await using server = await TestServer.start((_request, response) => {
        response.once('close', () => (isClosed = true));
        response.writeHead(200);
        response.write('first');
      }, options);
      await using transport = transportTo(server);
      const response = await transport.send(get('/watch'));
      if (response.body.type !== 'bytes') throw new Error('expected bytes');

      for await (const chunk of response.body.chunks) {
        expect(Buffer.from(chunk).toString()).toBe('first');
        break;
      }

      await until(() => isClosed);
    });

    test('aborting before the answer rejects with the reason, and the server sees the request end', async () => {
      let isClosed = false;
      await using server = await TestServer.start(
        (_request, response) => void response.once('close', () => (isClosed = true)),
        options,
      );
      await using transport = transportTo(server);
      const stop = new AbortController();
      const sending = transport.send(get('/', { signal: stop.signal }));
      await until(() => server.seen.length === 1);

      stop.abort(new Error('enough'));

      await expect(sending).rejects.toThrow('enough');
      await until(() => isClosed);
    });

    test('aborting while the body comes ends it with the reason', async () => {
      await using server = await TestServer.start((_request, response) => {
        response.writeHead(200);
        response.write('first');
      }, options);
      await using transport = transportTo(server);
      const stop = new AbortController();
      const response = await transport.send(get('/', { signal: stop.signal }));
      const reading = text(response);

      stop.abort(new Error('enough'));

      await expect(reading).rejects.toThrow('enough');
    });

    test('a connection that breaks before the answer rejects as cut', async () => {
      await using server = await TestServer.start((request) => void request.socket.destroy(), options);
      await using transport = transportTo(server);

      await expect(transport.send(get('/'))).rejects.toMatchObject({ name: 'TransportError', reason: 'cut' });
    });

    test('a connection that breaks in the middle of the body ends it as cut', async () => {
      await using server = await TestServer.start((_request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('half');
      }, options);
      await using transport = transportTo(server);
      const response = await transport.send(get('/'));
      const reading = text(response);
      await settle();

      for (const socket of server.sockets) socket.destroy();

      await expect(reading).rejects.toMatchObject({ reason: 'cut' });
    });

    test('packed answers are unpacked on the way', async () => {
      await using server = await TestServer.start((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync('x'.repeat(200_000)));
      }, options);
      await using transport = transportTo(server);

      expect(await text(await transport.send(get('/')))).toBe('x'.repeat(200_000));
      expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip');
    });

    test('a packed answer that is broken is a protocol error', async () => {
      await using server = await TestServer.start((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end('not gzip');
      }, options);
      await using transport = transportTo(server);

      await expect(transport.send(get('/')).then(text)).rejects.toMatchObject({ reason: 'protocol' });
    });

    test('after the client has been closed requests are refused, and those under way end', async () => {
      await using server = await TestServer.start(() => undefined, options);
      const transport = transportTo(server);
      const sending = transport.send(get('/'));
      await until(() => server.seen.length === 1);

      await transport[Symbol.asyncDispose]();

      await expect(sending).rejects.toMatchObject({ reason: 'cut' });
      await expect(transport.send(get('/'))).rejects.toMatchObject({ reason: 'closed' });
    });

    test('a path in the server URL goes before every path', async () => {
      await using server = await TestServer.start((_request, response) => json(response, 200, {}), options);
      await using transport = new HttpTransport(connectionTo({ url: `${server.url}/clusters/a/` }));

      await transport.send(get('/api?watch=1')).then(text);

      expect(server.seen[0]?.path).toBe('/clusters/a/api?watch=1');
    });
  },
);

describe('credentials', () => {
  class Tokens implements Credentials {
    readonly asked: (string | undefined)[] = [];
    #number = 1;

    async current(): Promise<Credential> {
      return { authorization: bearer(`token-${this.#number}`) };
    }

    async renew(refused: Credential): Promise<boolean> {
      this.asked.push(refused.authorization);
      this.#number += 1;
      return true;
    }
  }

  test('a request that is answered with 401 is sent once more with renewed credentials', async () => {
    await using server = await TestServer.start((request, response) => {
      json(response, request.headers.authorization === 'Bearer token-2' ? 200 : 401, {});
    });
    const tokens = new Tokens();
    await using transport = transportTo(server, { credentials: tokens });

    expect((await transport.send(get('/', { method: 'POST', body: 'b' }))).status).toBe(200);
    expect(tokens.asked).toEqual(['Bearer token-1']);
    expect(server.seen.map(({ body }) => body)).toEqual(['b', 'b']);
  });

  test('a second 401 is the answer', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 401, { kind: 'Status' }));
    await using transport = transportTo(server, { credentials: new Tokens() });

    const response = await transport.send(get('/'));

    expect(response.status).toBe(401);
    expect(await text(response)).toBe('{"kind":"Status"}');
    expect(server.seen).toHaveLength(2);
  });

  test('another certificate is shown on another connection, while what is under way goes on', async () => {
    let finish = (): void => undefined;
    await using server = await TestServer.start((request, response) => {
      if (request.url === '/slow') finish = () => json(response, 200, { slow: true });
      else json(response, 200, {});
    });
    let shown = certificate('client');
    const credentials: Credentials = { current: async () => shown, renew: async () => false };
    await using transport = transportTo(server, { credentials });
    const slow = transport.send(get('/slow'));
    await until(() => server.seen.length === 1);

    shown = certificate('other');
    await transport.send(get('/quick')).then(text);
    finish();

    expect(await slow.then(text)).toBe('{"slow":true}');
    expect(server.seen.map(({ user }) => user)).toEqual(['client', 'other']);
  });

  test('a plain HTTP server gets no credentials', async () => {
    const seen: SeenRequest['headers'][] = [];
    await using server = await startHttp((headers) => seen.push(headers));
    const transport = new HttpTransport({
      server: server.url,
      credentials: new FixedCredentials({ authorization: bearer('secret') }),
    });

    await transport.send(get('/')).then(text);
    await transport[Symbol.asyncDispose]();

    expect(seen[0]).not.toHaveProperty('authorization');
  });

  test('a key that does not belong to the certificate is refused with words', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    const mixed = { certificate: { certificate: testdata('client.crt'), key: testdata('other.key') } };
    await using transport = transportTo(server, { credentials: new FixedCredentials(mixed) });

    await expect(transport.send(get('/'))).rejects.toMatchObject({ reason: 'credentials' });
  });
});

describe('the server proves itself', () => {
  test('a certificate of an unknown authority is refused, unless nobody looks', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    await using wary = new HttpTransport({ server: server.url });
    await using careless = new HttpTransport({ server: server.url, insecureSkipTlsVerify: true });

    await expect(wary.send(get('/'))).rejects.toMatchObject({
      reason: 'connect',
      message: expect.stringContaining(server.url),
    });
    expect((await careless.send(get('/'))).status).toBe(200);
  });

  test('tlsServerName is the name that the certificate must carry', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    await using right = transportTo(server, { tlsServerName: 'api.example.test' });
    await using wrong = transportTo(server, { tlsServerName: 'other.example.test' });

    expect((await right.send(get('/'))).status).toBe(200);
    await expect(wrong.send(get('/'))).rejects.toThrow(/other\.example\.test/);
  });
});

describe('HTTP/2 connections', () => {
  test('requests share one connection', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    await using transport = transportTo(server);

    await Promise.all(Array.from({ length: 50 }, () => transport.send(get('/')).then(text)));

    expect(server.seen).toHaveLength(50);
    expect(server.connections).toBe(1);
  });

  test('a further connection is opened when the server allows no more streams, and requests wait when that is the last', async () => {
    const finish: (() => void)[] = [];
    await using server = await TestServer.start(
      (_request, response) => void finish.push(() => json(response, 200, {})),
      {
        maxConcurrentStreams: 2,
      },
    );
    await using transport = transportTo(server, { maxConnections: 2 });
    const all = Promise.all(Array.from({ length: 6 }, (_, index) => transport.send(get(`/${index}`)).then(text)));
    await until(() => server.seen.length === 4);
    expect(server.connections).toBe(2);

    while (server.seen.length < 6 || finish.length > 0) {
      finish.shift()?.();
      await settle();
    }

    await all;
    expect(server.connections).toBe(2);
    expect(server.seen.map(({ path }) => path).slice(4)).toEqual(['/4', '/5']);
  });

  test('requests beyond the waiting room are refused', async () => {
    await using server = await TestServer.start(() => undefined, { maxConcurrentStreams: 1 });
    await using transport = transportTo(server, { maxConnections: 1, maxWaiting: 1 });
    const first = transport.send(get('/first')).catch(() => undefined);
    await until(() => server.seen.length === 1);
    const second = transport.send(get('/second')).catch(() => undefined);
    await settle();

    await expect(transport.send(get('/third'))).rejects.toMatchObject({ reason: 'refused' });

    await transport[Symbol.asyncDispose]();
    await Promise.all([first, second]);
  });

  test('after GOAWAY what is under way goes on, and new requests take a new connection', async () => {
    let finish = (): void => undefined;
    await using server = await TestServer.start((request, response) => {
      if (request.url === '/slow') finish = () => json(response, 200, { slow: true });
      else json(response, 200, {});
    });
    await using transport = transportTo(server);
    const slow = transport.send(get('/slow'));
    await until(() => server.seen.length === 1);

    server.sessions[0]?.goaway(0, 2 ** 31 - 1);
    const failures: unknown[] = [];
    while (server.connections < 2) await transport.send(get('/quick')).then(text, (error) => void failures.push(error));
    finish();

    expect(await slow.then(text)).toBe('{"slow":true}');
    for (const failure of failures) expect(failure).toMatchObject({ reason: 'refused' });
  });

  test('a connection that was lost is replaced at the next request', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    await using transport = transportTo(server);
    await transport.send(get('/')).then(text);

    for (const socket of server.sockets) socket.destroy();
    await until(() => server.sockets.size === 0);
    await settle();

    expect((await transport.send(get('/'))).status).toBe(200);
    expect(server.connections).toBe(2);
  });

  test('a connection that no longer answers pings is given up', async () => {
    const clock = new VirtualClock();
    await using server = await TestServer.start(() => undefined);
    await using wire = await startWire(server.port);
    await using transport = new HttpTransport(connectionTo(wire), { clock });
    const watching = transport.send(get('/watch'));
    const outcome = expect(watching).rejects.toMatchObject({
      reason: 'cut',
      message: expect.stringContaining('pings'),
    });
    await until(() => server.seen.length === 1);

    wire.goSilent();
    await clock.advance('45s');

    await outcome;
  });

  test('a connection that answers pings is kept', async () => {
    const clock = new VirtualClock();
    let finish = (): void => undefined;
    await using server = await TestServer.start((_request, response) => void (finish = () => json(response, 200, {})));
    await using transport = transportTo(server, { clock });
    const watching = transport.send(get('/watch'));
    await until(() => server.seen.length === 1);
    const pings: unknown[] = [];
    server.sessions[0]?.on('ping', (payload) => pings.push(payload));

    for (let round = 1; round <= 3; round++) {
      await clock.advance('30s');
      await until(() => pings.length === round);
      await new Promise<void>((resolve) => server.sessions[0]?.ping(() => resolve())); // our own ping comes back after theirs
    }
    finish();

    expect((await watching).status).toBe(200);
  });

  test('a connection that nobody uses is closed', async () => {
    const clock = new VirtualClock();
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    await using transport = transportTo(server, { clock });
    await transport.send(get('/')).then(text);

    await clock.advance('90s');

    await until(() => server.sockets.size === 0);
  });

  test('a server that cannot be reached is a connect error for all who wait', async () => {
    await using transport = new HttpTransport({ server: 'https://127.0.0.1:1' });

    const outcomes = await Promise.allSettled([transport.send(get('/a')), transport.send(get('/b'))]);

    expect(outcomes).toMatchObject([{ reason: { reason: 'connect' } }, { reason: { reason: 'connect' } }]);
  });

  test('a connection that is not there in time is a connect error', async () => {
    const clock = new VirtualClock();
    await using silent = await startTcp(() => undefined);
    await using transport = new HttpTransport(connectionTo(silent), { clock });
    const sending = expect(transport.send(get('/'))).rejects.toMatchObject({ reason: 'connect' });
    await until(() => silent.sockets.size === 1);

    await clock.advance('30s');

    await sending;
  });
});

describe('through a proxy', () => {
  test('a tunnel is asked for, with credentials if the URL has any', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 200, { ok: true }));
    await using proxy = await startProxy('Basic dXNlcjpwYXNz');
    await using transport = transportTo(server, { proxyUrl: `http://user:pass@127.0.0.1:${proxy.port}` });

    expect(await transport.send(get('/')).then(text)).toBe('{"ok":true}');
    expect(proxy.targets).toEqual([`127.0.0.1:${server.port}`]);
  });

  test('a proxy that refuses is a connect error with its answer', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    await using proxy = await startProxy('Basic other');
    await using transport = transportTo(server, { proxyUrl: `http://127.0.0.1:${proxy.port}` });

    await expect(transport.send(get('/'))).rejects.toMatchObject({
      reason: 'connect',
      message: expect.stringContaining('407'),
    });
  });
});

interface TestTcp extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly sockets: Set<Socket>;
}

async function startTcp(onConnection: (socket: Socket) => void): Promise<TestTcp> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

/** A wire to a port that can stop carrying anything, without closing: like a router that forgot the connection. */
async function startWire(port: number): Promise<TestTcp & { goSilent(): void }> {
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

async function startProxy(authorization: string): Promise<{ port: number; targets: string[] } & AsyncDisposable> {
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

async function startHttp(see: (headers: SeenRequest['headers']) => void): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    see(request.headers);
    response.end('{}');
  });
  const port = await listening(server);
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => close(server, new Set()) };
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
}
