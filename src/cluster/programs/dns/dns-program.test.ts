import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../../../base/index.ts';
import { connectTo } from '../../../client/index.ts';
import { TestCluster } from '../../../client/testing/test-cluster.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import type { StandaloneTools } from '../program.ts';
import { clusterDnsAddress } from './cluster-dns-address.ts';
import { DnsService } from './dns-service.ts';
import { allowedNetworks, forwardChoice, listenAddress, zoneName } from './dns-settings.ts';
import { program } from './program.ts';

/** Flags of a command line that has only these; the others have their defaults. */
function flagsOf(given: Readonly<Record<string, string>>, definitions = program.flags.standalone ?? {}): FlagValues {
  const text = (name: string): string | undefined => given[name] ?? definitions[name]?.default?.toString();
  return {
    has: (name) => name in given,
    text,
    isSet: (name) => text(name) === 'true',
    list: (name) => (given[name] === undefined ? [] : given[name].split(',')),
    integer: (name) => (text(name) === undefined ? undefined : Number(text(name))),
  };
}

describe('flags', () => {
  it.each([
    ['10.0.0.2:53', { host: '10.0.0.2', port: 53 }],
    [':5353', { host: '0.0.0.0', port: 5353 }],
    ['[::1]:53', { host: '::1', port: 53 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ])('--listen %s', (text, expected) => {
    expect(listenAddress('listen', text)).toEqual(expected);
  });

  it.each(['10.0.0.2', '10.0.0.2:99999', 'host:53', '::1:53', ''])('--listen %j is refused', (text) => {
    expect(() => listenAddress('listen', text)).toThrow(FlagError);
  });

  it('a domain is made a zone; anything else is refused', () => {
    expect(zoneName('cluster-domain', 'Cluster.Local')).toBe('cluster.local.');
    expect(zoneName('cluster-domain', 'cluster.local.')).toBe('cluster.local.');
    for (const text of ['', '.', 'a..b', '-a', `${'a'.repeat(64)}.b`, 'a b'])
      expect(() => zoneName('cluster-domain', text)).toThrow(FlagError);
  });

  it('upstream servers are addresses, files that name them, or none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-dns-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'resolv.conf');
    await writeFile(file, 'nameserver 192.0.2.2\n');
    const choice = await forwardChoice('forward', ['192.0.2.1:5353', file]);
    expect(choice.upstreams).toEqual([
      { host: '192.0.2.1', port: 5353 },
      { host: '192.0.2.2', port: 53 },
    ]);
    expect(await forwardChoice('forward', ['none'])).toEqual({ upstreams: [] });
    await expect(forwardChoice('forward', ['dns.example.org'])).rejects.toThrow(FlagError);
    await expect(forwardChoice('forward', [join(folder, 'missing')])).rejects.toThrow('cannot read');
    await writeFile(file, '# none\n');
    await expect(forwardChoice('forward', [file])).rejects.toThrow('names no server');
  });

  it('--allow takes networks and addresses', () => {
    expect(allowedNetworks('allow', ['10.0.0.0/8', '::1'])).toEqual(['10.0.0.0/8', '::1']);
    expect(() => allowedNetworks('allow', ['all'])).toThrow(FlagError);
  });

  it('the tenth address of a range is that of DNS', () => {
    expect(clusterDnsAddress('10.96.0.0/16')).toBe('10.96.0.10');
    expect(clusterDnsAddress('fd00:10:96::/112')).toBe('fd00:10:96::a');
    expect(clusterDnsAddress('10.96.0.0/30')).toBeUndefined();
    expect(clusterDnsAddress('x')).toBeUndefined();
  });

  it('`keelson up` runs it for a real node, unless a flag says otherwise', async () => {
    const { readFlags } = await program.load();
    const definitions = program.flags.inCluster ?? {};
    const real = { 'container-runtime-endpoint': 'unix:///run/c.sock', 'service-cluster-ip-range': '10.96.0.0/16' };
    const tools = { clock: new RealClock() };
    const read = (given: Readonly<Record<string, string>>) => readFlags?.(flagsOf(given, definitions), tools);
    expect(read(real)).toMatchObject({ dns: { serviceAddress: '10.96.0.10', allow: ['10.96.0.0/16'] } });
    expect(read({ ...real, dns: 'false' })).toEqual({});
    expect(read({})).toEqual({});
    expect(() => read({ 'dns-listen': ':53' })).toThrow('makes no sense');
    expect(() => read({ ...real, 'dns-allow': 'x' })).toThrow(FlagError);
  });
});

describe('keelson dns', () => {
  it('answers questions about the cluster of a kubeconfig', async () => {
    const clock = new RealClock();
    await using cluster = await TestCluster.start({ clock });
    const { standalone } = await program.load();
    const printed: string[] = [];
    const stop = new AbortController();
    const tools: StandaloneTools = {
      clock,
      random: new CryptoRandom(),
      log: discardLogger,
      print: (text) => void printed.push(text),
      signal: stop.signal,
    };
    const prepared = await standalone?.(flagsOf({ listen: '127.0.0.1:0', forward: 'none' }), tools);
    await using client = connectTo(cluster.connection, { clock, random: cluster.random });
    const { connection } = cluster;
    const connected = {
      ...tools,
      client,
      connection,
      connectAs: () => client,
      election: false,
      serving: undefined,
    } as const;
    const running = prepared?.run(connected, stop.signal);
    while (printed.length === 0) await new Promise((resolve) => void setImmediate(resolve));
    expect(printed[0]).toMatch(/^answering DNS questions on 127\.0\.0\.1:\d+$/);
    stop.abort();
    await running;
  });
});

describe('DnsService', () => {
  const addresses = [{ host: '10.0.0.2', port: 10_053 }];

  it('creates the Service and leads it to where the server listens', async () => {
    await using cluster = await TestCluster.start();
    const client = cluster.client();
    const { signal } = new AbortController();
    await client.core.v1.namespaces.create({ metadata: { name: 'kube-system' } }).catch(() => undefined); // it may be there
    const options = { clusterIP: '10.96.0.10', log: discardLogger };
    await new DnsService(client, { ...options, addresses }).keep(signal);
    const service = await client.core.v1.services.namespace('kube-system').get('kube-dns');
    expect(service.spec).toMatchObject({ clusterIP: '10.96.0.10', ports: [{ port: 53 }, { port: 53 }] });
    const slices = client.discovery.v1.endpointslices.namespace('kube-system');
    const slice = await slices.get('kube-dns-keelson-ipv4');
    expect(slice).toMatchObject({
      endpoints: [{ addresses: ['10.0.0.2'] }],
      ports: [
        { name: 'dns', protocol: 'UDP', port: 10_053 },
        { name: 'dns-tcp', protocol: 'TCP', port: 10_053 },
      ],
    });

    await new DnsService(client, { ...options, addresses }).keep(signal); // nothing to do
    expect((await slices.get('kube-dns-keelson-ipv4')).metadata.resourceVersion).toBe(slice.metadata.resourceVersion);

    const moved = [{ host: '10.0.0.3', port: 20_053 }];
    await new DnsService(client, { ...options, addresses: moved }).keep(signal);
    expect(await slices.get('kube-dns-keelson-ipv4')).toMatchObject({ endpoints: [{ addresses: ['10.0.0.3'] }] });
  });

  it('leaves a Service alone that is not ours', async () => {
    await using cluster = await TestCluster.start();
    const client = cluster.client();
    await client.core.v1.namespaces.create({ metadata: { name: 'kube-system' } }).catch(() => undefined); // it may be there
    const services = client.core.v1.services.namespace('kube-system');
    const theirs = await services.create({
      metadata: { name: 'kube-dns' },
      spec: { clusterIP: '10.96.0.99', selector: { 'k8s-app': 'kube-dns' }, ports: [{ port: 53, protocol: 'UDP' }] },
    });
    await new DnsService(client, { clusterIP: '10.96.0.10', addresses, log: discardLogger }).keep(
      new AbortController().signal,
    );
    expect((await services.get('kube-dns')).metadata.resourceVersion).toBe(theirs.metadata.resourceVersion);
    expect((await client.discovery.v1.endpointslices.namespace('kube-system').list()).items).toEqual([]);
  });
});
