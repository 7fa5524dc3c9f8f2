import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { skipWhen } from '../../../base/testing/requires.ts';
import { discardLogger, messageOf, RealClock, SeededRandom } from '../../../base/index.ts';
import type { Client } from '../../../client/index.ts';
import { TestCluster } from '../../../client/testing/test-cluster.ts';
import { decodeMessage, Flag, framed, MessageEncoder, Rcode, RCODE_MASK, RecordType } from '../../../wire/dns/index.ts';
import { askUdp, questionBytes, TcpQuestions } from '../testing/dns-client.ts';
import { DnsServer, type DnsServerOptions } from './dns-server.ts';

const WEB = 'web.default.svc.cluster.local.';
const encoder = new MessageEncoder();
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

let cluster: TestCluster;
let client: Client;

beforeAll(async () => {
  cluster = await TestCluster.start({ clock: new RealClock() });
  client = cluster.client();
  await createService('web', '10.96.1.1');
});

afterAll(() => cluster[Symbol.asyncDispose]());

async function createService(name: string, clusterIP: string): Promise<void> {
  const spec = { clusterIP, ports: [{ name: 'http', port: 80 }] };
  await client.core.v1.services.namespace('default').create({ metadata: { name }, spec });
}

async function start(options: Partial<DnsServerOptions> = {}) {
  const server = await DnsServer.open(client, {
    clock: cluster.clock,
    random: new SeededRandom(1),
    log: discardLogger,
    listen: [{ host: '127.0.0.1', port: 0 }],
    ...options,
  });
  const stop = new AbortController();
  const running = server.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
    await server[Symbol.asyncDispose]();
  });
  const [address] = server.addresses;
  if (address === undefined) throw new Error('the server does not listen');
  while (!server.isReady) await new Promise((resolve) => void setImmediate(resolve));
  return { server, address };
}

/** An upstream server on loopback that answers every question with an address. */
async function upstream() {
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  socket.on('message', (bytes, from) => {
    const query = decodeMessage(bytes);
    const answers = query.questions.map((question) => ({ ...question, ttl: 60, data: Uint8Array.of(192, 0, 2, 1) }));
    const flags = Flag.RESPONSE | Flag.RECURSION_AVAILABLE;
    socket.send(encoder.encode({ ...query, flags, answers, edns: undefined }), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { host: '127.0.0.1', port: socket.address().port };
}

describe('DnsServer', () => {
  it('answers over UDP and TCP on one port, and follows the cluster', async () => {
    const { address } = await start();
    const bytes = questionBytes(WEB, RecordType.A);
    expect((await askUdp(address, bytes)).answers.length).toBe(1);
    using tcp = await TcpQuestions.open(address);
    tcp.send(bytes);
    expect((await tcp.answer()).answers.length).toBe(1);

    const late = questionBytes('late.default.svc.cluster.local.', RecordType.A);
    const until = async (rcode: number): Promise<void> => {
      while (((await askUdp(address, late)).flags & RCODE_MASK) !== rcode);
    };
    await createService('late', '10.96.1.2');
    await until(Rcode.NOERROR);
    await client.core.v1.services.namespace('default').delete('late');
    await until(Rcode.NXDOMAIN);
  });

  it('answers over IPv6', skipWhen(!hasIpv6, 'no IPv6 on loopback'), async () => {
    const { address } = await start({ listen: [{ host: '::1', port: 0 }] });
    expect((await askUdp(address, questionBytes(WEB, RecordType.A))).answers.length).toBe(1);
  });

  it('forwards other names', async () => {
    const { address } = await start({ upstreams: [await upstream()] });
    const answer = await askUdp(address, questionBytes('www.example.org.', RecordType.A));
    expect(answer.answers[0]?.data).toEqual(Buffer.from([192, 0, 2, 1]));
  });

  it('is not its own upstream server: the loop is found and cut', async () => {
    const looping = await onFreePort((port) =>
      start({ listen: [{ host: '127.0.0.1', port }], upstreams: [{ host: '127.0.0.1', port }] }),
    );
    while (looping.server.forwarder?.upstreams[0]?.isLoop === false)
      await new Promise((resolve) => void setImmediate(resolve));
    const answer = await askUdp(looping.address, questionBytes('www.example.org.', RecordType.A));
    expect(answer.flags & RCODE_MASK).toBe(Rcode.SERVFAIL);
  });

  it('serves health, readiness and metrics', async () => {
    const { server, address } = await start({ pages: [{ host: '127.0.0.1', port: 0 }] });
    await askUdp(address, questionBytes(WEB, RecordType.A));
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${server.pagePorts[0]}${path}`);
      return { status: response.status, text: await response.text() };
    };
    expect(await get('/health')).toEqual({ status: 200, text: 'OK' });
    expect(await get('/ready')).toEqual({ status: 200, text: 'OK' });
    expect((await get('/metrics')).text).toContain('coredns_dns_requests_total{');
    expect((await get('/else')).status).toBe(404);
  });
});

describe('connections over TCP', () => {
  it('may carry many questions at once', async () => {
    const { address } = await start();
    using tcp = await TcpQuestions.open(address);
    const frames = Array.from({ length: 500 }, (_, id) => framed(questionBytes(WEB, RecordType.A, { id })));
    tcp.socket.write(Buffer.concat(frames));
    const ids = new Set<number>();
    for (let index = 0; index < 500; index++) ids.add((await tcp.answer()).id);
    expect(ids.size).toBe(500);
  });

  it('are answered in any order, with a bound on what waits', async () => {
    const { address } = await start({ upstreams: [await upstream()], tcp: { maxInFlight: 4 } });
    using tcp = await TcpQuestions.open(address);
    for (let id = 0; id < 100; id++)
      tcp.send(questionBytes(id % 2 === 0 ? WEB : `n${id}.example.org.`, RecordType.A, { id }));
    const ids: number[] = [];
    for (let index = 0; index < 100; index++) ids.push((await tcp.answer()).id);
    expect(ids.toSorted((left, right) => left - right)).toEqual(Array.from({ length: 100 }, (_, id) => id));
  });

  it('are closed when they are idle, or when a question does not become whole', async () => {
    const { address } = await start({ tcp: { idleMs: 20, readMs: 20 } });
    using idle = await TcpQuestions.open(address);
    await idle.closed();
    using slow = await TcpQuestions.open(address);
    slow.socket.write(Buffer.from([0, 40, 1]));
    await slow.closed();
  });

  it('make place for new ones when there are too many', async () => {
    const { address } = await start({ tcp: { maxConnections: 3 } });
    const open: TcpQuestions[] = [];
    onTestFinished(() => open.forEach((each) => each[Symbol.dispose]()));
    for (let index = 0; index < 4; index++) {
      const next = await TcpQuestions.open(address);
      next.send(questionBytes(WEB, RecordType.A));
      await next.answer();
      open.push(next);
    }
    await open[0]?.closed();
    open[3]?.send(questionBytes(WEB, RecordType.A));
    expect((await open[3]?.answer())?.answers.length).toBe(1);
  });

  it('are closed when something else than a question comes', async () => {
    const { address } = await start();
    using tcp = await TcpQuestions.open(address);
    tcp.send(questionBytes(WEB, RecordType.A, { flags: Flag.RESPONSE }));
    await tcp.closed();
  });

  it('stay open for answers that are on their way when the client has said all', async () => {
    const { address } = await start({ upstreams: [await upstream()] });
    using tcp = await TcpQuestions.open(address);
    tcp.send(questionBytes('www.example.org.', RecordType.A));
    tcp.socket.end();
    expect((await tcp.answer()).answers.length).toBe(1);
    await tcp.closed();
  });
});

/** Starts a server on a port that is free for UDP; another one when a connection of TCP has it meanwhile. */
async function onFreePort<T>(begin: (port: number) => Promise<T>): Promise<T> {
  for (;;) {
    const free = createSocket('udp4');
    free.bind(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address();
    await new Promise<void>((resolve) => void free.close(() => resolve()));
    try {
      return await begin(port);
    } catch (error) {
      if (!messageOf(error).includes('EADDRINUSE')) throw error;
    }
  }
}
