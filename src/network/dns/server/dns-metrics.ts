import { type Clock, type Counter, type Histogram, type MetricRegistry } from '../../../base/index.ts';
import { DNSSEC_OK, type Message, RecordType } from '../../../wire/dns/index.ts';
import { DURATION_BUCKETS, rcodeName } from '../metric-words.ts';

/** Who asks, and how. */
export interface QueryClient {
  readonly address: string;
  readonly transport: 'udp' | 'tcp';
}

/** One answered question. */
export interface Served {
  readonly client: QueryClient;
  readonly zone: string;
  /** CoreDNS' name of what has answered; empty for the server itself. */
  readonly source: '' | 'kubernetes' | 'forward' | 'cache';
  readonly rcode: number;
  readonly query: Message;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** As `now()` said. */
  readonly start: number;
}

const SIZE_BUCKETS = [0, 100, 200, 300, 400, 511, 1023, 2047, 4095, 8291, 16e3, 32e3, 48e3, 64e3];
/** The zone of messages that were not looked at any further. */
const DROPPED = 'dropped';

/** Types by name; all others are counted together. */
const TYPE_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries({ ...RecordType, RRSIG: 46, NSEC: 47, DNSKEY: 48, NSEC3: 50, SVCB: 64 })
    .filter(([name]) => name !== 'HINFO' && name !== 'OPT')
    .map(([name, number]) => [number, name]),
);

/** What was counted for one zone, transport and family, with its children at hand. */
interface ZoneFigures {
  readonly requestSize: Histogram;
  readonly responseSize: Histogram;
  readonly duration: Histogram;
  readonly withDnssec: Counter;
  /** By type. */
  readonly requests: Map<number, Counter>;
  /** By response code and source. */
  readonly responses: Map<string, Counter>;
}

/** Counts questions and answers under the names that CoreDNS has for them. */
export class DnsMetrics {
  readonly #clock: Clock;
  readonly #families: ReturnType<typeof familiesOf>;
  readonly #server: string;
  readonly #figures = new Map<string, Map<string, ZoneFigures>>();

  /** `server` is what the label of that name says: `dns://:53`. */
  constructor(registry: MetricRegistry, { clock, server }: { readonly clock: Clock; readonly server: string }) {
    this.#clock = clock;
    this.#families = registry.shared(familiesOf);
    this.#server = server;
  }

  /** The time from which an answer is measured. */
  now(): number {
    return this.#clock.monotonic();
  }

  served({ client, zone, source, rcode, query, requestBytes, responseBytes, start }: Served): void {
    const figures = this.#of(client, zone);
    const type = query.questions[0]?.type ?? 0;
    let requests = figures.requests.get(type);
    if (requests === undefined) {
      requests = this.#requests(client, zone, type);
      if (TYPE_NAMES.has(type)) figures.requests.set(type, requests);
    }
    requests.add();
    figures.requestSize.observe(requestBytes);
    figures.responseSize.observe(responseBytes);
    figures.duration.observe((this.#clock.monotonic() - start) / 1000);
    if (query.edns !== undefined && (query.edns.flags & DNSSEC_OK) !== 0) figures.withDnssec.add();
    this.#responses(figures, zone, rcode, source).add();
  }

  /** A message that was answered with an error before its question was read. */
  rejected(client: QueryClient, rcode: number): void {
    const figures = this.#of(client, DROPPED);
    this.#requests(client, DROPPED, -1).add();
    this.#responses(figures, DROPPED, rcode, '').add();
  }

  #of(client: QueryClient, zone: string): ZoneFigures {
    const { transport } = client;
    const kind = familyOf(client) === '2' ? (transport === 'udp' ? 'udp6' : 'tcp6') : transport;
    let zones = this.#figures.get(kind);
    if (zones === undefined) this.#figures.set(kind, (zones = new Map()));
    let figures = zones.get(zone);
    if (figures === undefined) {
      const labels = { server: this.#server, zone, view: '' };
      const { requestSize, responseSize, duration, withDnssec } = this.#families;
      figures = {
        requestSize: requestSize.with({ ...labels, proto: transport }),
        responseSize: responseSize.with({ ...labels, proto: transport }),
        duration: duration.with(labels),
        withDnssec: withDnssec.with(labels),
        requests: new Map(),
        responses: new Map(),
      };
      zones.set(zone, figures);
    }
    return figures;
  }

  #requests(client: QueryClient, zone: string, type: number): Counter {
    const name = TYPE_NAMES.get(type) ?? 'other';
    const labels = {
      server: this.#server,
      zone,
      view: '',
      proto: client.transport,
      family: familyOf(client),
      type: name,
    };
    return this.#families.requests.with(labels);
  }

  #responses({ responses }: ZoneFigures, zone: string, rcode: number, source: string): Counter {
    const key = `${rcode}${source}`;
    let counter = responses.get(key);
    if (counter === undefined) {
      const labels = { server: this.#server, zone, view: '', rcode: rcodeName(rcode), plugin: source };
      counter = this.#families.responses.with(labels);
      responses.set(key, counter);
    }
    return counter;
  }
}

/** 1 for IPv4, 2 for IPv6. */
function familyOf({ address }: QueryClient): '1' | '2' {
  return address.includes(':') && !address.includes('.') ? '2' : '1';
}

function familiesOf(registry: MetricRegistry) {
  const perZone = ['server', 'zone', 'view'] as const;
  return {
    requests: registry.counter({
      name: 'coredns_dns_requests_total',
      help: 'Questions, by zone, protocol, family and type.',
      labels: [...perZone, 'proto', 'family', 'type'],
    }),
    duration: registry.histogram({
      name: 'coredns_dns_request_duration_seconds',
      help: 'Time that answers took, by zone.',
      labels: perZone,
      buckets: DURATION_BUCKETS,
    }),
    requestSize: registry.histogram({
      name: 'coredns_dns_request_size_bytes',
      help: 'Size of questions, by zone and protocol.',
      labels: [...perZone, 'proto'],
      buckets: SIZE_BUCKETS,
    }),
    responseSize: registry.histogram({
      name: 'coredns_dns_response_size_bytes',
      help: 'Size of answers, by zone and protocol.',
      labels: [...perZone, 'proto'],
      buckets: SIZE_BUCKETS,
    }),
    withDnssec: registry.counter({
      name: 'coredns_dns_do_requests_total',
      help: 'Questions with the DO bit, by zone.',
      labels: perZone,
    }),
    responses: registry.counter({
      name: 'coredns_dns_responses_total',
      help: 'Answers, by zone, response code and what has answered.',
      labels: [...perZone, 'rcode', 'plugin'],
    }),
  };
}
