import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'vitest';
import { BoundedQueue } from '../../base/index.ts';
import type { Call } from '../request/call.ts';
import { open, over, startTransport, text, turn } from './testing/test-transport.ts';

test('a stopping server finishes short requests and closes connections', async () => {
  const release = new AbortController();
  const calls: Call[] = [];
  await using server = await startTransport(async (call) => {
    calls.push(call);
    await once(release.signal, 'abort');
    return text('finished');
  });
  const session = server.http2();
  const goaway = once(session, 'goaway');
  const overHttp2 = over(session);
  const overHttp1 = server.getHttp1();
  while (calls.length < 2) await turn();
  server.stop();
  assert.deepEqual((await goaway).slice(0, 1), [0]);
  assert.equal(
    calls.some((call) => call.request.signal.aborted),
    false,
  );
  release.abort();
  assert.equal((await overHttp2).body.toString(), 'finished');
  const received = await overHttp1;
  assert.equal(received.body.toString(), 'finished');
  assert.equal(received.headers.connection, 'close');
  await server.transport.stopped;
  await assert.rejects(once(connect(server.transport.address?.port ?? 1, '127.0.0.1'), 'connect'));
});

test('a stopping server ends watches gracefully', async () => {
  const queues: BoundedQueue<Uint8Array>[] = [];
  const signals: AbortSignal[] = [];
  await using server = await startTransport((call) => {
    const queue = new BoundedQueue<Uint8Array>(10);
    queues.push(queue);
    signals.push(call.request.signal);
    queue.offer(Buffer.from('event'));
    return { code: 200, headers: {}, body: queue };
  });
  const stream = open(server.http2(), { path: '/api/v1/pods?watch=1' });
  const overHttp1 = server.getHttp1({ path: '/api/v1/pods?watch=1' });
  await once(stream, 'data');
  while (queues.length < 2 || queues.some((queue) => queue.size > 0)) await turn();
  server.stop();
  await once(stream, 'end');
  assert.equal(stream.rstCode, 0);
  assert.equal((await overHttp1).body.toString(), 'event');
  await server.transport.stopped;
  assert.deepEqual(
    queues.map((queue) => queue.isClosed),
    [true, true],
  );
  assert.deepEqual(
    signals.map((signal) => signal.reason.message),
    ['The server stops', 'The server stops'],
  );
  assert.deepEqual(
    server.observed.answers.map(({ outcome }) => outcome),
    ['complete', 'complete'],
  );
});

test('requests that do not end in time are aborted', async () => {
  const calls: Call[] = [];
  await using server = await startTransport(
    async (call) => {
      calls.push(call);
      await new Promise(() => undefined);
      return text('never');
    },
    { limits: { drainMs: 50 } },
  );
  const overHttp2 = assert.rejects(server.getHttp2());
  const overHttp1 = assert.rejects(server.getHttp1());
  while (calls.length < 2) await turn();
  server.stop();
  await server.transport.stopped;
  await overHttp2;
  await overHttp1;
  assert.deepEqual(
    calls.map((call) => call.request.signal.reason.message),
    ['The server stops', 'The server stops'],
  );
});

test('idle and half-open connections do not keep a server from stopping', async () => {
  const server = await startTransport(() => text('x'), { limits: { drainMs: 50 } });
  const idleHttp2 = server.http2();
  await over(idleHttp2);
  const idleHttp1 = await server.raw();
  idleHttp1.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(idleHttp1, 'data');
  const silent = await server.raw();
  const halfOpen = connect(server.port, '127.0.0.1');
  await once(halfOpen, 'connect');
  const closed = Promise.all(
    [idleHttp2, idleHttp1.resume(), silent.resume(), halfOpen.resume()].map((end) => once(end, 'close')),
  );
  await server.transport[Symbol.asyncDispose]();
  await closed;
});

test('stopping twice has no further effect', async () => {
  const server = await startTransport(() => text('x'));
  server.stop();
  await Promise.all([server.transport[Symbol.asyncDispose](), server.transport[Symbol.asyncDispose]()]);
  await server.transport.stopped;
});
