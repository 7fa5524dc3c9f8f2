import { describe, expect, it } from 'vitest';
import { discardLogger, MetricRegistry, SeededRandom, settle, VirtualClock } from '../../../base/index.ts';
import {
  decodeMessage,
  Flag,
  type Message,
  MessageEncoder,
  type Question,
  Rcode,
  RecordClass,
  RecordType,
} from '../../../wire/dns/index.ts';
import { type Exchange, UpstreamError, type UpstreamQuery, type UpstreamResponse } from './exchange.ts';
import { ForwardMetrics } from './forward-metrics.ts';
import { Forwarder, type ForwarderOptions } from './forwarder.ts';
import { ResponseCache } from './response-cache.ts';
import { formatUpstream, parseUpstream, type UpstreamAddress } from './upstream-address.ts';

const QUESTION: Question = { name: 'www.example.org.', type: RecordType.A, class: RecordClass.IN };
const CONTEXT = { flags: Flag.RECURSION_DESIRED, ednsFlags: 0, client: '10.0.0.1' };
const encoder = new MessageEncoder();

type Behaviour = (query: UpstreamQuery, transport: 'udp' | 'tcp') => Partial<Message> | 'silent' | undefined;

/** Upstream servers that behave as the test wants; undefined is the usual answer. */
class Upstreams {
  readonly clock = new VirtualClock();
  readonly asked: string[] = [];
  readonly queries: UpstreamQuery[] = [];
  readonly behaviours = new Map<string, Behaviour>();
  readonly forwarder: Forwarder;

  constructor(servers: readonly string[], options: Partial<ForwarderOptions> = {}) {
    const cache = new ResponseCache();
    const exchange = { udp: this.#exchange('udp'), tcp: this.#exchange('tcp') };
    this.forwarder = new Forwarder({
      upstreams: servers.map((text) => parseUpstream(text) as UpstreamAddress),
      cache,
      metrics: new ForwardMetrics(new MetricRegistry(), { cache, server: 'test' }),
      clock: this.clock,
      random: new SeededRandom(1),
      log: discardLogger,
      exchange,
      ...options,
    });
  }

  #exchange(transport: 'udp' | 'tcp'): Exchange {
    return async (upstream, query, { clock, timeoutMs }) => {
      const name = formatUpstream(upstream);
      this.asked.push(`${transport} ${name} ${query.question.name}`);
      this.queries.push(query);
      const parts = this.behaviours.get(name)?.(query, transport);
      if (parts === 'silent') {
        await clock.sleep(timeoutMs);
        throw new UpstreamError(`${name} is silent`);
      }
      return responseTo(query, parts ?? {});
    };
  }

  /** Whether an answer has come after this time. */
  async after<T>(work: T | Promise<T>, ms: number): Promise<T | 'waits'> {
    let result: T | 'waits' = 'waits';
    void Promise.resolve(work).then((value) => (result = value));
    await settle();
    if (ms > 0) await this.clock.advance(ms);
    await settle();
    return result;
  }
}

function responseTo(query: UpstreamQuery, parts: Partial<Message>): UpstreamResponse {
  const record = { ...query.question, ttl: 60, data: Uint8Array.of(192, 0, 2, 1) };
  const message: Message = {
    id: query.id,
    flags: Flag.RESPONSE | Flag.RECURSION_AVAILABLE,
    questions: [query.question],
    answers: query.question.type === RecordType.A ? [record] : [],
    authorities: [],
    additionals: [],
    edns: { udpBytes: 1232, extendedRcode: 0, version: 0, flags: 0, options: [] },
    ...parts,
  };
  return { message, bytes: encoder.encode(message) };
}

describe('Forwarder.resolve()', () => {
  it('asks the first server, and keeps its answer', async () => {
    const { forwarder, asked } = new Upstreams(['192.0.2.1', '192.0.2.2']);
    expect(await forwarder.resolve(QUESTION, CONTEXT)).toMatchObject({ rcode: 0, source: 'forward' });
    expect(forwarder.resolve({ ...QUESTION, name: 'WWW.example.org.' }, CONTEXT)).toMatchObject({ source: 'cache' });
    expect(asked).toEqual(['udp 192.0.2.1:53 www.example.org.']);
  });

  it('asks the same question once for all who ask meanwhile', async () => {
    const { forwarder, asked } = new Upstreams(['192.0.2.1']);
    const answers = await Promise.all(Array.from({ length: 50 }, async () => forwarder.resolve(QUESTION, CONTEXT)));
    expect(answers.every(({ rcode }) => rcode === Rcode.NOERROR)).toBe(true);
    expect(asked.length).toBe(1);
  });

  it('keeps answers with and without DNSSEC apart', async () => {
    const { forwarder, queries } = new Upstreams(['192.0.2.1']);
    await forwarder.resolve(QUESTION, CONTEXT);
    await forwarder.resolve(QUESTION, { ...CONTEXT, ednsFlags: 0x8000 });
    await forwarder.resolve(QUESTION, { ...CONTEXT, flags: Flag.CHECKING_DISABLED });
    expect(queries.map(({ bytes }) => decodeMessage(bytes).edns?.flags)).toEqual([0, 0x8000, 0]);
    expect(queries.map(({ bytes }) => decodeMessage(bytes).flags & Flag.CHECKING_DISABLED)).toEqual([0, 0, 0x10]);
  });

  it('gives each question an id that cannot be guessed from the last', async () => {
    const { forwarder, queries } = new Upstreams(['192.0.2.1']);
    for (let index = 0; index < 20; index++) await forwarder.resolve({ ...QUESTION, name: `n${index}.` }, CONTEXT);
    const steps = queries.map(({ id }, index) => id - (queries[index - 1]?.id ?? 0));
    expect(new Set(steps).size).toBeGreaterThan(15);
  });

  it('asks the next server when one is silent, and passes it over after two failures until it answers again', async () => {
    const upstreams = new Upstreams(['192.0.2.1', '192.0.2.2']);
    const { forwarder, asked, behaviours, clock } = upstreams;
    behaviours.set('192.0.2.1:53', () => 'silent');
    for (const name of ['a.', 'b.'])
      expect(await upstreams.after(forwarder.resolve({ ...QUESTION, name }, CONTEXT), 2000)).toMatchObject({
        rcode: 0,
      });
    expect(forwarder.upstreams.map(({ isDown }) => isDown)).toEqual([true, false]);
    asked.length = 0;

    await forwarder.resolve({ ...QUESTION, name: 'c.' }, CONTEXT);
    expect(asked).toEqual(['udp 192.0.2.2:53 c.']);

    behaviours.clear();
    await clock.advance(600); // a probe
    await settle();
    expect(forwarder.upstreams.map(({ isDown }) => isDown)).toEqual([false, false]);
    await forwarder.resolve({ ...QUESTION, name: 'd.' }, CONTEXT);
    expect(asked.at(-1)).toBe('udp 192.0.2.1:53 d.');
  });

  it('fails after five seconds when all servers are silent, keeps nothing, and works again with the first answer', async () => {
    const upstreams = new Upstreams(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']);
    const { forwarder, behaviours } = upstreams;
    for (const name of ['192.0.2.1:53', '192.0.2.2:53', '192.0.2.3:53', '192.0.2.4:53'])
      behaviours.set(name, () => 'silent');
    const asked = forwarder.resolve(QUESTION, CONTEXT);
    expect(await upstreams.after(asked, 4999)).toBe('waits');
    expect(await upstreams.after(asked, 1)).toMatchObject({ rcode: Rcode.SERVFAIL });
    behaviours.clear();
    expect(await forwarder.resolve(QUESTION, CONTEXT)).toMatchObject({ rcode: Rcode.NOERROR });
  });

  it('asks again over TCP when an answer does not fit', async () => {
    const { forwarder, asked, behaviours } = new Upstreams(['192.0.2.1']);
    behaviours.set('192.0.2.1:53', (_, transport) =>
      transport === 'udp' ? { flags: Flag.RESPONSE | Flag.TRUNCATED, answers: [] } : undefined,
    );
    expect((await forwarder.resolve(QUESTION, CONTEXT)).answers.length).toBe(1);
    expect(asked).toEqual(['udp 192.0.2.1:53 www.example.org.', 'tcp 192.0.2.1:53 www.example.org.']);
  });

  it('asks a server that does not know EDNS without it', async () => {
    const { forwarder, queries, behaviours } = new Upstreams(['192.0.2.1']);
    behaviours.set('192.0.2.1:53', ({ bytes }) =>
      decodeMessage(bytes).edns === undefined ? undefined : { flags: Flag.RESPONSE | Rcode.FORMERR, edns: undefined },
    );
    expect(await forwarder.resolve(QUESTION, CONTEXT)).toMatchObject({ rcode: Rcode.NOERROR });
    expect(queries.length).toBe(2);
  });

  it('asks another server when one refuses', async () => {
    const { forwarder, behaviours } = new Upstreams(['192.0.2.1', '192.0.2.2']);
    behaviours.set('192.0.2.1:53', () => ({ flags: Flag.RESPONSE | Rcode.REFUSED, answers: [] }));
    expect(await forwarder.resolve(QUESTION, CONTEXT)).toMatchObject({ rcode: Rcode.NOERROR });
  });

  it('refuses what is too much: in all, and of one client', async () => {
    const { forwarder, behaviours } = new Upstreams(['192.0.2.1'], { maxConcurrent: 5, maxPerClient: 3 });
    behaviours.set('192.0.2.1:53', () => 'silent');
    const ask = (index: number, client: string) =>
      forwarder.resolve({ ...QUESTION, name: `n${index}.` }, { ...CONTEXT, client });
    for (let index = 0; index < 3; index++) expect(ask(index, '10.0.0.1')).toBeInstanceOf(Promise);
    expect(ask(3, '10.0.0.1')).toMatchObject({ rcode: Rcode.REFUSED });
    expect(ask(0, '10.0.0.1')).toMatchObject({ rcode: Rcode.REFUSED }); // also for an answer that is on its way
    for (let index = 3; index < 5; index++) expect(ask(index, '10.0.0.2')).toBeInstanceOf(Promise);
    expect(ask(5, '10.0.0.3')).toMatchObject({ rcode: Rcode.REFUSED });
    expect(ask(4, '10.0.0.3')).toBeInstanceOf(Promise);
  });
});

describe('Forwarder.run()', () => {
  it('finds a server that sends questions back here, and never asks it again', async () => {
    const { forwarder, asked, behaviours } = new Upstreams(['192.0.2.1', '192.0.2.2']);
    const noticed: boolean[] = [];
    behaviours.set('192.0.2.1:53', ({ question }) => {
      noticed.push(forwarder.noticeLoop({ ...question, name: question.name.toUpperCase() }));
      return 'silent';
    });
    const stop = new AbortController();
    const running = forwarder.run(stop.signal);
    await settle();
    expect(noticed).toEqual([true]);
    expect(forwarder.upstreams.map(({ isLoop }) => isLoop)).toEqual([true, false]);
    asked.length = 0;
    await forwarder.resolve(QUESTION, CONTEXT);
    expect(asked).toEqual(['udp 192.0.2.2:53 www.example.org.']);
    expect(forwarder.noticeLoop({ ...QUESTION, type: RecordType.HINFO })).toBe(false);
    stop.abort();
    await running;
  });
});
