import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VirtualClock } from '../../../base/index.ts';
import {
  decodeMessage,
  Flag,
  framed,
  type Message,
  MessageEncoder,
  RecordClass,
  RecordType,
} from '../../../wire/dns/index.ts';
import { questionBytes } from '../testing/dns-client.ts';
import { exchangeTcp, exchangeUdp, UpstreamError, type UpstreamQuery } from './exchange.ts';

const encoder = new MessageEncoder();
const QUERY: UpstreamQuery = {
  id: 4711,
  question: { name: 'www.example.org.', type: RecordType.A, class: RecordClass.IN },
  bytes: questionBytes('www.example.org.', RecordType.A),
};

function answerTo(bytes: Uint8Array, parts: Partial<Message> = {}): Buffer {
  const query = decodeMessage(bytes);
  return encoder.encode({ ...query, flags: Flag.RESPONSE, ...parts });
}

async function udpServer(answer: (bytes: Buffer) => readonly Buffer[]) {
  const socket: UdpSocket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  const ports: number[] = [];
  const asked = once(socket, 'message');
  socket.on('message', (bytes, from) => {
    ports.push(from.port);
    for (const each of answer(bytes)) socket.send(each, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: { host: '127.0.0.1', port: socket.address().port }, ports, asked };
}

async function tcpServer(answer: (bytes: Buffer) => Buffer | undefined) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const bytes = answer(chunk.subarray(2));
      if (bytes === undefined) socket.end();
      else socket.write(bytes);
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

const options = { clock: new VirtualClock(), timeoutMs: 2000 };

describe('exchangeUdp()', () => {
  it('takes the answer and nothing that only looks like one', async () => {
    const right = { flags: Flag.RESPONSE | Flag.RECURSION_AVAILABLE };
    const { address } = await udpServer((bytes) => [
      answerTo(bytes, { id: 4712 }),
      answerTo(bytes, { questions: [{ ...QUERY.question, name: 'other.example.org.' }] }),
      answerTo(bytes, { questions: [{ ...QUERY.question, type: RecordType.AAAA }] }),
      answerTo(bytes, { flags: 0 }),
      Buffer.from('x'),
      answerTo(bytes).subarray(0, 20),
      answerTo(bytes, right),
    ]);
    expect((await exchangeUdp(address, QUERY, options)).message.flags).toBe(right.flags);
  });

  it('sends each question from a port of its own', async () => {
    const { address, ports } = await udpServer((bytes) => [answerTo(bytes)]);
    for (let index = 0; index < 5; index++) await exchangeUdp(address, QUERY, options);
    expect(new Set(ports).size).toBeGreaterThan(1);
  });

  it('gives up in time', async () => {
    const clock = new VirtualClock();
    const { address, asked } = await udpServer(() => []);
    const failed = expect(exchangeUdp(address, QUERY, { clock, timeoutMs: 2000 })).rejects.toThrow(UpstreamError);
    await asked;
    await clock.advance(2000);
    await failed;
  });

  it('fails at once when nothing listens there', async () => {
    const { address } = await udpServer(() => []);
    await expect(exchangeUdp({ ...address, port: 1 }, QUERY, options)).rejects.toThrow(/ECONNREFUSED/);
  });
});

describe('exchangeTcp()', () => {
  it('takes an answer of any size, in pieces', async () => {
    const record = { ...QUERY.question, ttl: 1, data: Buffer.alloc(4) };
    const answers = Array.from({ length: 2000 }, () => record);
    const address = await tcpServer((bytes) => framed(answerTo(bytes, { answers })));
    expect((await exchangeTcp(address, QUERY, options)).message.answers.length).toBe(2000);
  });

  it('fails when the connection ends, or something else comes', async () => {
    const ends = await tcpServer(() => undefined);
    await expect(exchangeTcp(ends, QUERY, options)).rejects.toThrow('closed');
    const lies = await tcpServer((bytes) => framed(answerTo(bytes, { id: 1 })));
    await expect(exchangeTcp(lies, QUERY, options)).rejects.toThrow('something else');
  });
});
