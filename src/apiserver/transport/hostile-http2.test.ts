import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
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

describe('invalid HTTP/2', () => {
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
  ])('%s: the client gets GOAWAY, and is disconnected if it does not disconnect', async (_name, bytes, code) => {
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
    // one header of 4000 bytes, kept in the compression table and sent another 300 times in a byte each
    [
      'headers that unpack to far more',
      Buffer.concat([
        Buffer.from([0x40, 1, 0x78, 0x7f, 0xa1, 0x1e]),
        Buffer.alloc(4_000, 'x'),
        Buffer.alloc(300, 0xbe),
      ]),
    ],
  ])('%s are refused, and the connection lives on', async (_name, headers) => {
    let calls = 0;
    await start((call) => {
      calls += 1;
      return text(call.request.path);
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

  test('an unknown method reaches the handler', async () => {
    await start((call) => text(call.request.method === 'FOO' ? `no ${call.request.method}` : call.request.path));
    assert.equal((await server.getHttp2({ method: 'FOO' })).body.toString(), 'no FOO');
  });
});

test('a client that keeps resetting its requests loses its connection', async () => {
  let calls = 0;
  await start((call) => {
    calls += 1;
    return text(call.request.path);
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

test('handlers that do not notice that their client left count against the connection', async () => {
  const calls: Call[] = [];
  await start(
    (call) => {
      if (call.request.path === '/alive') return text(call.request.path);
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

test('at most a hundred requests of a connection are served at once; the rest wait', async () => {
  const release: (() => void)[] = [];
  await start(async (call) => {
    if (call.request.path === '/x') await new Promise<void>((resolve) => release.push(resolve));
    return text(call.request.path);
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

// Frames of HTTP/2 (RFC 9113), built by hand for clients that do what no library does.

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
    frames.push({
      type: bytes.readUInt8(at + 3),
      stream: bytes.readUInt32BE(at + 5),
      payload: bytes.subarray(at + 9, end),
    });
    at = end;
  }
  return frames;
}

/** The reason in the last GOAWAY frame. */
function goawayCode(bytes: Buffer): number | undefined {
  return framesIn(bytes)
    .findLast(({ type }) => type === 0x07)
    ?.payload.readUInt32BE(4);
}
