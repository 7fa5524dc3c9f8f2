import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { CryptoRandom, RealClock, VirtualClock } from '../../base/index.ts';
import { duplexPair } from '../connections/index.ts';
import { HttpClient, isTransportError } from '../http/index.ts';
import { CLOSE_CODE, closeFrame, frame, OPCODE } from './frame.ts';
import { FrameReader } from './frame-reader.ts';
import { handshake } from './handshake.ts';
import { openWebSocket } from './open-websocket.ts';
import { WebSocketConnection, type WebSocketError, type WebSocketOptions } from './websocket-connection.ts';

interface Served extends AsyncDisposable {
  readonly connection: Promise<WebSocketConnection>;
  readonly socket: Promise<Duplex>;
  open(protocols?: readonly string[], options?: Partial<WebSocketOptions>): Promise<WebSocketConnection>;
}

/** Both ends of a connection on a real port. */
async function serve(options: Partial<WebSocketOptions> = {}, extra: Record<string, string> = {}): Promise<Served> {
  const clock = new RealClock();
  const server: Server = createServer((_request, response) => response.writeHead(418).end('no'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  let accept!: (socket: Duplex) => void;
  const socket = new Promise<Duplex>((resolve) => (accept = resolve));
  const chosen = 'v5.channel.k8s.io';
  server.on('upgrade', (request, upgraded) => {
    const answer = handshake(
      (name) => request.headers[name] as string | undefined,
      (offered) => offered.find((name) => name === chosen) ?? '',
    );
    const lines = Object.entries({ ...answer.headers, ...extra }).map(([name, value]) => `${name}: ${value}\r\n`);
    upgraded.write(`HTTP/1.1 ${answer.code} x\r\n${lines.join('')}\r\n`);
    accept(upgraded);
  });
  const { port } = server.address() as AddressInfo;
  const client = new HttpClient({ target: { server: new URL(`http://127.0.0.1:${port}`) }, clock });
  return {
    socket,
    connection: socket.then((it) => new WebSocketConnection(it, { clock, protocol: chosen, ...options })),
    async open(protocols = [chosen], own = {}) {
      const request = { path: '/exec', headers: {}, signal: AbortSignal.timeout(120_000) };
      const opened = await openWebSocket(client, request, { clock, random: new CryptoRandom(), ...own, protocols });
      if (!(opened instanceof WebSocketConnection)) throw new Error(`Refused: ${opened.status}`);
      return opened;
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      ((await Promise.race([socket, closed])) as Duplex | undefined)?.destroy?.();
    },
  };
}

test('both sides send text and bytes of any length, and close cleanly', async () => {
  await using served = await serve();
  const client = await served.open();
  const server = await served.connection;
  expect(client.protocol).toBe('v5.channel.k8s.io');
  const echoing = (async () => {
    for await (const { isText, data } of server) await server.send(isText ? Buffer.from(data).toString() : data);
  })();
  const messages = client[Symbol.asyncIterator]();

  for (const message of ['', 'hé', Buffer.alloc(125, 1), Buffer.alloc(126, 2), Buffer.alloc(70_000, 3)]) {
    await client.send(message);
    const { value } = await messages.next();
    expect(value?.isText).toBe(typeof message === 'string');
    expect(Buffer.from(value?.data ?? []).equals(Buffer.from(message))).toBe(true);
  }

  client.close();
  await echoing;
  expect((await messages.next()).done).toBe(true);
});

test('a sender waits for a reader that does not read', async () => {
  await using served = await serve();
  const client = await served.open();
  const server = await served.connection;
  let sent = 0;
  const sending = (async () => {
    for (; sent < 1000; sent++) await server.send(Buffer.alloc(64 * 1024));
  })();
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => void setImmediate(resolve));
  expect(sent).toBeLessThan(500);

  let received = 0;
  for await (const { data } of client) {
    received += data.length;
    if (received === 1000 * 64 * 1024) break;
  }
  await sending;
});

test('a message above the limit ends the connection with 1009, and invalid UTF-8 with 1007', async () => {
  await using served = await serve({ maxMessageBytes: 1000 });
  const client = await served.open();
  const server = await served.connection;
  await client.send(Buffer.alloc(1001));
  await expect(server[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 1009,
  } satisfies Partial<WebSocketError>);
  expect((await client[Symbol.asyncIterator]().next()).done).toBe(true);
});

test('the reader of a lost connection gets an error; sending does nothing', async () => {
  await using served = await serve();
  const client = await served.open();
  const reading = client[Symbol.asyncIterator]().next();
  (await served.socket).destroy();
  await expect(reading).rejects.toMatchObject({ name: 'WebSocketError' });
  await client.send('late');
});

test('a silent peer is pinged, answers, and is disconnected when it does not', async () => {
  await using served = await serve();
  const clock = new VirtualClock();
  const client = await served.open(undefined, { clock, pingAfterMs: 10_000 });
  const socket = await served.socket;
  const reading = client[Symbol.asyncIterator]().next();
  reading.catch(() => undefined);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => void setImmediate(resolve));
  const pinged = once(socket, 'data');
  await clock.advance('10s');
  expect((await pinged)[0][0]).toBe(0x89);
  await clock.advance('10s');
  await expect(reading).rejects.toThrow('it does not answer pings');
});

test('a client rejects a server that chooses a protocol that was not offered, and returns a refusal’s response', async () => {
  await using other = await serve({}, { 'sec-websocket-extensions': 'permessage-deflate' });
  await expect(other.open()).rejects.toSatisfy((error) => isTransportError(error, 'protocol'));
  await using none = await serve();
  await expect(none.open(['v9.channel.k8s.io'])).rejects.toSatisfy((error) => isTransportError(error, 'protocol'));
});

/** Counts the turns of the event loop until it is disposed of. */
function countTurns(): Disposable & { readonly turns: number } {
  let turns = 0;
  let timer: NodeJS.Immediate;
  const turn = (): void => {
    turns += 1;
    timer = setImmediate(turn);
  };
  timer = setImmediate(turn);
  return {
    get turns() {
      return turns;
    },
    [Symbol.dispose]: () => clearImmediate(timer),
  };
}

test('a peer that sends very many tiny messages leaves turns to others, and gets one pong for pings that arrive together', async () => {
  const [far, near] = duplexPair();
  const connection = new WebSocketConnection(near, { clock: new VirtualClock(), protocol: '' });
  const mask = Buffer.of(1, 2, 3, 4);
  const tiny = frame(OPCODE.binary, Buffer.from('x'), mask);
  const many = Buffer.concat(Array.from({ length: 50_000 }, () => tiny));
  const pings = Buffer.concat(Array.from({ length: 1_000 }, (_, id) => frame(OPCODE.ping, Buffer.from(`${id}`), mask)));
  const pongs: string[] = [];
  const reader = new FrameReader('server');
  far.on('data', (chunk: Buffer) => {
    for (const word of reader.read(chunk)) if (word.type === 'pong') pongs.push(String(word.payload));
  });
  far.write(many);
  far.write(pings);
  far.end(closeFrame(CLOSE_CODE.normal, '', mask));
  using counted = countTurns();
  let messages = 0;
  for await (const batch of connection.batches()) messages += batch.length;
  expect(messages).toBe(50_000);
  expect(counted.turns).toBeGreaterThan(50);
  expect(pongs).toEqual(['999']);
});

test('a message in very many parts, some of them empty, arrives whole', async () => {
  const [far, near] = duplexPair();
  const connection = new WebSocketConnection(near, { clock: new VirtualClock(), protocol: '' });
  const mask = Buffer.of(0, 0, 0, 0);
  const part = (opcode: number, text: string, isLast = false): Buffer => {
    const bytes = frame(opcode, Buffer.from(text), mask);
    if (!isLast) bytes[0] = opcode;
    return bytes;
  };
  const parts = Array.from({ length: 20_000 }, (_, index) => part(0, index % 2 === 0 ? '' : 'b'));
  far.write(Buffer.concat([part(OPCODE.text, 'a'), ...parts, part(0, 'c', true)]));
  far.end(closeFrame(CLOSE_CODE.normal, '', mask));
  const texts: string[] = [];
  for await (const { data } of connection) texts.push(Buffer.from(data).toString());
  expect(texts).toEqual([`a${'b'.repeat(10_000)}c`]);
});
