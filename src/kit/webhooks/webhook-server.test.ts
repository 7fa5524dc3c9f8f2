import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { RealClock, VirtualClock } from '../../base/index.ts';
import { HttpClient, type HttpRequest } from '../../wire/http/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { app } from '../app.ts';
import { RENEW_AFTER_MS } from './serving-certificate.ts';
import { extensionServer } from '../app/extension-server.ts';
import { type WebhookServer, webhookServer, type WebhookServerOptions } from './webhook-server.ts';

async function start(options: WebhookServerOptions): Promise<WebhookServer> {
  const server = webhookServer(options);
  const stop = new AbortController();
  const running = server.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    expect(server.address).toBeUndefined();
  });
  await server.listening();
  return server;
}

async function call(server: WebhookServer, request: Partial<HttpRequest>, isHttp1Only = false): Promise<string> {
  const { url } = await server.clientConfig('');
  const client = new HttpClient({
    target: { server: new URL(url) },
    authorities: async () => server.authority,
    clock: new RealClock(),
    isHttp1Only,
  });
  onTestFinished(() => client.destroy());
  const signal = AbortSignal.timeout(120_000);
  const { status, chunks } = await client.request({ method: 'POST', path: '/echo', headers: {}, signal, ...request });
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return `${status} ${Buffer.concat(parts).toString().trim()}`;
}

const handlers = {
  '/echo': (review: unknown) => ({ review }),
  '/fail': () => {
    throw new Error('broken');
  },
};

describe('webhookServer()', () => {
  test('stays reachable when idle connections use up its connection limit', async () => {
    const server = await start({ handlers });
    const { port } = await server.listening();
    for (let count = 0; count < 256; count++) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
    }

    expect(await call(server, { body: Buffer.from('{"a":1}') })).toBe('200 {"review":{"a":1}}');
    expect(await call(server, { body: Buffer.from('{"a":1}') }, true)).toBe('200 {"review":{"a":1}}');
  });

  test.each(['http/1.1', 'h2'])(
    'stays reachable when connections that have sent %s requests sit idle',
    async (protocol) => {
      const server = await start({ handlers });
      const { port } = await server.listening();
      const { authority: ca } = server;
      for (let count = 0; count < 256; count++) {
        const socket = connectTls({ port, host: 'localhost', ca, ALPNProtocols: [protocol] }).on(
          'error',
          () => undefined,
        );
        onTestFinished(() => void socket.destroy());
        await once(socket, 'secureConnect');
        if (protocol === 'http/1.1') {
          socket.write('GET /echo HTTP/1.1\r\nhost: localhost\r\n\r\n');
          await once(socket, 'data');
        } else {
          const session = connectHttp2('https://localhost', { createConnection: () => socket }).on(
            'error',
            () => undefined,
          );
          const stream = session.request({ ':path': '/echo' });
          stream.resume();
          await once(stream, 'close');
        }
      }

      expect(await call(server, { body: Buffer.from('{"a":1}') })).toBe('200 {"review":{"a":1}}');
      expect(await call(server, { body: Buffer.from('{"a":1}') }, true)).toBe('200 {"review":{"a":1}}');
    },
  );

  test.each([true, false])(
    'gives up a body that does not arrive, and an idle connection (HTTP/1.1 only: %s)',
    async (isHttp1Only) => {
      const clock = new VirtualClock({ startMs: new RealClock().now() });
      const server = await start({ handlers, clock });
      const { port } = await server.listening();
      const socket = connectTls({
        port,
        host: 'localhost',
        ca: server.authority,
        ALPNProtocols: [isHttp1Only ? 'http/1.1' : 'h2'],
      });
      await once(socket, 'secureConnect');
      const closed = once(
        socket.on('error', () => undefined),
        'close',
      );
      if (isHttp1Only) socket.write('POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\n{');
      else {
        const session = connectHttp2('https://localhost', { createConnection: () => socket }).on(
          'error',
          () => undefined,
        );
        session
          .request({ ':path': '/echo', ':method': 'POST' })
          .on('error', () => undefined)
          .write('{');
        await once(session, 'remoteSettings');
      }
      while (!socket.destroyed) {
        await clock.advance('10s');
        await new Promise((resolve) => void setImmediate(resolve));
      }
      await closed;
    },
  );

  test.each([true, false])('refuses a body above the limit (HTTP/1.1 only: %s)', async (isHttp1Only) => {
    const server = await start({ handlers });
    const body = Buffer.alloc(3 * 1024 * 1024 + 1, ' ');
    expect(await call(server, { body }, isHttp1Only)).toBe('413 Request entity too large: limit is 3145728');
    const large = { ...JSON.parse('{"a":1}'), text: 'x'.repeat(2 * 1024 * 1024) } as unknown;
    expect(await call(server, { body: JSON.stringify(large) }, isHttp1Only)).toMatch(/^200 /);
  });

  test.each([true, false])('passes JSON to the handler of its path (HTTP/1.1 only: %s)', async (isHttp1Only) => {
    const server = await start({ handlers });
    expect(await call(server, { body: '{"a":1}', path: '/echo?timeout=10s' }, isHttp1Only)).toBe(
      '200 {"review":{"a":1}}',
    );
  });

  test('answers requests that it cannot handle with a status and the reason', async () => {
    const server = await start({ handlers });
    expect(await call(server, { path: '/none', body: '{}' })).toBe('404 no webhook at "/none"');
    expect(await call(server, { path: '/toString', body: '{}' })).toBe('404 no webhook at "/toString"');
    expect(await call(server, { method: 'GET' })).toBe('405 webhooks are called by POST');
    expect(await call(server, { body: '{' })).toMatch(/^400 the review is no JSON: /);
    expect(await call(server, { path: '/fail', body: '{}' })).toBe('500 broken');
  });

  test("aborts a handler's signal when its caller disconnects", async () => {
    let begun = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    let left = (): void => undefined;
    const hasLeft = new Promise<void>((resolve) => (left = resolve));
    const server = await start({
      handlers: {
        '/slow': async (_review, { signal }) => {
          signal.addEventListener('abort', left);
          begun();
          await hasLeft;
        },
      },
    });
    const leaving = new AbortController();
    const answer = call(server, { path: '/slow', body: '{}', signal: leaving.signal });
    await hasBegun;
    leaving.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    await hasLeft;
  });

  test('makes a certificate for the requested names, and replaces it before it expires', async () => {
    const clock = new VirtualClock();
    const server = await start({ handlers, names: ['hook.default.svc'], clock });
    const first = await certificateOf(server);
    expect(first.subjectAltName).toBe(
      'DNS:hook.default.svc, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    await clock.advance(RENEW_AFTER_MS);
    const second = await certificateOf(server);
    expect(second.serialNumber).not.toBe(first.serialNumber);
    expect(Date.parse(second.validFrom)).toBeLessThan(Date.parse(first.validTo));
    expect(second.checkIssued(new X509Certificate(server.authority))).toBe(true);
  });
});

async function certificateOf(server: WebhookServer): Promise<X509Certificate> {
  const socket = connectTls({ port: server.address?.port ?? 0, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate() as X509Certificate;
  socket.destroy();
  return certificate;
}

test('an app serves webhooks while it runs, and stops serving them with it', async () => {
  await using cluster = await TestCluster.start();
  const serving = extensionServer({ handlers });
  const stop = new AbortController();
  const running = app('hooks', [], { server: serving }).run(cluster.client(), stop.signal);
  await serving.listening();
  const { webhooks } = await serving.made;
  expect(await call(webhooks, { body: '1' })).toBe('200 {"review":1}');
  stop.abort();
  await running;
  expect(webhooks.address).toBeUndefined();
});
