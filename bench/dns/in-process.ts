// What an answer costs without a network: from the bytes of a question to those of its answer, in processor time.
import { CryptoRandom, discardLogger, MetricRegistry, RealClock } from '../../src/base/index.ts';
import type { EndpointSlice, Namespace, Observed, Service } from '../../src/client/index.ts';
import { DnsMetrics } from '../../src/network/dns/server/dns-metrics.ts';
import { QueryHandler } from '../../src/network/dns/server/query-handler.ts';
import { ClusterRecords } from '../../src/network/dns/zone/cluster-records.ts';
import { ClusterZone } from '../../src/network/dns/zone/cluster-zone.ts';
import { Flag, MessageEncoder, RecordClass, RecordType } from '../../src/wire/dns/index.ts';

export interface AnswerCost {
  readonly question: string;
  readonly nanoseconds: number;
}

const SERVICES = 10_000;
const ENDPOINTS = 10;
const META = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const CLIENT = { address: '127.0.0.1', transport: 'udp' } as const;

/** Processor time of one answer, by kind of question. */
export function measureAnswers(times: number): readonly AnswerCost[] {
  const handler = handlerOf(filled());
  const name = (index: number, prefix = 'svc'): string => `${prefix}-${index % SERVICES}.default.svc.cluster.local.`;
  const kinds: Readonly<Record<string, (index: number) => readonly [string, number]>> = {
    'A of a service': (index) => [name(index), RecordType.A],
    'A of a headless service, 10 addresses': (index) => [name(index % 100, 'headless'), RecordType.A],
    'SRV of a port': (index) => [`_http._tcp.${name(index)}`, RecordType.SRV],
    'a name that does not exist': (index) => [name(index, 'missing'), RecordType.A],
    'PTR of an address': (index) => [
      `${index % 250}.${Math.floor((index % SERVICES) / 250)}.96.10.in-addr.arpa.`,
      RecordType.PTR,
    ],
  };
  return Object.entries(kinds).map(([question, make]) => {
    const packets = Array.from({ length: SERVICES }, (_, index) => packet(...make(index)));
    run(handler, packets, times / 5);
    const start = process.cpuUsage();
    run(handler, packets, times);
    const { user, system } = process.cpuUsage(start);
    return { question, nanoseconds: ((user + system) * 1000) / times };
  });
}

function run(handler: QueryHandler, packets: readonly Buffer[], times: number): void {
  for (let index = 0; index < times; index++) void handler.handle(packets[index % packets.length] as Buffer, CLIENT);
}

const encoder = new MessageEncoder();

function packet(name: string, type: number): Buffer {
  const edns = { udpBytes: 1232, extendedRcode: 0, version: 0, flags: 0, options: [] };
  const empty = { answers: [], authorities: [], additionals: [] };
  return encoder.encode({
    id: 1,
    flags: Flag.RECURSION_DESIRED,
    questions: [{ name, type, class: RecordClass.IN }],
    ...empty,
    edns,
  });
}

function filled(): ClusterRecords {
  const records = new ClusterRecords();
  const namespace: Observed<Namespace> = {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { ...META, name: 'default' },
  };
  records.namespaceTarget().set(namespace);
  const service = (name: string, clusterIP: string): Observed<Service> => ({
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { ...META, name, namespace: 'default' },
    spec: { clusterIP, ports: [{ name: 'http', port: 80, protocol: 'TCP' }] },
  });
  for (let index = 0; index < SERVICES; index++)
    records.serviceTarget().set(service(`svc-${index}`, `10.96.${Math.floor(index / 250)}.${index % 250}`));
  for (let index = 0; index < 100; index++) {
    records.serviceTarget().set(service(`headless-${index}`, 'None'));
    const slice: Observed<EndpointSlice> = {
      kind: 'EndpointSlice',
      apiVersion: 'discovery.k8s.io/v1',
      metadata: {
        ...META,
        name: `s${index}`,
        namespace: 'default',
        labels: { 'kubernetes.io/service-name': `headless-${index}` },
      },
      addressType: 'IPv4',
      endpoints: Array.from({ length: ENDPOINTS }, (_, at) => ({ addresses: [`10.244.${index}.${at + 1}`] })),
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    };
    records.sliceTarget().set(slice);
  }
  return records;
}

function handlerOf(records: ClusterRecords): QueryHandler {
  const zone = new ClusterZone(
    { records, isSynced: true, serial: 1 },
    { zones: ['cluster.local.', 'in-addr.arpa.', 'ip6.arpa.'], random: new CryptoRandom() },
  );
  const metrics = new DnsMetrics(new MetricRegistry(), { clock: new RealClock(), server: 'dns://:53' });
  return new QueryHandler({ zone, mayForward: () => true, metrics, log: discardLogger });
}
