import { constants, createDeflate, type Deflate } from 'node:zlib';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { duplexPair } from '../connections/index.ts';
import { headerDictionary } from './dictionary.ts';
import { dataFrame, openFrame } from './frame.ts';
import { HeaderPacker } from './header-block.ts';
import { SpdySession, type SpdySessionOptions } from './spdy-session.ts';
import { SpdyError, type SpdyStream } from './spdy-stream.ts';

interface Pair {
  readonly client: SpdySession;
  readonly server: SpdySession;
  readonly sockets: readonly [Duplex, Duplex];
  /** Waits for the next stream that the client opens. */
  next(): Promise<SpdyStream>;
}

function connect(options: Partial<SpdySessionOptions> = {}): Pair {
  const sockets = duplexPair();
  const opened: SpdyStream[] = [];
  const waiting: ((stream: SpdyStream) => void)[] = [];
  const onStream = (stream: SpdyStream): void => {
    const first = waiting.shift();
    if (first === undefined) opened.push(stream);
    else first(stream);
  };
  const server = new SpdySession(sockets[1], { isServer: true, onStream, ...options });
  const client = new SpdySession(sockets[0], { isServer: false });
  const next = (): Promise<SpdyStream> => {
    const first = opened.shift();
    return first === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(first);
  };
  return { client, server, sockets, next };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

/** Compresses one more block. */
async function packed(deflate: Deflate, plain: Buffer): Promise<Buffer> {
  const parts: Buffer[] = [];
  deflate.on('data', (part: Buffer) => parts.push(part));
  deflate.write(plain);
  await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve));
  deflate.removeAllListeners('data');
  return Buffer.concat(parts);
}

test('a stream carries headers, and data in both directions until each ends', async () => {
  const { client, next } = connect();

  const [sent, received] = await Promise.all([client.open({ streamtype: 'stdin', port: '80' }), next()]);
  await sent.write(Buffer.from('question'));
  await sent.end();
  expect(received.headers).toEqual({ streamtype: 'stdin', port: '80' });
  expect(await textOf(received)).toBe('question');
  await received.write(Buffer.from('answer'));
  await received.end();

  expect(await textOf(sent)).toBe('answer');
});

test('headers that are compressed with SPDY’s dictionary are read, as Go sends them', async () => {
  const { sockets, next } = connect();
  const deflate = createDeflate({ dictionary: headerDictionary() });
  const plain = Buffer.from('\0\0\0\x01\0\0\0\x0astreamtype\0\0\0\x05error', 'latin1');
  for (const id of [1, 3]) {
    const block = await packed(deflate, plain);
    const head = Buffer.from([0x80, 3, 0, 1, 0, 0, 0, block.length + 10, 0, 0, 0, id, 0, 0, 0, 0, 0, 0]);
    sockets[0].write(Buffer.concat([head, block]));
    expect((await next()).headers).toEqual({ streamtype: 'error' });
  }
});

test('a sender waits for a slow reader, and continues when it reads', async () => {
  const { client, next } = connect();
  const [sent, received] = await Promise.all([client.open({}), next()]);
  let written = 0;
  const sending = (async () => {
    for (let index = 0; index < 64; index++) {
      await sent.write(Buffer.alloc(64 * 1024, index));
      written++;
    }
    await sent.end();
  })();
  for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate);
  expect(written).toBeLessThan(16);

  let bytes = 0;
  for await (const chunk of received) bytes += chunk.length;
  await sending;
  expect(bytes).toBe(64 * 64 * 1024);
});

test('a cancelled stream yields the data before the cancellation, and ends', async () => {
  const { client, next } = connect();
  const [one, theirs] = await Promise.all([client.open({ name: 'one' }), next()]);

  await theirs.write(Buffer.from('before'));
  theirs.reset(5);
  expect(await textOf(one)).toBe('before');
});

test('a reset ends both directions with an error, and other streams continue', async () => {
  const { client, next } = connect();
  const [one, theirs] = await Promise.all([client.open({ name: 'one' }), next()]);
  const [two, others] = await Promise.all([client.open({ name: 'two' }), next()]);

  theirs.reset(6);
  await expect(textOf(one)).rejects.toThrow(SpdyError);
  await others.end();
  expect(await textOf(two)).toBe('');
});

test('streams beyond the limit are refused', async () => {
  const { client } = connect({ maxStreams: 1 });
  await client.open({});

  await expect(client.open({})).rejects.toThrow(/status 3/);
});

test('a lost connection fails its streams and those that wait to be opened', async () => {
  const { client, sockets } = connect();
  sockets[1].destroy();

  await expect(client.open({})).rejects.toThrow(SpdyError);
  await client.closed;
});

test.each([
  ['another version', Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0])],
  ['a control frame that is too long', Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff])],
  ['a control frame that is too short', Buffer.from([0x80, 3, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1])],
  ['headers that are no zlib', Buffer.from([0x80, 3, 0, 1, 0, 0, 0, 14, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4])],
])('a peer that violates the protocol is disconnected: %s', async (_what, bytes) => {
  const { server, sockets } = connect();
  sockets[0].on('error', () => undefined);
  sockets[0].write(bytes);

  await server.closed;
  expect(sockets[1].destroyed).toBe(true);
});

test('headers that decompress to more than the limit are rejected', async () => {
  const { server, sockets } = connect();
  const deflate = createDeflate({ dictionary: headerDictionary() });
  const block = await packed(deflate, Buffer.alloc(4 * 1024 * 1024));
  const head = Buffer.alloc(18);
  head.set([0x80, 3, 0, 1]);
  head.writeUInt32BE(block.length + 10, 4);
  head.writeUInt32BE(1, 8);
  sockets[0].write(Buffer.concat([head, block]));

  await server.closed;
  expect(sockets[1].destroyed).toBe(true);
});

test('a peer that sends very many tiny frames leaves turns to others, and its bytes are joined', async () => {
  const { client, next, sockets } = connect();
  const opening = client.open({ streamtype: 'data' });
  const stream = await next();
  const { id } = await opening;
  sockets[0].write(Buffer.concat(Array.from({ length: 50_000 }, () => dataFrame(id, Buffer.from('x'), false))));
  sockets[0].write(dataFrame(id, Buffer.alloc(0), true));
  let turns = 0;
  let timer = setImmediate(function turn(): void {
    turns += 1;
    timer = setImmediate(turn);
  });
  let pieces = 0;
  let bytes = 0;
  for await (const piece of stream) {
    pieces += 1;
    bytes += piece.length;
  }
  clearImmediate(timer);
  expect(bytes).toBe(50_000);
  expect(pieces).toBeLessThan(500);
  expect(turns).toBeGreaterThan(50);
});

test('a peer that causes control frames and does not read them loses its connection', async () => {
  const sockets = duplexPair();
  const refusesStreams = { isServer: true, maxUnreadControlBytes: 32 * 1024 };
  const server = new SpdySession(sockets[1], refusesStreams);
  const packer = new HeaderPacker();
  const many = Array.from({ length: 6000 }, (_, index) => openFrame(1 + 2 * index, packer.pack({})));
  sockets[0].on('error', () => undefined).write(Buffer.concat(many));
  await server.closed;
  expect(sockets[1].destroyed).toBe(true);
});
