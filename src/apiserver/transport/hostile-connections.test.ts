import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { RealClock, VirtualClock } from '../../base/index.ts';
import type { Call } from '../request/call.ts';
import { assertUnharmed, open, over, restOf, startTransport, text, turn } from './testing/test-transport.ts';
import type { Respond, TestOptions, TestTransport } from './testing/test-transport.ts';

let server: TestTransport;

async function start(
  respond: Respond = ({ request: { path } }) => text(path),
  options: TestOptions = {},
): Promise<void> {
  server = await startTransport(respond, options);
}

afterEach(() => assertUnharmed(server));

test('HTTP without TLS gets an explanation', async () => {
  await start();
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  assert.equal(
    await restOf(socket),
    'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n',
  );
  assert.deepEqual(server.observed.events, ['handshakeFailed']);
});

test('a connection that is neither TLS nor HTTP is closed', async () => {
  await start();
  const socket = connect(server.port, '127.0.0.1');
  socket.write(Buffer.alloc(1_000, 0x80));
  await restOf(socket);
  assert.deepEqual(server.observed.events, ['handshakeFailed']);
});

test.each([
  'ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA', // CBC
  'AES128-GCM-SHA256:AES256-GCM-SHA384', // the key of the certificate encrypts
])('TLS 1.2 with none but %s is refused', async (ciphers) => {
  await start();
  await assert.rejects(server.raw({ ciphers, maxVersion: 'TLSv1.2' }), /handshake failure/);
});

test('TLS 1.2 with the suites that Go prefers is served', async () => {
  await start();
  const ciphers = 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256';
  const socket = await server.raw({ ciphers, maxVersion: 'TLSv1.2' });
  assert.match(socket.getCipher().name, /^ECDHE-\w+-AES128-GCM-SHA256$/);
  socket.destroy();
});

test.each([
  ['says nothing', Buffer.alloc(0)],
  ['stops in the middle of its greeting', Buffer.from('160301020001', 'hex')],
])('a client that %s is hung up on when the handshake takes too long', async (_name, bytes) => {
  await start(undefined, { limits: { handshakeTimeoutMs: 100 } });
  const socket = connect(server.port, '127.0.0.1');
  socket.write(bytes);
  await restOf(socket);
  await expect.poll(() => server.observed.events).toEqual(['handshakeFailed']); // the server may note it after the client has seen the end
});

test.each([
  ['no headers', ''],
  ['half its headers', 'GET / HTTP/1.1\r\nhost: x\r\nslow'],
])('a client that sends %s is hung up on after a while', async (_name, bytes) => {
  await start(undefined, { limits: { headersTimeoutMs: 100 } });
  const socket = await server.raw();
  socket.write(bytes);
  assert.equal(await restOf(socket), '');
});

test('an idle connection is closed after a while, one with a request is not', async () => {
  const clock = new VirtualClock({ startMs: new RealClock().now() });
  const calls: Call[] = [];
  await start(
    async (call) => {
      if (call.request.path === '/alive') return text(call.request.path);
      calls.push(call);
      await once(call.request.signal, 'abort');
      return text('x');
    },
    { clock },
  );
  const idle = server.http2();
  await over(idle, { path: '/alive' });
  const closed = once(idle, 'close');
  const busy = server.http2();
  const stream = open(busy, { path: '/api/v1/pods?watch=1' });
  while (calls.length === 0) await turn();
  await clock.advance('3m');
  await closed;
  assert.equal(busy.closed, false);
  stream.close();
});

test('a thousand idle connections do not block others, and leave nothing behind', async () => {
  const hourMs = 3_600_000; // on a busy machine, the first would be closed before the last is open
  const limits = { handshakeTimeoutMs: hourMs, headersTimeoutMs: hourMs, idleTimeoutMs: hourMs };
  await start(undefined, { limits });
  const before = process.memoryUsage().rss;
  const sockets: TLSSocket[] = [];
  for (let batch = 0; batch < 20; batch++) {
    const opening = Array.from({ length: 50 }, (_unused, index) =>
      server.raw({ ALPNProtocols: [index % 2 === 0 ? 'h2' : 'http/1.1'] }),
    );
    sockets.push(...(await Promise.all(opening)));
  }
  await server.observed.until(() => server.observed.open === 1_000);
  const bytesEach = (process.memoryUsage().rss - before) / 1_000;
  assert.equal((await server.getHttp1({ path: '/alive' })).code, 200);
  for (const socket of sockets) socket.destroy();
  await server.observed.until(() => server.observed.open === 0);
  expect(bytesEach).toBeLessThan(400_000); // client and server together
});

/** A connection on which one request has been answered. */
async function usedConnection(options?: ConnectionOptions): Promise<TLSSocket> {
  const socket = await server.raw(options);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(socket, 'data');
  return socket;
}

test('idle connections count, and are closed for others when there are too many', async () => {
  await start(undefined, { limits: { maxConnections: 4 } }); // half of them from one address
  const silent = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')];
  for (const socket of silent) await once(socket, 'connect');
  const closed = silent.map((socket) => once(socket.resume(), 'close'));
  const used = [await usedConnection(), await usedConnection()];
  await Promise.all(closed);
  for (const socket of used) socket.destroy();
  await server.observed.until(() => server.observed.open === 0);
});

test('connections above the limit are refused when all others are in use, and another address can still connect', async () => {
  await start(undefined, { limits: { maxConnections: 4 } }); // half of them from one address
  const used = [await usedConnection(), await usedConnection()];
  await assert.rejects(server.raw());
  assert.deepEqual(server.observed.events, []);
  const other = await usedConnection({ localAddress: '127.0.0.2' } as ConnectionOptions);
  for (const socket of [...used, other]) socket.destroy();
  await server.observed.until(() => server.observed.open === 0);
});

test.each(['h2', 'http/1.1'])('a client of %s that leaves in the middle aborts its call', async (protocol) => {
  const calls: Call[] = [];
  await start(async (call) => {
    if (call.request.path === '/alive') return text(call.request.path);
    calls.push(call);
    await call.request.body(100);
    return text('never');
  });
  if (protocol === 'h2') {
    const stream = server.http2().request({ ':method': 'POST' }, { endStream: false });
    stream.on('error', () => undefined);
    while (calls.length === 0) await turn();
    stream.destroy(new Error('gone')); // close() would send the end of the body first
  } else {
    const socket = await server.raw();
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc');
    while (calls.length === 0) await turn();
    socket.destroy();
  }
  await server.observed.until(() => server.observed.answers.length === 1);
  assert.equal(calls[0]?.request.signal.reason.message, 'The client went away');
  assert.deepEqual(server.observed.answers, [{ code: 0, bytes: 0, outcome: 'cut', path: '/' }]);
});
