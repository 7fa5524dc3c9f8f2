import { expect, it } from 'vitest';
import { SeededRandom } from '../../../base/index.ts';
import { Rcode, RecordClass, RecordType } from '../../../wire/dns/index.ts';
import { namespace, service, slice, someRecords } from '../testing/dns-objects.ts';
import { ClusterZone, type ClusterZoneOptions, type ZoneOutcome } from './cluster-zone.ts';

// What CoreDNS answers to all sorts of questions is recorded in test/interop/dns; here is what that cannot show.

const ZONES = ['cluster.local.', 'in-addr.arpa.', 'ip6.arpa.'];

function zoneOf(records = someRecords(), options: Partial<ClusterZoneOptions> & { isSynced?: boolean } = {}) {
  const zone = new ClusterZone(
    { records, isSynced: options.isSynced ?? true, serial: 7 },
    { zones: ZONES, ...options },
  );
  return (name: string, type: number): ZoneOutcome | undefined => zone.answer({ name, type, class: RecordClass.IN });
}

function addresses(outcome: ZoneOutcome | undefined): readonly string[] {
  return (outcome?.answers ?? []).map(({ data }) => (data instanceof Uint8Array ? data.join('.') : ''));
}

function rcode(outcome: ZoneOutcome | undefined): number | undefined {
  return outcome?.type === 'answer' ? outcome.rcode : undefined;
}

it('a zone fails, and denies nothing, until its records are complete', () => {
  const ask = zoneOf(someRecords(), { isSynced: false });
  for (const name of [
    'web.default.svc.cluster.local.',
    'missing.default.svc.cluster.local.',
    '1.1.96.10.in-addr.arpa.',
  ])
    expect(rcode(ask(name, RecordType.A))).toBe(Rcode.SERVFAIL);
});

it('a zone knows nothing of other names', () => {
  const ask = zoneOf();
  expect(ask('www.example.org.', RecordType.A)).toBeUndefined();
  expect(ask('mycluster.local.', RecordType.A)).toBeUndefined();
});

it('an alias of a name outside of the zone leaves its target to others', () => {
  expect(zoneOf()('docs.default.svc.cluster.local.', RecordType.A)).toMatchObject({
    type: 'alias',
    target: 'www.example.org.',
    answers: [{ name: 'docs.default.svc.cluster.local.', data: { kind: 'name', target: 'www.example.org.' } }],
  });
});

it('addresses change their order from answer to answer, and are always the same', () => {
  const ask = zoneOf(someRecords(), { random: new SeededRandom(1) });
  const seen = Array.from({ length: 20 }, () => addresses(ask('db.default.svc.cluster.local.', RecordType.A)));
  expect(new Set(seen.map((each) => each.join())).size).toBe(2);
  for (const each of seen) expect(each.toSorted()).toEqual(['10.244.0.1', '10.244.0.2']);
});

it('the ttl is that of all records, and at most five minutes for the zone itself', () => {
  const ask = zoneOf(someRecords(), { ttl: 3000 });
  expect(ask('web.default.svc.cluster.local.', RecordType.A)?.answers[0]?.ttl).toBe(3000);
  const denial = ask('missing.default.svc.cluster.local.', RecordType.A);
  const soa = denial?.type === 'answer' ? denial.authorities[0] : undefined;
  expect(soa).toMatchObject({ ttl: 300, data: { minimum: 3000, serial: 7 } });
});

it('without a service that leads to the server, its addresses are those of the zone', () => {
  const ask = zoneOf(someRecords(), { serverAddresses: () => ['192.0.2.1', '2001:db8::1'] });
  expect(ask('cluster.local.', RecordType.NS)).toMatchObject({
    answers: [{ name: 'cluster.local.', data: { target: 'ns.dns.cluster.local.' } }],
    additionals: [{ name: 'ns.dns.cluster.local.' }, { name: 'ns.dns.cluster.local.' }],
  });
  expect(addresses(ask('ns.dns.cluster.local.', RecordType.A))).toEqual(['192.0.2.1']);
});

it('records follow their objects', () => {
  const records = someRecords();
  const ask = zoneOf(records);
  const [services, slices] = [records.serviceTarget(), records.sliceTarget()];
  const ports = [{ name: 'pg', port: 5432, protocol: 'TCP' as const }];
  const name = 'db.default.svc.cluster.local.';

  slices.set(slice('db-1', 'db.default', { ports, endpoints: [{ addresses: ['10.244.0.9'] }] }));
  expect(addresses(ask(name, RecordType.A))).toEqual(['10.244.0.9']);
  expect(rcode(ask('1.0.244.10.in-addr.arpa.', RecordType.PTR))).toBe(Rcode.NXDOMAIN);
  expect(rcode(ask('9.0.244.10.in-addr.arpa.', RecordType.PTR))).toBe(Rcode.NOERROR);

  services.set(service('db.default', { clusterIP: '10.96.1.2', ports: [{ port: 1 }] }));
  expect(addresses(ask(name, RecordType.A))).toEqual(['10.96.1.2']);

  services.delete({ metadata: { name: 'db', namespace: 'default' } });
  expect(rcode(ask(name, RecordType.A))).toBe(Rcode.NXDOMAIN);
  expect(rcode(ask('2.1.96.10.in-addr.arpa.', RecordType.PTR))).toBe(Rcode.NXDOMAIN);

  services.set(service('db.default', { clusterIP: 'None' })); // its slice is still there
  expect(addresses(ask(name, RecordType.A))).toEqual(['10.244.0.9']);

  slices.delete({ metadata: { name: 'db-1', namespace: 'default' } });
  expect(rcode(ask(name, RecordType.A))).toBe(Rcode.NXDOMAIN);

  records.namespaceTarget().delete(namespace('default'));
  expect(rcode(ask('web.default.svc.cluster.local.', RecordType.A))).toBe(Rcode.NXDOMAIN);
});

it('a slice that moves to another service leaves the first', () => {
  const records = someRecords();
  const ask = zoneOf(records);
  records.serviceTarget().set(service('new.default', { clusterIP: 'None' }));
  records.sliceTarget().set(slice('db-1', 'new.default', { endpoints: [{ addresses: ['10.244.0.1'] }] }));

  expect(addresses(ask('new.default.svc.cluster.local.', RecordType.A))).toEqual(['10.244.0.1']);
  expect(rcode(ask('db.default.svc.cluster.local.', RecordType.A))).toBe(Rcode.NXDOMAIN);
});

it('an address that moves from one service to another has the new name', () => {
  const records = someRecords();
  const ask = zoneOf(records);
  records.serviceTarget().set(service('next.default', { clusterIP: '10.96.1.1', ports: [{ port: 1 }] }));
  records.serviceTarget().delete({ metadata: { name: 'web', namespace: 'default' } });

  const [answer] = ask('1.1.96.10.in-addr.arpa.', RecordType.PTR)?.answers ?? [];
  expect(answer?.data).toEqual({ kind: 'name', target: 'next.default.svc.cluster.local.' });
});
