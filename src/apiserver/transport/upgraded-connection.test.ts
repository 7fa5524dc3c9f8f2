import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { CryptoRandom, RealClock, VirtualClock } from '../../base/index.ts';
import { FrameReader, frame, OPCODE } from '../../wire/websocket/index.ts';
import type { EncodedAnswer, TakeOver } from '../answers/answer.ts';
import { newEncoder } from '../answers/testing/answer-fixture.ts';
import { webSocketAnswer } from '../answers/websocket-answer.ts';
import type { Call } from '../request/call.ts';
import { assertUnharmed, restOf, startTransport, text, turn } from './testing/test-transport.ts';
import type { TestOptions, TestTransport } from './testing/test-transport.ts';

const ASK = 'POST /echo HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\naudit-id: a1\r\n';
let server: TestTransport;

afterEach(() => assertUnharmed(server));

/** A connection to a server that gives this answer; the test still has to write the request. */
async function connect(answer: (call: Call) => EncodedAnswer, options: TestOptions = {}): Promise<TLSSocket> {
  server = await startTransport(
    (call) => (call.request.path === '/alive' ? text(call.request.path) : answer(call)),
    options,
  );
  return server.raw();
}

function upgrade(takeOver: TakeOver): EncodedAnswer {
  const headers = { Connection: 'Upgrade', Upgrade: 'SPDY/3.1' };
  return { code: 101, headers, body: new Uint8Array(), takeOver };
}

async function headOf(socket: Duplex): Promise<string> {
  let head = '';
  while (!head.includes('\r\n\r\n')) {
    const chunk = (socket.read() as Buffer | null) ?? undefined;
    if (chunk === undefined) await once(socket, 'readable');
    else head += chunk.toString('latin1');
  }
  const end = head.indexOf('\r\n\r\n') + 4;
  if (end < head.length) socket.unshift(Buffer.from(head.slice(end), 'latin1'));
  return head.slice(0, end);
}

const echo: TakeOver = (connection) => pipeline(connection, connection);

test('the handler chooses the headers, and gets everything that the client sends after its request', async () => {
  const socket = await connect(() => upgrade(echo));
  socket.write(`${ASK}\r\nfirst `);
  const head = await headOf(socket);
  expect(head).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
  expect(head).toMatch(/\r\nConnection: Upgrade\r\nUpgrade: SPDY\/3\.1\r\n/);
  expect(head).toMatch(/\r\naudit-id: a1\r\n/);

  socket.end('second'); // the other direction stays open

  expect(await restOf(socket)).toBe('first second');
  await server.observed.until(() => server.observed.answers.length === 1);
  expect(server.observed.answers).toEqual([{ path: '/echo', code: 101, bytes: 12, outcome: 'complete' }]);
});

test('the server may end its side first, and continue reading', async () => {
  let received = '';
  const socket = await connect(() =>
    upgrade(async (connection) => {
      connection.end('bye');
      for await (const chunk of connection) received += String(chunk);
    }),
  );
  socket.allowHalfOpen = true;
  socket.write(`${ASK}\r\n`);
  await headOf(socket);
  const [last] = await once(socket, 'data');
  expect(String(last)).toBe('bye');
  await once(socket, 'end');
  socket.end('late words');
  await server.observed.until(() => server.observed.answers.length === 1);
  expect(received).toBe('late words');
});

test('a client that reads nothing makes the handler wait, and gets everything in the end', async () => {
  const total = 64 * 1024 * 1024;
  let written = 0;
  const socket = await connect(() =>
    upgrade(async (connection) => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      for (; written < total; written += piece.length) if (!connection.write(piece)) await once(connection, 'drain');
    }),
  );
  socket.write(`${ASK}\r\n`);
  await headOf(socket);
  for (let count = 0; count < 100; count++) await turn();
  expect(written).toBeLessThan(total / 2);

  let read = 0;
  socket.on('data', (chunk: Buffer) => (read += chunk.length));
  await once(socket, 'end');
  socket.end();
  expect(read).toBe(total);
});

test('a client that disconnects aborts the call, and leaves nothing behind', async () => {
  let signal: AbortSignal | undefined;
  await connect((call) =>
    upgrade(async (connection) => {
      signal = call.request.signal;
      connection.write('here');
      for await (const _chunk of connection) continue;
    }),
  );
  const plain = connectTcp(server.port, '127.0.0.1');
  const socket = await server.raw({ socket: plain });
  socket.write(`${ASK}\r\n`);
  await headOf(socket);
  await once(socket, 'data');
  plain.resetAndDestroy();
  await server.observed.until(() => server.observed.answers.length === 1);
  expect(signal?.aborted).toBe(true);
  expect(server.observed.answers[0]).toMatchObject({ code: 101, outcome: 'cut' });
});

test('a stopping server aborts the handler’s signal, waits for a while, and then disconnects', async () => {
  const clock = new VirtualClock();
  let wasAborted = false;
  const socket = await connect(
    (call) =>
      upgrade(async (connection) => {
        connection.write('here');
        await once(call.request.signal, 'abort');
        wasAborted = true;
        connection.write('not yet');
        await once(connection, 'close');
      }),
    { clock },
  );
  socket.write(`${ASK}\r\n`);
  await headOf(socket);
  await once(socket, 'data');
  const rest = restOf(socket);
  assert.equal((await server.getHttp2({ path: '/alive' })).body.toString(), '/alive');
  server.stop();
  while (!wasAborted) await turn();
  await clock.advance('1s');
  expect(await rest).toBe('not yet');
  await server.transport.stopped;
  server = await startTransport(({ request: { path } }) => text(path)); // for the check that follows each test
});

test('a handler that fails ends the connection, and is logged', async () => {
  const socket = await connect(() =>
    upgrade(async () => {
      throw new Error('handler broke');
    }),
  );
  socket.write(`${ASK}\r\n`);
  await restOf(socket);
  await server.observed.until(() => server.observed.answers.length === 1);
  expect(server.observed.answers[0]?.outcome).toBe('cut');
  expect((server.log as string[]).splice(0).join()).toContain('handler broke');
});

test('an idle connection is closed in the end', async () => {
  const clock = new VirtualClock();
  const socket = await connect(() => upgrade(echo), {
    clock,
    limits: { upgradeIdleTimeoutMs: 60_000, idleTimeoutMs: 3_600_000 },
  });
  socket.write(`${ASK}\r\n`);
  await headOf(socket);
  socket.write('a');
  await once(socket, 'data');
  await clock.advance('60s'); // there was traffic meanwhile
  expect(socket.destroyed).toBe(false);
  const gone = once(socket, 'close');
  socket.resume();
  await clock.advance('60s');
  await gone;
});

test('any answer other than an upgrade is plain HTTP and ends the connection', async () => {
  const socket = await connect(() => text('no', {}, 403));
  socket.write(`${ASK}\r\n`);
  const answer = await restOf(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
  expect(answer).toMatch(/\r\n\r\nno$/);
});

test('a client that does not ask for an upgrade, or asks over HTTP/2, gets an error that asks for one', async () => {
  const encoder = newEncoder();
  server = await startTransport((call) =>
    call.request.path === '/alive'
      ? text(call.request.path)
      : encoder.encode({ type: 'upgrade', headers: {}, takeOver: echo }, call),
  );
  for (const received of [await server.getHttp2({ path: '/echo' }), await server.getHttp1({ path: '/echo' })]) {
    expect(received.code).toBe(400);
    expect(received.body.toString()).toContain('Upgrade request required');
  }
});

test('a WebSocket answer chooses a protocol, echoes, and closes when the server stops', async () => {
  const encoder = newEncoder();
  const socket = await connect((call) => {
    const options = {
      clock: new RealClock(),
      protocols: ['v5.channel.k8s.io'],
      async serve(
        connection: AsyncIterable<{ readonly data: Uint8Array }> & { send(data: Uint8Array): Promise<void> },
      ) {
        for await (const { data } of connection) await connection.send(data);
      },
    };
    return encoder.encode(webSocketAnswer(call, options), call);
  });
  const ws = 'upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const offer = 'sec-websocket-protocol: v6.channel.k8s.io, v5.channel.k8s.io\r\n';
  socket.write(`GET /exec HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\n${ws}${offer}\r\n`);
  const head = await headOf(socket);
  expect(head).toContain('\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n');

  const mask = new CryptoRandom().bytes(4);
  socket.write(frame(OPCODE.binary, Buffer.from('\u0001out'), mask));
  const reader = new FrameReader('server');
  const [echoed] = await once(socket, 'data');
  expect([...reader.read(echoed)]).toMatchObject([{ type: 'data', isEnd: true, payload: Buffer.from('\u0001out') }]);
  const closing = once(socket, 'data');
  server.stop();
  expect([...reader.read((await closing)[0])]).toMatchObject([{ type: 'close', code: 1001 }]);
  socket.end(frame(OPCODE.close, new Uint8Array(), mask));
  await server.transport.stopped;
  server = await startTransport(({ request: { path } }) => text(path)); // for the check that follows each test
});
