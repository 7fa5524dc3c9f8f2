import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { settle } from '../../base/index.ts';
import { FixedCredentials } from '../credentials/index.ts';
import { certificate, connectionTo, get, text, transportTo, until } from '../testing/test-network.ts';
import { json, TestServer, type TestServerOptions } from '../testing/test-server.ts';
import { HttpTransport } from './http-transport.ts';

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

    test('a stream is read as it arrives, and leaving the loop ends the request', async () => {
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

    test('aborting while the body arrives ends it with the reason', async () => {
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

    test('compressed answers are decompressed', async () => {
      await using server = await TestServer.start((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync('x'.repeat(200_000)));
      }, options);
      await using transport = transportTo(server);

      expect(await text(await transport.send(get('/')))).toBe('x'.repeat(200_000));
      expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip');
    });

    test('a corrupt compressed answer is a protocol error', async () => {
      await using server = await TestServer.start((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end('not gzip');
      }, options);
      await using transport = transportTo(server);

      await expect(transport.send(get('/')).then(text)).rejects.toMatchObject({ reason: 'protocol' });
    });

    test('after the client is closed new requests fail, and those in flight end', async () => {
      await using server = await TestServer.start(() => undefined, options);
      const transport = transportTo(server);
      const sending = transport.send(get('/'));
      await until(() => server.seen.length === 1);

      await transport[Symbol.asyncDispose]();

      await expect(sending).rejects.toMatchObject({ reason: 'cut' });
      await expect(transport.send(get('/'))).rejects.toMatchObject({ reason: 'closed' });
    });

    test('the path of the server URL is a prefix of every path', async () => {
      await using server = await TestServer.start((_request, response) => json(response, 200, {}), options);
      await using transport = new HttpTransport(connectionTo({ url: `${server.url}/clusters/a/` }));

      await transport.send(get('/api?watch=1')).then(text);

      expect(server.seen[0]?.path).toBe('/clusters/a/api?watch=1');
    });
  },
);
