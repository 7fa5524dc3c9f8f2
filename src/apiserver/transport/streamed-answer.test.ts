import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import type { Readable } from 'node:stream';
import { describe, test } from 'vitest';
import { BoundedQueue, RealClock, VirtualClock } from '../../base/index.ts';
import { authority, open, over, startTransport, type TestTransport, text, turn } from './testing/test-transport.ts';

const WATCH = '/api/v1/pods?watch=1';

/** Opens a watch and returns its stream once the headers have arrived. */
const protocols: readonly [string, (server: TestTransport) => Promise<Readable>][] = [
  [
    'HTTP/2',
    async (server) => {
      const stream = open(server.http2(), { path: WATCH });
      const [headers] = await once(stream, 'response');
      assert.equal(headers[':status'], 200);
      assert.equal(headers['content-length'], undefined);
      return stream;
    },
  ],
  [
    'HTTP/1.1',
    async (server) => {
      const options = {
        port: server.port,
        host: '127.0.0.1',
        path: WATCH,
        ca: authority.certificate,
        agent: false,
        servername: 'localhost',
      };
      const [response] = (await once(httpsGet(options), 'response')) as [IncomingMessage];
      assert.equal(response.statusCode, 200);
      assert.equal(response.headers['content-length'], undefined);
      return response;
    },
  ],
];

function startWatching(
  queue: BoundedQueue<Uint8Array>,
  options: Parameters<typeof startTransport>[1] = {},
): Promise<TestTransport> {
  return startTransport(
    ({ request: { path } }) => (path === '/api/v1/pods' ? { code: 200, headers: {}, body: queue } : text('other')),
    options,
  );
}

describe.each(protocols)('a watch over %s', (_name, watch) => {
  test('sends its headers before the first event, and each event at once', async () => {
    const queue = new BoundedQueue<Uint8Array>(10);
    await using server = await startWatching(queue);
    const stream = await watch(server);
    stream.setEncoding('utf8');
    for (const event of ['one\n', 'two\n', 'three\n']) {
      queue.offer(Buffer.from(event));
      assert.deepEqual(await once(stream, 'data'), [event]);
    }
  });

  test('ends when its source ends', async () => {
    const queue = new BoundedQueue<Uint8Array>(10);
    await using server = await startWatching(queue);
    const stream = await watch(server);
    queue.offer(Buffer.from('last'));
    queue.close();
    assert.equal((await stream.setEncoding('utf8').toArray()).join(''), 'last');
    await server.observed.until(() => server.observed.answers.length === 1);
    assert.deepEqual(server.observed.answers, [{ code: 200, bytes: 4, outcome: 'complete', path: '/api/v1/pods' }]);
  });

  test('closes its source when the client leaves, and logs nothing', async () => {
    const closed = new AbortController();
    const queue = new BoundedQueue<Uint8Array>(10, { onClose: () => closed.abort() });
    let signal: AbortSignal | undefined;
    await using server = await startTransport((call) => {
      signal = call.request.signal;
      return { code: 200, headers: {}, body: queue };
    });
    const stream = await watch(server);
    stream.on('error', () => undefined);
    stream.destroy();
    if (!closed.signal.aborted) await once(closed.signal, 'abort');
    assert.equal(signal?.aborted, true);
    assert.equal(signal?.reason.message, 'The client went away');
    await server.observed.until(() => server.observed.answers.length === 1);
    assert.equal(server.observed.answers[0]?.outcome, 'cut');
    assert.deepEqual(server.log, []);
  });

  test('is aborted when its source fails, so that the client sees that it is incomplete', async () => {
    const queue = new BoundedQueue<Uint8Array>(10);
    await using server = await startWatching(queue);
    const stream = await watch(server);
    queue.offer(Buffer.from('half'));
    queue.close(new Error('source broke'));
    await assert.rejects(stream.toArray());
    assert.match(server.log[0] ?? '', /answer broke off.*source broke/s);
  });

  test('makes its source wait while the client does not read, and continues when it does', async () => {
    const pieces = 400;
    let produced = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      for (; produced < pieces; produced++) yield Buffer.alloc(64 * 1024, produced);
    }
    await using server = await startTransport(({ request: { path } }) =>
      path === '/other' ? text('other') : { code: 200, headers: {}, body: source() },
    );
    const stream = await watch(server);
    assert.equal((await server.getHttp2({ path: '/other' })).body.toString(), 'other');
    assert.ok(produced < pieces / 2, `${produced} pieces were taken`);
    let bytes = 0;
    for await (const chunk of stream) bytes += (chunk as Buffer).length;
    assert.equal(bytes, pieces * 64 * 1024);
  });

  test('that is not read is aborted after a while, and others are served meanwhile', async () => {
    const clock = new VirtualClock({ startMs: new RealClock().now() });
    let isLeft = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.alloc(64 * 1024);
      } finally {
        isLeft = true;
      }
    }
    await using server = await startTransport(
      ({ request: { path } }) => (path === '/other' ? text('other') : { code: 200, headers: {}, body: source() }),
      { clock, limits: { stallTimeoutMs: 20_000 } },
    );
    const stream = await watch(server);
    stream.on('error', () => undefined);
    assert.equal((await server.getHttp1({ path: '/other' })).body.toString(), 'other');
    while (clock.pending < 3) await turn();
    await clock.advance('20s');
    await clock.advance('20s');
    await server.observed.until(() => server.observed.events.includes('stalled'));
    await server.observed.until(() => server.observed.answers.some(({ path }) => path === '/api/v1/pods'));
    assert.equal(isLeft, true);
    assert.deepEqual(server.log, []);
  });
});

test('an answer after its client has left is dropped', async () => {
  const closed = new AbortController();
  const queue = new BoundedQueue<Uint8Array>(10, { onClose: () => closed.abort() });
  const arrived = new AbortController();
  await using server = await startTransport(async (call) => {
    arrived.abort();
    await once(call.request.signal, 'abort');
    return { code: 200, headers: {}, body: queue };
  });
  const stream = open(server.http2(), { path: WATCH });
  if (!arrived.signal.aborted) await once(arrived.signal, 'abort');
  stream.close();
  if (!closed.signal.aborted) await once(closed.signal, 'abort');
  assert.equal(queue.isClosed, true);
  assert.equal(server.observed.answers[0]?.code, 0);
  assert.deepEqual(server.log, []);
});

test('a thousand watches on ten connections get one event each', async () => {
  const queues: BoundedQueue<Uint8Array>[] = [];
  await using server = await startTransport(() => {
    const queue = new BoundedQueue<Uint8Array>(10);
    queues.push(queue);
    return { code: 200, headers: {}, body: queue };
  });
  const opening: Promise<Readable>[] = [];
  for (let connection = 0; connection < 10; connection++) {
    const session = server.http2();
    for (let stream = 0; stream < 100; stream++) {
      const opened = open(session, { path: WATCH });
      opening.push(once(opened, 'response').then(() => opened));
    }
  }
  const streams = await Promise.all(opening);
  const events = Promise.all(streams.map((stream) => once(stream, 'data')));
  const event = Buffer.from('event');
  for (const queue of queues) queue.offer(event);
  for (const [received] of await events) assert.equal(String(received), 'event');
});

test('large concurrent answers reach all clients intact', async () => {
  const bodyFor = (path: string): Buffer => Buffer.alloc(500_000, path);
  await using server = await startTransport(({ request: { path } }) => ({
    code: 200,
    headers: {},
    body: [bodyFor(path)],
  }));
  const sessions = Array.from({ length: 5 }, () => server.http2());
  const paths = Array.from({ length: 40 }, (_unused, index) => `/answer-${index}`);
  const answers = await Promise.all(
    paths.map((path, index) => over(sessions[index % sessions.length] ?? server.http2(), { path })),
  );
  for (const [index, { body }] of answers.entries()) assert.ok(body.equals(bodyFor(paths[index] ?? '')));
});

test('a list whose client reads nothing is aborted, and a small answer on the same connection still arrives', async () => {
  const clock = new VirtualClock({ startMs: new RealClock().now() });
  const pieces = Array.from({ length: 2_000 }, () => Buffer.alloc(10_000));
  await using server = await startTransport(
    ({ request: { path } }) => (path === '/small' ? text('small') : { code: 200, headers: {}, body: pieces }),
    { clock, limits: { stallTimeoutMs: 20_000 } },
  );
  const session = server.http2();
  await once(session, 'connect');
  session.setLocalWindowSize(64 * 1024 * 1024);
  const stream = open(session, { path: '/list' });
  const broken = once(stream, 'error');
  await once(stream, 'response');
  assert.equal((await over(session, { path: '/small' })).body.toString(), 'small');
  await clock.advance('20s');
  await clock.advance('20s');
  await server.observed.until(() => server.observed.events.includes('stalled'));
  assert.match(String(await broken), /INTERNAL_ERROR/);
  assert.equal((await over(session, { path: '/small' })).body.toString(), 'small');
});
