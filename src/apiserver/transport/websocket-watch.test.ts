import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { afterEach, test } from 'vitest';
import { BoundedQueue } from '../../base/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import { assertUnharmed, restOf, startTransport, type TestTransport, text } from './testing/test-transport.ts';

const UPGRADE =
  'host: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\norigin: https://x\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const SWITCHING =
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n';
const CLOSE = '\u0088\u0002\u0003\u00e8';
const JSON_HEADERS = { 'content-type': 'application/json' };

let server: TestTransport;

afterEach(() => assertUnharmed(server));

async function ask(
  answer: EncodedAnswer,
  request = `GET /api/v1/pods?watch=1 HTTP/1.1\r\n${UPGRADE}`,
): Promise<TLSSocket> {
  server = await startTransport(({ request: { path } }) => (path === '/alive' ? text(path) : answer));
  const socket = await server.raw();
  socket.write(request, 'latin1');
  return socket;
}

async function* pieces(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part, 'latin1');
}

test('every event of a watch is a message, however the stream was split, and the end is a close frame', async () => {
  const body = pieces('{"a":1}\n{"b"', ':2}\n');
  assert.equal(
    await restOf(await ask({ code: 200, headers: JSON_HEADERS, body })),
    `${SWITCHING}\u0081\u0008{"a":1}\n\u0081\u0008{"b":2}\n${CLOSE}`,
  );
});

test('events in protobuf are binary messages without a length prefix', async () => {
  const headers = { 'content-type': 'application/vnd.kubernetes.protobuf;stream=watch' };
  const body = pieces('\u0000\u0000\u0000\u0003abc');
  assert.equal(await restOf(await ask({ code: 200, headers, body })), `${SWITCHING}\u0082\u0003abc${CLOSE}`);
});

test('the length field fits the size of an event', async () => {
  const event = `${'x'.repeat(70_000)}\n`;
  const received = await restOf(await ask({ code: 200, headers: JSON_HEADERS, body: pieces(event) }));
  assert.equal(received, `${SWITCHING}\u0081\u007f\0\0\0\0\0\u0001\u0011\u0071${event}${CLOSE}`);
});

test('a ping is answered, and a close frame of the client ends the watch', async () => {
  const events = new BoundedQueue<Uint8Array>(10);
  const socket = await ask({ code: 200, headers: JSON_HEADERS, body: events });
  const [head] = await once(socket, 'data');
  assert.equal(String(head), SWITCHING);
  socket.write(Buffer.from([0x89, 0x82, 0, 0, 0, 0, 104, 105]));
  const [pong] = (await once(socket, 'data')) as [Buffer];
  assert.equal(pong.toString('latin1'), '\u008a\u0002hi');
  socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
  assert.equal(await restOf(socket), CLOSE);
});

test('a client that disconnects without a close frame ends the watch', async () => {
  const closed = new AbortController();
  const body = new BoundedQueue<Uint8Array>(10, { onClose: () => closed.abort() });
  const socket = await ask({ code: 200, headers: JSON_HEADERS, body });
  await once(socket, 'data');
  socket.destroy();
  if (!closed.signal.aborted) await once(closed.signal, 'abort');
  await server.observed.until(() => server.observed.answers.length === 1);
  assert.equal(server.observed.answers[0]?.outcome, 'cut');
});

test('a stopping server closes its watches', async () => {
  const events = new BoundedQueue<Uint8Array>(10);
  const socket = await ask({ code: 200, headers: JSON_HEADERS, body: events });
  await once(socket, 'data');
  const rest = restOf(socket);
  server.stop();
  assert.equal(await rest, CLOSE);
  server = await startTransport(({ request: { path } }) => text(path));
});

test('a refused watch is answered as plain HTTP, as are other requests to switch protocols', async () => {
  const refused = await restOf(await ask(text('no', {}, 403)));
  assert.match(refused, /^HTTP\/1.1 403 Forbidden\r\n.*connection: close\r\n\r\nno$/is);
  await assertUnharmed(server);
  const listed = await restOf(await ask(text('all'), `GET /api/v1/pods HTTP/1.1\r\n${UPGRADE}`));
  assert.match(listed, /^HTTP\/1.1 200 OK\r\n.*\r\n\r\nall$/is);
  await assertUnharmed(server);
  const other = 'GET /version HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: h2c\r\n\r\n';
  assert.match(await restOf(await ask(text('1.36'), other)), /^HTTP\/1.1 200 OK\r\n.*\r\n\r\n1.36$/is);
});

test('an invalid handshake is refused, and its watch is closed', async () => {
  const socket = await ask(
    { code: 200, headers: JSON_HEADERS, body: new BoundedQueue<Uint8Array>(10) },
    `GET /api/v1/pods?watch=1 HTTP/1.1\r\n${UPGRADE.replace('origin', 'x-origin')}`,
  );
  assert.equal(await restOf(socket), 'HTTP/1.1 403 Forbidden\r\n\r\n');
});

test('a body with a request to switch protocols is refused', async () => {
  const request = `POST /api/v1/pods HTTP/1.1\r\ncontent-length: 2\r\n${UPGRADE}{}`;
  assert.match(await restOf(await ask(text('made'), request)), /^HTTP\/1.1 400 Bad Request\r\n/);
});

test('a large plain answer is sent whole', async () => {
  const body = 'x'.repeat(3_000_000);
  const received = await restOf(await ask(text(body), `GET /api/v1/pods HTTP/1.1\r\n${UPGRADE}`));
  assert.equal(received.split('\r\n\r\n')[1]?.length, body.length);
});
