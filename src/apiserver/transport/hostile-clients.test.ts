import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { RealClock, VirtualClock } from '../../base/index.ts';
import type { Call } from '../request/call.ts';
import { open, over, startTransport, text } from './test-transport.ts';
import type { Respond, TestOptions, TestTransport } from './test-transport.ts';

let server: TestTransport;

async function start(respond: Respond = ({ path }) => text(path), options: TestOptions = {}): Promise<void> {
  server = await startTransport(respond, options);
}

/** Whatever was done to it: it serves others, has nothing to complain about, and stops. */
afterEach(async () => {
  assert.equal((await server.getHttp2({ path: '/alive' })).body.toString(), '/alive');
  assert.equal((await server.getHttp1({ path: '/alive' })).body.toString(), '/alive');
  assert.deepEqual(server.log, []);
  await server[Symbol.asyncDispose]();
});

/** Everything until the server closes; a reset is an end like any other here. */
async function restOf(socket: Socket): Promise<string> {
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => (received += data.toString('latin1')));
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

async function answerTo(bytes: string, options: TestOptions = {}): Promise<string> {
  await start(undefined, options);
  const socket = await server.raw();
  socket.write(bytes, 'latin1');
  return restOf(socket);
}

const BAD_REQUEST =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request';

describe('what is no HTTP/1.1', () => {
  test.each([
    ['garbage', 'asdf\r\n\r\n'],
    ['binary garbage', '\u0000\u0001\u00ff\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost: x\r\nfoo bar\r\n\r\n'],
    ['two different lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nab'],
    ['a length that is no number', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
    ['length and chunks, which invites smuggling', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['a version from the future', 'GET / HTTP/3.7\r\nhost: x\r\n\r\n'],
  ])('%s is answered with 400', async (_name, bytes) => {
    assert.equal(await answerTo(bytes), BAD_REQUEST);
  });

  test.each([
    ['a path that cannot be decoded', 'GET /api/v1/%zz HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a request without a host', 'GET / HTTP/1.1\r\n\r\n'],
    ['asterisk with the wrong method', 'GET * HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('%s is answered with 400', async (_name, bytes) => {
    assert.match(await answerTo(bytes), /^HTTP\/1.1 400 Bad Request\r\n/);
  });

  test('an unknown method is answered with the 405 of upstream', async () => {
    const received = await answerTo('FOO /api/v1/namespaces/default HTTP/1.1\r\nhost: x\r\n\r\n');
    assert.match(received, /^HTTP\/1.1 405 Method Not Allowed\r\n/);
    const status = JSON.parse(received.split('\r\n\r\n')[1] ?? '');
    assert.equal(status.message, 'the server does not allow this method on the requested resource');
    assert.equal(status.reason, 'MethodNotAllowed');
  });

  test('a broken chunk in the middle of a body ends the connection', async () => {
    await start(async (call) => {
      if (call.method === 'POST') await call.body(100);
      return text(call.path);
    });
    const socket = await server.raw();
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n');
    await restOf(socket);
  });

  test('headers that are too large are answered with 431', async () => {
    const bytes = `GET / HTTP/1.1\r\nhost: x\r\nlarge: ${'x'.repeat(20_000)}\r\n\r\n`;
    const received = await answerTo(bytes, { limits: { maxHeaderBytes: 16 * 1024 } });
    assert.match(received, /^HTTP\/1.1 431 Request Header Fields Too Large\r\n[^]*\r\n\r\n431 Request Header Fields Too Large$/);
  });

  test('no header is dropped, however many there are', async () => {
    await start((call) => text(call.header('impersonate-user') ?? call.path));
    const headers = Object.fromEntries(Array.from({ length: 5_000 }, (_unused, index) => [`x-${index}`, '1']));
    const { body } = await server.getHttp1({ headers: { ...headers, 'impersonate-user': 'nobody' } });
    assert.equal(body.toString(), 'nobody');
  });

  test('more pipelined requests than anyone needs end the connection', async () => {
    let calls = 0;
    await start(async (call) => {
      if (call.path === '/alive') return text(call.path);
      calls += 1;
      await once(call.signal, 'abort');
      return text('never');
    });
    const socket = await server.raw();
    socket.write('GET /x HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1_000));
    await restOf(socket);
    assert.equal(calls, 100);
  });
});

test('a request in absolute form is served', async () => {
  const received = await answerTo('GET https://x:443/version?a=1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  assert.match(received, /\r\n\r\n\/version$/);
});

test('OPTIONS * is answered as Go does', async () => {
  const received = await answerTo('OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  assert.match(received, /^HTTP\/1.1 200 OK\r\ncontent-length: 0\r\n/);
});

test('HTTP without TLS is told so', async () => {
  await start();
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  assert.equal(await restOf(socket), 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
  assert.deepEqual(server.observed.events, ['handshakeFailed']);
});

test('what is neither TLS nor HTTP is hung up on', async () => {
  await start();
  const socket = connect(server.port, '127.0.0.1');
  socket.write(Buffer.alloc(1_000, 0x80));
  await restOf(socket);
  assert.deepEqual(server.observed.events, ['handshakeFailed']);
});

test.each([
  ['says nothing', Buffer.alloc(0)],
  ['stops in the middle of its greeting', Buffer.from('160301020001', 'hex')],
])('a client that %s is hung up on when the handshake takes too long', async (_name, bytes) => {
  await start(undefined, { limits: { handshakeTimeoutMs: 100 } });
  const socket = connect(server.port, '127.0.0.1');
  socket.write(bytes);
  await restOf(socket);
  assert.deepEqual(server.observed.events, ['handshakeFailed']);
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

describe('what is no HTTP/2', () => {
  test.each([
    ['garbage', Buffer.alloc(1_000, 0x55)],
    ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n')],
  ])('%s ends the connection', async (_name, bytes) => {
    await start();
    const socket = await server.raw({ ALPNProtocols: ['h2'] });
    socket.write(bytes);
    await restOf(socket);
  });

  test.each([
    ['a frame larger than allowed', frame(0x00, 1, Buffer.alloc(300_000)), 6],
    ['data for a stream that was never opened', frame(0x00, 1, Buffer.alloc(10)), 1],
    ['headers that do not decompress', frame(0x01, 1, Buffer.alloc(10, 0xff), 0x05), 9],
    ['headers that never end', frame(0x01, 1, Buffer.from([0x82]), 0x00), 0],
  ])('%s: the client is told, and hung up on if it does not hang up itself', async (_name, bytes, code) => {
    const clock = new VirtualClock({ startMs: new RealClock().now() });
    await start(undefined, { clock });
    const socket = await server.raw({ ALPNProtocols: ['h2'] });
    socket.write(Buffer.concat([preface(), bytes]));
    const rest = restOf(socket);
    await server.observed.until(() => server.observed.open === 1);
    await once(socket, 'data');
    await clock.advance('3m');
    assert.equal(goawayCode(Buffer.from(await rest, 'latin1')), code);
  });

  test.each(['/api/v1/%zz', 'no-slash', '*'])('the path %s ends its stream with a protocol error', async (path) => {
    await start();
    const session = server.http2();
    await assert.rejects(over(session, { path }), /PROTOCOL_ERROR/);
    assert.equal((await over(session, { path: '/next' })).body.toString(), '/next');
  });

  test.each([
    ['too many headers', Buffer.alloc(5_000, 0x90)],
    // one header of 4000 bytes, kept in the table for compression and sent another 300 times in a byte each
    ['headers that unpack to far more', Buffer.concat([Buffer.from([0x40, 1, 0x78, 0x7f, 0xa1, 0x1e]), Buffer.alloc(4_000, 'x'), Buffer.alloc(300, 0xbe)])],
  ])('%s are refused, and the connection lives on', async (_name, headers) => {
    let calls = 0;
    await start((call) => {
      calls += 1;
      return text(call.path);
    });
    const socket = await server.raw({ ALPNProtocols: ['h2'] });
    const get = Buffer.from([0x82, 0x87, 0x84, 0x41, 0x01, 0x78]);
    const frames = [preface(), frame(0x01, 1, Buffer.concat([get, headers]), 0x05), frame(0x01, 3, get, 0x05)];
    socket.write(Buffer.concat(frames));
    const rest = restOf(socket);
    await server.observed.until(() => server.observed.answers.length === 1);
    socket.end();
    const received = framesIn(Buffer.from(await rest, 'latin1'));
    assert.ok(received.some(({ type, stream }) => (type === 0x01 || type === 0x03) && stream === 1));
    assert.ok(received.some(({ type, stream }) => type === 0x01 && stream === 3));
    assert.equal(calls, 1);
  });

  test('an unknown method reaches the handler, which knows what to say', async () => {
    await start((call) => text(call.method === 'FOO' ? `no ${call.method}` : call.path));
    assert.equal((await server.getHttp2({ method: 'FOO' })).body.toString(), 'no FOO');
  });
});

test('a connection without requests is closed after a while, one with a request is not', async () => {
  const clock = new VirtualClock({ startMs: new RealClock().now() });
  const calls: Call[] = [];
  await start(
    async (call) => {
      if (call.path === '/alive') return text(call.path);
      calls.push(call);
      await once(call.signal, 'abort');
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

test('a client that starts requests only to take them back loses its connection', async () => {
  let calls = 0;
  await start((call) => {
    calls += 1;
    return text(call.path);
  });
  const socket = await server.raw({ ALPNProtocols: ['h2'] });
  const rest = restOf(socket);
  socket.write(preface());
  for (let stream = 1; stream < 4_000; stream += 2) {
    const headers = frame(0x01, stream, Buffer.from([0x82, 0x87, 0x84, 0x41, 0x01, 0x78]), 0x05);
    socket.write(Buffer.concat([headers, frame(0x03, stream, Buffer.from([0, 0, 0, 8]))]));
  }
  await rest;
  expect(calls).toBeLessThan(1_000);
});

test('handlers that do not notice that their client has gone are counted against the connection', async () => {
  const calls: Call[] = [];
  await start(
    (call) => {
      if (call.path === '/alive') return text(call.path);
      calls.push(call);
      return new Promise(() => undefined);
    },
    { limits: { maxStreams: 10, maxResets: 10_000 } },
  );
  const session = server.http2();
  await once(session, 'connect');
  const goaway = once(session, 'goaway');
  while (!session.closed && !session.destroyed) {
    const before = calls.length;
    const stream = open(session, { path: '/x' });
    stream.on('error', () => undefined);
    while (calls.length === before && !session.closed && !session.destroyed) await turn();
    stream.close(8);
  }
  assert.equal((await goaway)[0], 11);
  assert.equal(calls.length, 40);
});

test('no more than a hundred requests of a connection are served at once, and the rest wait', async () => {
  const release: (() => void)[] = [];
  await start(async (call) => {
    if (call.path === '/x') await new Promise<void>((resolve) => release.push(resolve));
    return text(call.path);
  });
  const session = server.http2();
  await over(session, { path: '/first' });
  const answers = Array.from({ length: 150 }, () => over(session, { path: '/x' }));
  while (release.length < 100) await turn();
  await over(server.http2(), { path: '/other' });
  assert.equal(release.length, 100);
  for (let index = 0; index < 150; index++) {
    while (release.length <= index) await turn();
    release[index]?.();
  }
  for (const answer of answers) assert.equal((await answer).code, 200);
});

test('a thousand idle connections do not keep others from being served, and leave nothing behind', async () => {
  await start();
  const before = process.memoryUsage().rss;
  const sockets: TLSSocket[] = [];
  for (let batch = 0; batch < 20; batch++) {
    const opening = Array.from({ length: 50 }, (_unused, index) => server.raw({ ALPNProtocols: [index % 2 === 0 ? 'h2' : 'http/1.1'] }));
    sockets.push(...(await Promise.all(opening)));
  }
  await server.observed.until(() => server.observed.open === 1_000);
  const bytesEach = (process.memoryUsage().rss - before) / 1_000;
  assert.equal((await server.getHttp1({ path: '/alive' })).code, 200);
  for (const socket of sockets) socket.destroy();
  await server.observed.until(() => server.observed.open === 0);
  expect(bytesEach).toBeLessThan(400_000); // client and server together
});

test('connections above the limit are turned away', async () => {
  await start(undefined, { limits: { maxConnections: 2 } });
  const first = await server.raw();
  const second = await server.raw();
  await assert.rejects(server.raw());
  first.destroy();
  second.destroy();
  await server.observed.until(() => server.observed.open === 0);
});

test.each(['h2', 'http/1.1'])('a client of %s that leaves in the middle aborts its call', async (protocol) => {
  const calls: Call[] = [];
  await start(async (call) => {
    if (call.path === '/alive') return text(call.path);
    calls.push(call);
    await call.body(100);
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
  assert.equal(calls[0]?.signal.reason.message, 'The client went away');
  assert.deepEqual(server.observed.answers, [{ code: 0, bytes: 0, outcome: 'cut', path: '/' }]);
});

function preface(): Buffer {
  return Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(0x04, 0, Buffer.alloc(0))]);
}

function frame(type: number, stream: number, payload: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

interface Frame {
  readonly type: number;
  readonly stream: number;
  readonly payload: Buffer;
}

function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + 9 <= bytes.length;) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    frames.push({ type: bytes.readUInt8(at + 3), stream: bytes.readUInt32BE(at + 5), payload: bytes.subarray(at + 9, end) });
    at = end;
  }
  return frames;
}

/** The reason in the last GOAWAY frame. */
function goawayCode(bytes: Buffer): number | undefined {
  return framesIn(bytes).findLast(({ type }) => type === 0x07)?.payload.readUInt32BE(4);
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
