import { hostname } from 'node:os';
import { runTogether } from '../../../base/index.ts';
import type { Part } from '../../../kit/index.ts';
import { nodeAddresses } from '../../../linux/index.ts';
import { DnsServer, type DnsServerOptions, formatUpstream, type ListenAddress } from '../../../network/index.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import type { ComposedProgram, ProgramBody, ProgramContext, StandaloneProgram, StandaloneTools } from '../program.ts';
import { clusterDnsServers, serviceRanges } from './cluster-dns-address.ts';
import { DnsService } from './dns-service.ts';
import { allowedNetworks, forwardChoice, listenAddress, zoneName } from './dns-settings.ts';
import { type DnsOptions, IDENTITY } from './options.ts';

/** The first port that is tried: 53 may be that of the machine's own resolver. */
const PREFERRED_PORT = 10_053;
const DEFAULT_LISTEN = ['127.0.0.1:53'];
const REVERSE_ZONES = ['in-addr.arpa', 'ip6.arpa'];

export const body: ProgramBody<DnsOptions> = {
  readFlags: dnsFlags,
  inCluster: dnsInCluster,
  standalone: standaloneDns,
};

/** What the flags of `keelson up` ask for. */
function dnsFlags(flags: FlagValues): DnsOptions {
  const isWanted = flags.isSet('dns') && flags.text('container-runtime-endpoint') !== undefined;
  const listen = flags.list('dns-listen');
  const [forward, allow] = [flags.list('dns-forward'), flags.list('dns-allow')];
  if (!isWanted) {
    const useless = ['dns-listen', 'dns-forward', 'dns-allow'].find((flag) => flags.has(flag));
    if (useless !== undefined)
      throw new FlagError(
        `--${useless} makes no sense without a DNS server: that needs --container-runtime-endpoint and --dns`,
      );
    return {};
  }
  for (const text of listen) listenAddress('dns-listen', text);
  const [serviceAddress = ''] = clusterDnsServers(flags);
  const ranges = [...serviceRanges(flags), ...flags.list('cluster-cidr'), ...flags.list('pod-cidr')];
  return { dns: { serviceAddress, listen, forward, allow: [...allowedNetworks('dns-allow', allow), ...ranges] } };
}

/** The server as a part of a cluster. */
function dnsInCluster({ options }: ProgramContext<DnsOptions>): ComposedProgram {
  const { dns, realNode } = options;
  if (dns === undefined || realNode === undefined) return { identity: IDENTITY, parts: [] };
  const domain = zoneName('kubelet-config', dns.domain ?? realNode.settings.clusterDomain);
  const part: Part = {
    name: 'dns',
    prepare: ({ client, clock, random, log, metrics }) => ({
      async run(signal) {
        const { upstreams, file } = await forwardChoice('dns-forward', dns.forward ?? []);
        const nodeIps = realNode.addresses ?? [];
        const addresses = await nodeAddresses({ nodeIps, hostname: realNode.name ?? hostname().toLowerCase() });
        const base = { clock, random, log, metrics, domain, ttl: dns.ttl, upstreams, allowed: dns.allow ?? [] };
        const listen = (dns.listen ?? []).map((text) => listenAddress('dns-listen', text));
        await using server =
          listen.length > 0
            ? await DnsServer.open(client, { ...base, listen })
            : await openOnNode(addresses, (own) => DnsServer.open(client, { ...base, listen: own }));
        log.info('DNS server is listening', {
          addresses: server.addresses.map(formatUpstream),
          upstreams: upstreams.map(formatUpstream),
          file,
        });
        const service = new DnsService(client, { clusterIP: dns.serviceAddress, addresses: server.addresses, log });
        await runTogether([server, service], signal);
      },
    }),
  };
  return { identity: IDENTITY, parts: [part] };
}

/** On the port that is preferred, or else on one that is free at all addresses. */
async function openOnNode(
  hosts: readonly string[],
  open: (listen: readonly ListenAddress[]) => Promise<DnsServer>,
): Promise<DnsServer> {
  const on = (port: number): readonly ListenAddress[] => hosts.map((host) => ({ host, port }));
  try {
    return await open(on(PREFERRED_PORT));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return open(on(0));
  }
}

/** `keelson dns`. */
async function standaloneDns(flags: FlagValues, { print }: StandaloneTools): Promise<StandaloneProgram> {
  const { upstreams, file } = await forwardChoice('forward', flags.list('forward'));
  const maxEntries = flags.integer('cache-entries', { min: 0, max: 10_000_000 });
  const settings: Omit<DnsServerOptions, 'clock' | 'random' | 'log'> = {
    listen: listed(flags, 'listen', DEFAULT_LISTEN).map((text) => listenAddress('listen', text)),
    domain: zoneName('cluster-domain', flags.text('cluster-domain') ?? ''),
    reverseZones: listed(flags, 'reverse-zones', REVERSE_ZONES).map((text) => zoneName('reverse-zones', text)),
    ttl: flags.integer('ttl', { min: 0, max: 3600 }),
    isShuffling: flags.isSet('load-balance'),
    upstreams,
    allowed: allowedNetworks('allow', flags.list('allow')),
    cache: { maxEntries },
    maxConcurrentForwards: flags.integer('max-concurrent', { min: 1, max: 100_000 }),
    pages: pagesOf(flags),
  };
  return {
    async run({ client, clock, random, log }, signal) {
      await using server = await DnsServer.open(client, { ...settings, clock, random, log });
      print(`answering DNS questions on ${server.addresses.map(formatUpstream).join(' and ')}`);
      const servers = upstreams.map(formatUpstream).join(', ');
      if (servers !== '') print(`other names are resolved by ${servers}${file === undefined ? '' : ` (${file})`}`);
      await server.run(signal);
    },
  };
}

function listed(flags: FlagValues, flag: string, otherwise: readonly string[]): readonly string[] {
  return flags.has(flag) ? flags.list(flag) : otherwise;
}

/** The same address may be named by several flags: its pages are the same. */
function pagesOf(flags: FlagValues): readonly ListenAddress[] {
  const named = ['health-address', 'ready-address', 'metrics-address'].flatMap((flag) => {
    const text = flags.text(flag);
    return text === undefined ? [] : [listenAddress(flag, text)];
  });
  const unique = new Map(named.map((address) => [formatUpstream(address), address]));
  return [...unique.values()];
}
