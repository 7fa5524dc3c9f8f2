import { networkInterfaces } from 'node:os';
import {
  type Clock,
  type Logger,
  MetricRegistry,
  type Random,
  type Runnable,
  runTogether,
} from '../../../base/index.ts';
import type { Client } from '../../../client/index.ts';
import { ForwardMetrics } from '../forward/forward-metrics.ts';
import { Forwarder } from '../forward/forwarder.ts';
import { ResponseCache, type ResponseCacheOptions } from '../forward/response-cache.ts';
import type { UpstreamAddress } from '../forward/upstream-address.ts';
import { ClusterZone } from '../zone/cluster-zone.ts';
import { ZoneSource } from '../zone/zone-source.ts';
import { ClientNetworks } from './client-networks.ts';
import { DnsMetrics } from './dns-metrics.ts';
import { HealthPages } from './health-pages.ts';
import { QueryHandler } from './query-handler.ts';
import { type TcpLimits, TcpPort } from './tcp-port.ts';
import { UdpPort } from './udp-port.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface DnsServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Where questions are answered, over UDP and TCP. Port 0 takes any free one. */
  readonly listen: readonly ListenAddress[];
  /** The cluster's domain, absolute; default `cluster.local.`. */
  readonly domain?: string;
  /** Zones of the reverse tree; default all of it. */
  readonly reverseZones?: readonly string[];
  /** Seconds that resolvers may keep answers about the cluster; default 5. */
  readonly ttl?: number;
  /** Whether the order of addresses changes from answer to answer; default true. */
  readonly isShuffling?: boolean;
  /** Servers for all other names; default there is none, and such questions are refused. */
  readonly upstreams?: readonly UpstreamAddress[];
  /** Networks and addresses whose clients may ask about other names, besides loopback and the cluster's nodes with their pods. */
  readonly allowed?: readonly string[];
  readonly cache?: ResponseCacheOptions;
  readonly maxConcurrentForwards?: number;
  readonly tcp?: TcpLimits;
  /** Where health, readiness and metrics are served; default nowhere. */
  readonly pages?: readonly ListenAddress[];
  readonly metrics?: MetricRegistry;
}

const DEFAULT_DOMAIN = 'cluster.local.';
const REVERSE_ZONES = ['in-addr.arpa.', 'ip6.arpa.'];
const PORT_TRIES = 8;
const LOOK_EVERY_MS = 10_000;

/**
 * A DNS server for the names of a cluster, and for others with the help of upstream servers.
 *
 * Guarantees: clients outside of the allowed networks get answers about the cluster's names and nothing else.
 */
export class DnsServer implements Runnable, AsyncDisposable {
  readonly metrics: MetricRegistry;
  readonly source: ZoneSource;
  readonly forwarder: Forwarder | undefined;
  readonly #ports: { readonly address: ListenAddress; readonly udp: UdpPort; readonly tcp: TcpPort }[] = [];
  readonly #pages: HealthPages[] = [];
  readonly #handler: QueryHandler;
  readonly #options: DnsServerOptions;
  readonly #following: Runnable;
  #ownAddresses: { readonly addresses: readonly string[]; readonly atMs: number } | undefined;

  /** Opens all ports. Questions about the cluster are answered with SERVFAIL until `run` has read its objects. */
  static async open(client: Client, options: DnsServerOptions): Promise<DnsServer> {
    const server = new DnsServer(client, options);
    try {
      for (const address of options.listen) await server.#listen(address);
      for (const { host, port } of options.pages ?? [])
        server.#pages.push(
          await HealthPages.open(host, port, { notReady: () => server.#notReady(), metrics: server.metrics }),
        );
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(client: Client, options: DnsServerOptions) {
    const { clock, random, log, upstreams = [], domain = DEFAULT_DOMAIN, reverseZones = REVERSE_ZONES } = options;
    this.#options = options;
    this.metrics = options.metrics ?? new MetricRegistry();
    this.source = new ZoneSource(client, { clock, random, log });
    const zone = new ClusterZone(this.source, {
      zones: [domain, ...reverseZones],
      ttl: options.ttl,
      serverAddresses: () => this.#serverAddresses(),
      random: options.isShuffling === false ? undefined : random,
    });
    const server = `dns://${options.listen.map(({ host, port }) => `${host}:${port}`).join(',')}`;
    this.forwarder = upstreams.length === 0 ? undefined : this.#forwarderTo(upstreams, server);
    const networks = new ClientNetworks(options.allowed ?? []);
    this.#following = networks.following(client, { clock, random, log });
    this.#handler = new QueryHandler({
      zone,
      resolver: this.forwarder,
      mayForward: (address) => networks.has(address),
      metrics: new DnsMetrics(this.metrics, { clock, server }),
      log,
    });
  }

  /** Where questions are answered, with the actual ports. */
  get addresses(): readonly ListenAddress[] {
    return this.#ports.map(({ address }) => address);
  }

  get pagePorts(): readonly number[] {
    return this.#pages.map(({ port }) => port);
  }

  /** Whether the zone is complete. */
  get isReady(): boolean {
    return this.source.isSynced;
  }

  /** Follows the cluster, and looks after upstream servers, until the signal aborts. The ports stay open. */
  async run(signal: AbortSignal): Promise<void> {
    const forwarding = this.forwarder === undefined ? [] : [this.forwarder];
    await runTogether([this.source, ...forwarding, this.#following], signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ports = this.#ports.flatMap(({ udp, tcp }) => [udp, tcp]);
    await Promise.all([...ports, ...this.#pages].map((port) => port.close()));
  }

  #notReady(): readonly string[] {
    return this.isReady ? [] : ['kubernetes'];
  }

  #forwarderTo(upstreams: readonly UpstreamAddress[], server: string): Forwarder {
    const { clock, random, log, maxConcurrentForwards } = this.#options;
    const cache = new ResponseCache(this.#options.cache);
    const metrics = new ForwardMetrics(this.metrics, { cache, server });
    return new Forwarder({ upstreams, cache, metrics, clock, random, log, maxConcurrent: maxConcurrentForwards });
  }

  /** Both protocols on one port. A free port for UDP may be taken for TCP: then another one is tried. */
  async #listen({ host, port }: ListenAddress): Promise<void> {
    const { clock, log, tcp: limits } = this.#options;
    const handler = this.#handler;
    for (let attempt = 1; ; attempt++) {
      const udp = await UdpPort.open(host, port, { handler, log });
      const address = { host, port: udp.address.port };
      try {
        const tcp = await TcpPort.open(host, address.port, { handler, clock, log, limits });
        this.#ports.push({ address, udp, tcp });
        return;
      } catch (error) {
        await udp.close();
        if (port !== 0 || attempt === PORT_TRIES) throw error;
      }
    }
  }

  /** What the NS records of the zone lead to: where it listens, without loopback. Interfaces are looked at now and then. */
  #serverAddresses(): readonly string[] {
    const nowMs = this.#options.clock.monotonic();
    if (this.#ownAddresses === undefined || nowMs - this.#ownAddresses.atMs > LOOK_EVERY_MS)
      this.#ownAddresses = { addresses: reachable(this.#options.listen), atMs: nowMs };
    return this.#ownAddresses.addresses;
  }
}

function reachable(listen: readonly ListenAddress[]): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const hosts = listen.flatMap(({ host }) => {
    if (host !== '0.0.0.0' && host !== '::') return [host];
    return all.filter(({ family }) => (family === 'IPv6') === (host === '::')).map(({ address }) => address);
  });
  return [...new Set(hosts)].filter((host) => !host.startsWith('127.') && host !== '::1');
}
