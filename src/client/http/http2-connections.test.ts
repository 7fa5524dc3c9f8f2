import { describe, expect, test } from 'vitest';
import { settle, VirtualClock } from '../../base/index.ts';
import {
  connectionTo,
  get,
  startProxy,
  startTcp,
  startTls,
  startWire,
  text,
  transportTo,
  until,
} from '../testing/test-network.ts';
import { json, TestServer } from '../testing/test-server.ts';
import { TransportError } from '../../wire/http/index.ts';
import type { TransportResponse } from '../transport.ts';
import { HttpTransport } from './http-transport.ts';

describe('HTTP/2 connections', () => {
  test('requests share one connection', async () => {
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    await using transport = transportTo(server);

    await Promise.all(Array.from({ length: 50 }, () => transport.send(get('/')).then(text)));

    expect(server.seen).toHaveLength(50);
    expect(server.connections).toBe(1);
  });

  test('another connection is opened when the server allows no more streams, and requests wait at the limit of connections', async () => {
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

  test('requests beyond maxWaiting are rejected', async () => {
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

  test('after GOAWAY requests in flight continue, and new requests take a new connection', async () => {
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

    const sentAgain = (error: unknown): Promise<TransportResponse> => {
      if (!(error instanceof TransportError && error.wasKept)) throw error; // the client may notice the loss after it sends the request
      return transport.send(get('/'));
    };
    expect((await transport.send(get('/')).catch(sentAgain)).status).toBe(200);
    expect(server.connections).toBe(2);
  });

  test('a connection that no longer answers pings is closed', async () => {
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
      await new Promise<void>((resolve) => server.sessions[0]?.ping(() => resolve())); // our ping returns after theirs
    }
    finish();

    expect((await watching).status).toBe(200);
  });

  test('an idle connection is closed', async () => {
    const clock = new VirtualClock();
    await using server = await TestServer.start((_request, response) => json(response, 200, {}));
    await using transport = transportTo(server, { clock });
    await transport.send(get('/')).then(text);

    await clock.advance('90s');

    await until(() => server.sockets.size === 0);
  });

  test('an unreachable server is a connect error for all waiting requests', async () => {
    await using transport = new HttpTransport({ server: 'https://127.0.0.1:1' });

    const outcomes = await Promise.allSettled([transport.send(get('/a')), transport.send(get('/b'))]);

    expect(outcomes).toMatchObject([{ reason: { reason: 'connect' } }, { reason: { reason: 'connect' } }]);
  });

  test('a server that agrees on HTTP/2 and then says nothing is a connect error', async () => {
    const clock = new VirtualClock();
    await using silent = await startTls(['h2']);
    await using transport = new HttpTransport(connectionTo(silent), { clock });
    const sending = expect(transport.send(get('/'))).rejects.toMatchObject({ reason: 'connect' });
    await until(() => silent.sockets.size === 1 && clock.pending === 1);

    await clock.advance('10s');

    await sending;
    await until(() => silent.sockets.size === 0);
  });

  test('a connection that takes too long is a connect error', async () => {
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
  test('a tunnel is requested, with the credentials of the URL', async () => {
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
