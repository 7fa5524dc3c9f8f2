import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { discardLogger, MetricRegistry, VirtualClock } from '../../../src/base/index.ts';
import type { EndpointSlice, Namespace, Observed, Service } from '../../../src/client/index.ts';
import { DnsMetrics } from '../../../src/network/dns/server/dns-metrics.ts';
import { QueryHandler } from '../../../src/network/dns/server/query-handler.ts';
import { ClusterRecords } from '../../../src/network/dns/zone/cluster-records.ts';
import { ClusterZone } from '../../../src/network/dns/zone/cluster-zone.ts';
import { answerText } from './answer-text.ts';
import { whyDifferent } from './known-differences.ts';
import type { Asked } from './questions.ts';

interface Corpus {
  readonly server: string;
  readonly namespaces: readonly Observed<Namespace>[];
  readonly services: readonly Observed<Service>[];
  readonly slices: readonly Observed<EndpointSlice>[];
  readonly answers: readonly { readonly asked: Asked; readonly answer: readonly string[] }[];
}

const corpus = JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, 'corpus.json.gz'))).toString()) as Corpus;

function handlerOf({ server, namespaces, services, slices }: Corpus): QueryHandler {
  const records = new ClusterRecords();
  for (const slice of slices) records.sliceTarget().set(slice);
  for (const service of services) records.serviceTarget().set(service);
  for (const namespace of namespaces) records.namespaceTarget().set(namespace);
  const zone = new ClusterZone(
    { records, isSynced: true, serial: 1 },
    { zones: ['cluster.local.', 'in-addr.arpa.', 'ip6.arpa.'], serverAddresses: () => [server] },
  );
  const metrics = new DnsMetrics(new MetricRegistry(), { clock: new VirtualClock(), server: 'dns://:53' });
  return new QueryHandler({ zone, mayForward: () => true, metrics, log: discardLogger });
}

describe('answers recorded from CoreDNS 1.14.7', () => {
  const handler = handlerOf(corpus);

  it('are more than 2,000, and of all sorts', () => {
    const heads = corpus.answers.map(({ answer }) => answer[0] ?? '');
    expect(heads.length).toBeGreaterThan(2000);
    for (const rcode of ['rcode 0', 'rcode 1', 'rcode 3', 'rcode 4', 'rcode 5', 'no answer', 'TRUNCATED'])
      expect(heads.filter((head) => head.includes(rcode)).length).toBeGreaterThan(0);
  });

  it('are ours, but for those that are known to differ', async () => {
    const found: unknown[] = [];
    for (const { asked, answer } of corpus.answers) {
      const client = { address: corpus.server, transport: asked.transport };
      const ours = answerText(await handler.handle(Buffer.from(asked.packet, 'base64'), client));
      const isSame = ours.join('\n') === answer.join('\n');
      if (isSame === (whyDifferent(asked.label) === undefined)) continue;
      found.push({ label: asked.label, theirs: answer, ours });
    }
    expect(found).toEqual([]);
  });
});
