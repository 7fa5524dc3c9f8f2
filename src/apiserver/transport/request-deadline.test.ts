import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { describe, test } from 'vitest';
import { BoundedQueue, RealClock, VirtualClock } from '../../base/index.ts';
import type { Call } from '../request/call.ts';
import { open, over, startTransport, text, turn } from './testing/test-transport.ts';
import type { ClientRequest, Received, TestTransport } from './testing/test-transport.ts';

const protocols: readonly [string, (server: TestTransport, request?: ClientRequest) => Promise<Received>][] = [
  ['HTTP/2', (server, request) => server.getHttp2(request)],
  ['HTTP/1.1', (server, request) => server.getHttp1(request)],
];

/** Recorded from kube-apiserver 1.36. */
const TIMEOUT_BODY =
  '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout",' +
  '"reason":"Timeout","details":{},"code":504}\n';

/** A server whose handler never answers, and reports when it was called. */
async function startHanging(): Promise<{ server: TestTransport; clock: VirtualClock; called: Promise<Call> }> {
  const clock = new VirtualClock({ startMs: new RealClock().now() });
  const calls = new BoundedQueue<Call>(1);
  const server = await startTransport(
    async (call) => {
      calls.offer(call);
      await once(call.request.signal, 'abort');
      return text('too late');
    },
    { clock },
  );
  return { server, clock, called: calls.next().then(({ value }) => value as Call) };
}

describe.each(protocols)('over %s', (_name, get) => {
  test('a request that takes a minute is answered with 504, and its handler’s signal aborts', async () => {
    const { server, clock, called } = await startHanging();
    await using _closing = server;
    const answer = get(server);
    const call = await called;
    await clock.advance('59s');
    assert.equal(call.request.signal.aborted, false);
    await clock.advance('1s');
    const { code, headers, body } = await answer;
    assert.equal(code, 504);
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(body.toString(), TIMEOUT_BODY);
    assert.equal(call.request.signal.reason.message, 'The request deadline passed');
    assert.deepEqual(server.observed.events, ['timedOut']);
    assert.deepEqual(server.log, []);
  });

  test('a client may request a shorter timeout', async () => {
    const { server, clock, called } = await startHanging();
    await using _closing = server;
    const answer = get(server, { path: '/api/v1/pods?timeout=5s' });
    await called;
    await clock.advance('5s');
    assert.equal((await answer).code, 504);
  });

  test('the timeout includes waiting for the body', async () => {
    const clock = new VirtualClock({ startMs: new RealClock().now() });
    const called = new AbortController();
    await using server = await startTransport(
      async (call) => {
        called.abort();
        return text(String((await call.request.body(100)).length));
      },
      { clock },
    );
    const socket = await server.raw();
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc');
    if (!called.signal.aborted) await once(called.signal, 'abort');
    await clock.advance('60s');
    const [received] = await once(socket, 'data');
    assert.match(String(received), /^HTTP\/1.1 504 /);
    socket.destroy();
  });

  test('an invalid timeout is refused with 400', async () => {
    await using server = await startTransport(() => text('x'));
    const { code, body } = await get(server, { path: '/version?timeout=foo' });
    assert.equal(code, 400);
    assert.deepEqual(JSON.parse(body.toString()), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'invalid timeout specified in the request URL - time: invalid duration "foo"',
      reason: 'BadRequest',
      code: 400,
    });
  });

  test('an answer that is being sent when its time is up is aborted', async () => {
    const clock = new VirtualClock({ startMs: new RealClock().now() });
    const queue = new BoundedQueue<Uint8Array>(10);
    queue.offer(Buffer.from('begun'));
    await using server = await startTransport(() => ({ code: 200, headers: {}, body: queue }), { clock });
    const answer = get(server, { path: '/not-a-watch' });
    const failed = assert.rejects(answer);
    while (queue.size > 0) await turn();
    await clock.advance('60s');
    await failed;
    assert.equal(queue.isClosed, true);
  });
});

test('a longer timeout, or zero, means a minute', async () => {
  for (const timeout of ['1h', '0s', '-1s', '']) {
    const { server, clock, called } = await startHanging();
    await using _closing = server;
    const answer = server.getHttp2({ path: `/?timeout=${timeout}` });
    const call = await called;
    await clock.advance('59s');
    assert.equal(call.request.signal.aborted, false);
    await clock.advance('1s');
    assert.equal((await answer).code, 504);
  }
});

test.each([
  ['the timeout', async (call: Call) => once(call.request.signal, 'abort').then(() => text('late'))],
  ['an answer in time', () => text('in time')],
])('a client that does not take %s is cut off', async (_name, respond) => {
  const clock = new VirtualClock({ startMs: new RealClock().now() });
  await using server = await startTransport(respond, { clock });
  const session = server.http2(undefined, { settings: { initialWindowSize: 0 } });
  const stream = open(session);
  const broken = once(stream, 'error');
  await once(stream, 'ready');
  await server.observed.until(() => server.observed.open === 1);
  await clock.advance('1m');
  await clock.advance('1m');
  assert.match(String(await broken), /INTERNAL_ERROR/);
  await server.observed.until(() => server.observed.answers.length === 1);
  assert.equal(server.observed.answers[0]?.outcome, 'cut');
});

test('watches have no deadline', async () => {
  const clock = new VirtualClock({ startMs: new RealClock().now() });
  const queue = new BoundedQueue<Uint8Array>(10);
  await using server = await startTransport(() => ({ code: 200, headers: {}, body: queue }), { clock });
  const stream = open(server.http2(), { path: '/api/v1/pods?watch=1&timeout=5s' });
  await once(stream, 'response');
  await clock.advance('2h');
  queue.offer(Buffer.from('event'));
  assert.equal(String((await once(stream, 'data'))[0]), 'event');
});

test('each request has its own timeout', async () => {
  const clock = new VirtualClock({ startMs: new RealClock().now() });
  const calls = new Map<string, Call>();
  await using server = await startTransport(
    async (call) => {
      calls.set(call.request.path, call);
      await once(call.request.signal, 'abort');
      return text('late');
    },
    { clock },
  );
  const session = server.http2();
  const first = over(session, { path: '/1' });
  while (!calls.has('/1')) await turn();
  await clock.advance('30s');
  const second = over(session, { path: '/2' });
  while (!calls.has('/2')) await turn();
  await clock.advance('30s');
  assert.equal((await first).code, 504);
  assert.equal(calls.get('/2')?.request.signal.aborted, false);
  await clock.advance('30s');
  assert.equal((await second).code, 504);
});
