import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { requires } from '../../base/testing/requires.ts';
import { over, startTransport, text, turn } from './testing/test-transport.ts';
import type { ClientRequest, Received, TestTransport } from './testing/test-transport.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const protocols: readonly [string, (server: TestTransport, request?: ClientRequest) => Promise<Received>][] = [
  ['HTTP/2', (server, request) => server.getHttp2(request)],
  ['HTTP/1.1', (server, request) => server.getHttp1(request)],
];

describe.each(protocols)('over %s', (_name, get) => {
  test('an answer arrives with its code, headers and body', async () => {
    await using server = await startTransport(() => text('made', { 'x-own': 'yes' }, 201));
    const received = await get(server);
    assert.equal(received.code, 201);
    assert.equal(received.body.toString(), 'made');
    assert.equal(received.headers['content-type'], 'text/plain');
    assert.equal(received.headers['x-own'], 'yes');
    assert.equal(received.headers['content-length'], '4');
  });

  test('every answer has an audit ID, forbids caching and has a date', async () => {
    const clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 1) });
    await using server = await startTransport(() => text('x'), { clock });
    const { headers } = await get(server);
    assert.match(String(headers['audit-id']), UUID);
    assert.equal(headers['cache-control'], 'no-cache, private');
    assert.equal(headers.date, 'Thu, 01 Jan 2026 00:00:00 GMT');
  });

  test('the client’s audit ID is kept', async () => {
    await using server = await startTransport(() => text('x'));
    const { headers } = await get(server, { headers: { 'audit-id': 'mine' } });
    assert.equal(headers['audit-id'], 'mine');
  });

  test('the call has method, path, query, headers and body', async () => {
    await using server = await startTransport(async (call) => {
      const body = Buffer.from(await call.request.body(100)).toString();
      const { method, path, query } = call.request;
      const host = call.request.header('host');
      return text(
        JSON.stringify({
          method,
          path,
          a: query.all('a'),
          x: call.request.header('x-some'),
          body,
          host,
          ip: call.request.remoteAddress,
        }),
      );
    });
    const headers = { 'x-some': 'thing', host: `localhost:${server.port}` };
    const { body } = await get(server, { method: 'PUT', path: '/p/q%20r?a=1&a=b%2Fc', headers, body: 'hello' });
    assert.deepEqual(JSON.parse(body.toString()), {
      method: 'PUT',
      path: '/p/q r',
      a: ['1', 'b/c'],
      x: 'thing',
      body: 'hello',
      host: `localhost:${server.port}`,
      ip: '127.0.0.1',
    });
  });

  test('the call has the parsed resource path', async () => {
    await using server = await startTransport(({ info }) =>
      text(`${info.verb} ${info.resource} ${info.namespace} ${info.name}`),
    );
    const path = '/apis/apps/v1/namespaces/ns/deployments';
    assert.equal((await get(server, { path: `${path}/web` })).body.toString(), 'get deployments ns web');
    assert.equal((await get(server, { path })).body.toString(), 'list deployments ns ');
    assert.equal((await get(server, { path: `${path}?watch=true` })).body.toString(), 'watch deployments ns ');
    const field = encodeURIComponent('metadata.name=web');
    assert.equal(
      (await get(server, { path: `${path}?fieldSelector=${field}` })).body.toString(),
      'list deployments ns web',
    );
  });

  test('a repeated header can be read joined and separately', async () => {
    await using server = await startTransport((call) =>
      text(
        JSON.stringify([
          call.request.header('impersonate-group'),
          call.request.headers('impersonate-group'),
          call.request.headers('none'),
        ]),
      ),
    );
    const { body } = await get(server, { headers: { 'impersonate-group': ['a', 'b, c'] } });
    assert.deepEqual(JSON.parse(body.toString()), ['a, b, c', ['a', 'b, c'], []]);
  });

  test('a header may be repeated in the answer', async () => {
    await using server = await startTransport(() => text('x', { warning: ['299 - "one"', '299 - "two"'] }));
    assert.equal((await get(server)).headers['warning'], '299 - "one", 299 - "two"');
  });

  test('a body in pieces arrives whole and in order', async () => {
    const pieces = Array.from({ length: 20_000 }, (_unused, index) =>
      Buffer.from(`${index},${'x'.repeat(index % 300)}`),
    );
    await using server = await startTransport(() => ({ code: 200, headers: {}, body: pieces }));
    const received = await get(server);
    const expected = Buffer.concat(pieces);
    assert.equal(received.headers['content-length'], String(expected.length));
    assert.ok(received.body.equals(expected));
    await server.observed.until(() => server.observed.answers.length === 1);
    assert.deepEqual(server.observed.answers, [{ code: 200, bytes: expected.length, outcome: 'complete', path: '/' }]);
  });

  test('HEAD is answered like GET, without the body', async () => {
    await using server = await startTransport((call) => (call.request.path === '/pieces' ? pieces : text('hello')));
    const pieces = { code: 200, headers: {}, body: [Buffer.from('abc'), Buffer.from('def')] };
    const whole = await get(server, { method: 'HEAD' });
    assert.deepEqual([whole.code, whole.headers['content-length'], whole.body.length], [200, '5', 0]);
    const inPieces = await get(server, { method: 'HEAD', path: '/pieces' });
    assert.deepEqual([inPieces.code, inPieces.headers['content-length'], inPieces.body.length], [200, '6', 0]);
  });

  test('304 has neither body nor length', async () => {
    await using server = await startTransport(() => text('', { etag: '"1"' }, 304));
    const received = await get(server);
    assert.equal(received.code, 304);
    assert.equal(received.headers['etag'], '"1"');
    assert.equal(received.headers['content-length'], undefined);
  });

  test('a handler that throws is answered with 500 and logged', async () => {
    await using server = await startTransport(() => {
      throw new Error('broken');
    });
    const received = await get(server);
    assert.equal(received.code, 500);
    assert.equal(received.body.toString(), 'This request caused apiserver to panic. Look in the logs for details.\n');
    assert.equal(server.log.length, 1);
    assert.match(server.log[0] ?? '', /request handler failed.*broken/s);
  });

  test('an answer that cannot be sent is logged, and the server continues', async () => {
    await using server = await startTransport((call) =>
      text('x', call.request.path === '/bad' ? { 'x bad': '1' } : {}),
    );
    await assert.rejects(get(server, { path: '/bad' }));
    assert.match(server.log[0] ?? '', /answer broke off/);
    assert.equal((await get(server)).code, 200);
  });
});

test('requests of one connection are served concurrently', async () => {
  const arrived: string[] = [];
  const release = new Map<string, () => void>();
  await using server = await startTransport(async ({ request: { path } }) => {
    arrived.push(path);
    await new Promise<void>((resolve) => release.set(path, resolve));
    return text(path);
  });
  const session = server.http2();
  const first = over(session, { path: '/1' });
  const second = over(session, { path: '/2' });
  while (arrived.length < 2) await turn();
  release.get('/2')?.();
  assert.equal((await second).body.toString(), '/2');
  release.get('/1')?.();
  assert.equal((await first).body.toString(), '/1');
});

test('the HTTP/2 settings are those of kube-apiserver', async () => {
  await using server = await startTransport(() => text('x'));
  const session = server.http2();
  await over(session);
  const { maxConcurrentStreams, initialWindowSize, maxFrameSize, maxHeaderListSize } = session.remoteSettings;
  assert.deepEqual(
    { maxConcurrentStreams, initialWindowSize, maxFrameSize, maxHeaderListSize },
    { maxConcurrentStreams: 100, initialWindowSize: 262_144, maxFrameSize: 262_144, maxHeaderListSize: 1_048_576 },
  );
});

test('listening on a taken port is refused with the reason', async () => {
  await using server = await startTransport(() => text('x'));
  await assert.rejects(
    startTransport(() => text('x'), { port: server.port }),
    /EADDRINUSE/,
  );
});

test('several large lists and a small answer share one connection', async () => {
  const pieces = Array.from({ length: 5_000 }, () => Buffer.alloc(1_000, 'x'));
  await using server = await startTransport(({ request: { path } }) =>
    path === '/list' ? { code: 200, headers: {}, body: pieces } : text('small'),
  );
  const session = server.http2();
  const lists = Array.from({ length: 8 }, () => over(session, { path: '/list' }));
  assert.equal((await over(session)).body.toString(), 'small');
  for (const list of lists) assert.equal((await list).body.length, 5_000_000);
});

test.each(['--http2', '--http1.1'])('curl %s gets an answer', requires('curl'), async (version) => {
  await using server = await startTransport(() => text('for curl'));
  const { stdout } = await promisify(execFile)('curl', ['-sk', version, server.transport.url]);
  assert.equal(stdout, 'for curl');
});
