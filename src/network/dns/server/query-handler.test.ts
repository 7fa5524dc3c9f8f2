import { assert, property, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { discardLogger, MetricRegistry, VirtualClock } from '../../../base/index.ts';
import {
  decodeMessage,
  DNSSEC_OK,
  Flag,
  type Message,
  Rcode,
  RCODE_MASK,
  RecordType,
} from '../../../wire/dns/index.ts';
import type { Forwarded, Resolver } from '../forward/resolver.ts';
import { questionBytes } from '../testing/dns-client.ts';
import { service, slice, someRecords } from '../testing/dns-objects.ts';
import { ClusterZone } from '../zone/cluster-zone.ts';
import { ClientNetworks } from './client-networks.ts';
import { DnsMetrics } from './dns-metrics.ts';
import { QueryHandler } from './query-handler.ts';

const POD = { address: '10.244.0.1', transport: 'udp' } as const;
const STRANGER = { address: '198.51.100.1', transport: 'udp' } as const;
const ALIAS = 'docs.default.svc.cluster.local.';

/** Answers everything with one address. */
class OneAddress implements Resolver {
  readonly asked: string[] = [];

  resolve(question: { readonly name: string }): Promise<Forwarded> {
    this.asked.push(question.name);
    const record = { name: question.name, type: RecordType.A, class: 1, ttl: 60, data: Uint8Array.of(192, 0, 2, 1) };
    const flags = Flag.RECURSION_AVAILABLE | Flag.AUTHENTIC_DATA;
    return Promise.resolve({ flags, rcode: 0, answers: [record], authorities: [], additionals: [], source: 'forward' });
  }

  noticeLoop({ name }: { readonly name: string }): boolean {
    return name === 'loop.';
  }
}

function handlerOf({
  resolver,
  records = someRecords(),
}: { resolver?: Resolver; records?: ReturnType<typeof someRecords> } = {}) {
  const zones = ['cluster.local.', 'in-addr.arpa.', 'ip6.arpa.'];
  const zone = new ClusterZone({ records, isSynced: true, serial: 1 }, { zones });
  const networks = new ClientNetworks(['10.244.0.0/16']);
  const registry = new MetricRegistry();
  const metrics = new DnsMetrics(registry, { clock: new VirtualClock(), server: 'dns://:53' });
  const handler = new QueryHandler({
    zone,
    resolver,
    mayForward: (address) => networks.has(address),
    metrics,
    log: discardLogger,
  });
  const ask = async (bytes: Uint8Array, client: Parameters<QueryHandler['handle']>[1] = POD): Promise<Message> => {
    const answer = await handler.handle(bytes, client);
    if (answer === undefined) throw new Error('no answer');
    return decodeMessage(answer);
  };
  return { handler, ask, registry };
}

const rcode = ({ flags }: Message): number => flags & RCODE_MASK;

describe('QueryHandler', () => {
  it('resolves other names for clients of the cluster, and for no others', async () => {
    const resolver = new OneAddress();
    const { ask } = handlerOf({ resolver });
    const question = questionBytes('www.example.org.', RecordType.A);
    expect((await ask(question)).answers.length).toBe(1);
    expect(rcode(await ask(question, STRANGER))).toBe(Rcode.REFUSED);
    expect(rcode(await ask(question, { ...STRANGER, transport: 'tcp' }))).toBe(Rcode.REFUSED);
    expect(resolver.asked).toEqual(['www.example.org.']);
  });

  it('completes an alias with the addresses of its target, for clients of the cluster', async () => {
    const resolver = new OneAddress();
    const { ask } = handlerOf({ resolver });
    const question = questionBytes(ALIAS, RecordType.A);
    expect((await ask(question)).answers.map(({ name }) => name)).toEqual([ALIAS, 'www.example.org.']);
    const received = await ask(question, STRANGER);
    expect(received.answers.map(({ name }) => name)).toEqual([ALIAS]);
    expect(rcode(received)).toBe(Rcode.NOERROR);
    expect(resolver.asked).toEqual(['www.example.org.']);
  });

  it("asks others about addresses that are not the cluster's, and answers for those that are", async () => {
    const resolver = new OneAddress();
    const { ask } = handlerOf({ resolver });
    await ask(questionBytes('1.1.96.10.in-addr.arpa.', RecordType.PTR));
    expect(resolver.asked).toEqual([]);
    await ask(questionBytes('8.8.8.8.in-addr.arpa.', RecordType.PTR));
    expect(resolver.asked).toEqual(['8.8.8.8.in-addr.arpa.']);
    expect(rcode(await ask(questionBytes('8.8.8.8.in-addr.arpa.', RecordType.PTR), STRANGER))).toBe(Rcode.NXDOMAIN);
  });

  it('does not answer a question that it has made up itself', async () => {
    const { ask } = handlerOf({ resolver: new OneAddress() });
    expect(rcode(await ask(questionBytes('loop.', RecordType.HINFO)))).toBe(Rcode.SERVFAIL);
  });

  it('says that data is authentic only to clients that have asked', async () => {
    const { ask } = handlerOf({ resolver: new OneAddress() });
    const edns = { udpBytes: 1232, extendedRcode: 0, version: 0, flags: DNSSEC_OK, options: [] };
    const isAuthentic = async (parts: Partial<Message>): Promise<boolean> =>
      ((await ask(questionBytes('a.', RecordType.A, parts))).flags & Flag.AUTHENTIC_DATA) !== 0;
    expect(await isAuthentic({})).toBe(false);
    expect(await isAuthentic({ edns })).toBe(true);
    expect(await isAuthentic({ flags: Flag.RECURSION_DESIRED | Flag.AUTHENTIC_DATA })).toBe(true);
  });

  it('sends strangers no more than 512 bytes over UDP', async () => {
    const records = someRecords();
    const endpoints = Array.from({ length: 200 }, (_, index) => ({ addresses: [`10.244.9.${index + 1}`] }));
    records.serviceTarget().set(service('many.default', { clusterIP: 'None' }));
    records.sliceTarget().set(slice('many-1', 'many.default', { endpoints }));
    const { handler } = handlerOf({ records });
    const edns = { udpBytes: 65_535, extendedRcode: 0, version: 0, flags: 0, options: [] };
    const question = questionBytes('many.default.svc.cluster.local.', RecordType.A, { edns });
    const size = (client: Parameters<QueryHandler['handle']>[1]): number =>
      (handler.handle(question, client) as Buffer).length;
    expect(size(POD)).toBeGreaterThan(3000);
    expect(size({ ...STRANGER, transport: 'tcp' })).toBeGreaterThan(3000);
    expect(size(STRANGER)).toBeLessThanOrEqual(512);
  });

  it('survives whatever bytes come, and never answers with more than one message', () => {
    const { handler } = handlerOf({ resolver: new OneAddress() });
    assert(
      property(uint8Array({ maxLength: 80 }), (bytes) => {
        const answer = handler.handle(bytes, POD);
        if (answer instanceof Promise || answer === undefined) return;
        decodeMessage(answer);
      }),
      { numRuns: 3000 },
    );
  });

  it("counts questions and answers under CoreDNS' names", async () => {
    const { ask, registry } = handlerOf();
    await ask(questionBytes('web.default.svc.cluster.local.', RecordType.A));
    await ask(questionBytes('missing.default.svc.cluster.local.', RecordType.AAAA));
    await ask(Buffer.alloc(12));
    const text = registry.expose();
    for (const line of [
      'coredns_dns_requests_total{family="1",proto="udp",server="dns://:53",type="A",view="",zone="cluster.local."} 1',
      'coredns_dns_responses_total{plugin="kubernetes",rcode="NXDOMAIN",server="dns://:53",view="",zone="cluster.local."} 1',
      'coredns_dns_responses_total{plugin="",rcode="FORMERR",server="dns://:53",view="",zone="dropped"} 1',
    ])
      expect(text).toContain(line);
  });
});

describe('ClientNetworks', () => {
  it('has loopback, and the networks and addresses that are given, of both families', () => {
    const networks = new ClientNetworks(['10.244.0.0/16', 'fd00:244::/64', '192.0.2.7']);
    for (const address of ['127.0.0.1', '::1', '10.244.3.4', '::ffff:10.244.3.4', 'fd00:244::9', '192.0.2.7'])
      expect(networks.has(address)).toBe(true);
    for (const address of ['10.245.0.1', 'fd00:245::1', '192.0.2.8', '::ffff:10.245.0.1', 'fe80::1%eth0', '', 'x'])
      expect(networks.has(address)).toBe(false);
  });

  it('refuses text that is no network', () => {
    expect(() => new ClientNetworks(['anywhere'])).toThrow('Cannot allow "anywhere"');
  });
});
