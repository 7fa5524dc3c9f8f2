import type { Random } from '../../../base/index.ts';
import {
  isWithin,
  type Question,
  Rcode,
  RecordClass,
  RecordType,
  type ResourceRecord,
  textData,
} from '../../../wire/dns/index.ts';
import type { ClusterRecords } from './cluster-records.ts';
import { addressOfLabel, addressOfReverseName, type HostAddress, hostAddress } from './host-address.ts';
import {
  addressBytes,
  type AddressBytes,
  type HostRecord,
  type PortRecord,
  type ServiceRecords,
} from './service-records.ts';
import { isWhole, WHOLE_SERVICE, type ZoneRequest, zoneRequest } from './zone-request.ts';

/** What the zone knows its records from. */
export interface RecordSource {
  readonly records: ClusterRecords;
  readonly isSynced: boolean;
  readonly serial: number;
}

export interface ClusterZoneOptions {
  /** The zones, absolute and in lower case: first the cluster's domain, then those of the reverse tree. */
  readonly zones: readonly string[];
  /** Seconds that resolvers may keep answers; default 5. */
  readonly ttl?: number;
  /** The addresses that the server can be reached at, without loopback: what the zone's NS records lead to. */
  readonly serverAddresses?: () => readonly string[];
  /** Changes the order of addresses; default they stay in order. */
  readonly random?: Random;
}

/** An answer of the zone. */
export interface ZoneAnswer {
  readonly type: 'answer';
  /** In lower case. */
  readonly zone: string;
  readonly rcode: number;
  readonly isAuthoritative: boolean;
  readonly answers: readonly ResourceRecord[];
  readonly authorities: readonly ResourceRecord[];
  readonly additionals: readonly ResourceRecord[];
}

/** The name is another name of one that is outside of the zone. */
export interface ZoneAlias {
  readonly type: 'alias';
  readonly zone: string;
  /** CNAME records that lead to the target. */
  readonly answers: readonly ResourceRecord[];
  readonly target: string;
}

export type ZoneOutcome = ZoneAnswer | ZoneAlias;

/** The version of the Kubernetes DNS specification. */
const SPECIFICATION = '1.1.0';
const SPECIFICATION_TTL = 28_800;
const DEFAULT_TTL = 5;
const MAX_SOA_TTL = 300;
/** CNAME records that lead from one service to another. */
const MAX_ALIASES = 11;
const SERVER_NAME = 'ns.dns';
/** SRV records of pods, which have no ports that the zone knows, have this one. */
const POD_PORT: PortRecord = { name: '', protocol: '', number: 0 };
const NONE: readonly ResourceRecord[] = [];

/**
 * Answers questions about the names of a cluster, by the Kubernetes DNS specification 1.1, as CoreDNS' `kubernetes` plugin does with
 * `pods insecure`.
 *
 * Guarantees: answers come from maps, without waiting, and each takes as long as its records are many. Names in answers have the case
 * of the question. Until the records are complete the answer is SERVFAIL, never that a name does not exist.
 */
export class ClusterZone {
  readonly #source: RecordSource;
  readonly #zones: readonly string[];
  readonly #domain: string;
  readonly #ttl: number;
  readonly #serverAddresses: () => readonly string[];
  readonly #random: Random | undefined;

  constructor(source: RecordSource, options: ClusterZoneOptions) {
    const [domain] = options.zones;
    if (domain === undefined) throw new Error('Cannot serve a cluster zone: no zone is given');
    this.#source = source;
    this.#zones = options.zones.toSorted((left, right) => right.length - left.length);
    this.#domain = domain;
    this.#ttl = options.ttl ?? DEFAULT_TTL;
    this.#serverAddresses = options.serverAddresses ?? (() => []);
    this.#random = options.random;
  }

  get isReady(): boolean {
    return this.#source.isSynced;
  }

  /** Answers a question; undefined for one about a name that is in none of the zones. */
  answer({ name, type }: Question): ZoneOutcome | undefined {
    const lowerName = name.toLowerCase();
    const zone = this.#zones.find((each) => isWithin(lowerName, each));
    if (zone === undefined) return undefined;
    const asked = new ZoneQuestion(name, lowerName, zone);
    if (!this.#source.isSynced) return this.#denial(asked, Rcode.SERVFAIL);
    switch (type) {
      case RecordType.A:
      case RecordType.AAAA:
        return this.#addresses(asked, type);
      case RecordType.SRV:
        return this.#ports(asked);
      case RecordType.PTR:
        return this.#reverse(asked);
      case RecordType.CNAME:
        return this.#alias(asked);
      case RecordType.TXT:
        return this.#text(asked);
      case RecordType.SOA:
        return asked.base === '' ? this.#found(asked, [this.#soa(asked)]) : this.#denial(asked, Rcode.NOERROR);
      case RecordType.NS:
        return asked.base === '' ? this.#servers(asked) : this.#exists(asked);
      case RecordType.AXFR:
      case RecordType.IXFR:
        return answerOf(asked.lowerZone, { rcode: Rcode.REFUSED, isAuthoritative: false });
      default:
        return this.#exists(asked);
    }
  }

  /** No records of this type, whether the name exists or not. */
  #exists(asked: ZoneQuestion): ZoneOutcome {
    const isKnown = asked.base === SERVER_NAME || this.#look(asked.request, asked) !== undefined;
    return this.#denial(asked, isKnown ? Rcode.NOERROR : Rcode.NXDOMAIN);
  }

  #addresses(asked: ZoneQuestion, type: number): ZoneOutcome {
    if (asked.base === SERVER_NAME) return this.#found(asked, this.#serverRecords(asked, type));
    const found = this.#look(asked.request, asked);
    if (found === undefined) return this.#denial(asked, Rcode.NXDOMAIN);
    if (found.type === 'alias') return this.#follow(asked, found.target, type);
    return this.#found(asked, this.#addressRecords(asked.name, type, found));
  }

  /** Follows names of services that stand for others, within the zone. */
  #follow(asked: ZoneQuestion, first: string, type: number): ZoneOutcome {
    const answers: ResourceRecord[] = [];
    const targets = new Set<string>();
    let name = asked.name;
    let target = first;
    while (
      !isWithin(target.toLowerCase(), name.toLowerCase()) &&
      !targets.has(target) &&
      answers.length < MAX_ALIASES
    ) {
      targets.add(target);
      answers.push(this.#record(name, RecordType.CNAME, { kind: 'name', target }));
      const next = target.toLowerCase();
      if (!isWithin(next, asked.lowerZone)) return { type: 'alias', zone: asked.lowerZone, answers, target };
      const below = new ZoneQuestion(target, next, asked.lowerZone);
      if (below.base === SERVER_NAME) {
        const addresses = this.#serverRecords(below, type);
        return this.#found(asked, addresses.length === 0 ? NONE : [...answers, ...addresses]);
      }
      const found = this.#look(below.request, below);
      if (found === undefined) break;
      if (found.type !== 'alias') {
        const addresses = this.#addressRecords(target, type, found);
        return this.#found(asked, addresses.length === 0 ? NONE : [...answers, ...addresses]);
      }
      name = target;
      target = found.target;
    }
    return this.#denial(asked, Rcode.NOERROR); // it leads nowhere, or in a circle
  }

  #ports(asked: ZoneQuestion): ZoneOutcome {
    if (asked.base === SERVER_NAME) return this.#denial(asked, Rcode.NOERROR);
    const found = this.#look(asked.request, asked);
    if (found === undefined) return this.#denial(asked, Rcode.NXDOMAIN);
    const hosts = found.type === 'alias' ? [] : found.hosts();
    const weight = Math.max(1, Math.floor((100 / (100 * hosts.length)) * 100));
    const answers = new Map<string, ResourceRecord>();
    const additionals = new Map<string, ResourceRecord>();
    for (const { address, port, name } of hosts) {
      if (port.number === undefined) continue;
      const target = `${name}.${asked.zone}`;
      const data = { kind: 'srv', priority: 0, weight, port: port.number, target } as const;
      answers.set(`${name} ${port.number}`, this.#record(asked.name, RecordType.SRV, data));
      additionals.set(`${name} ${address.text}`, this.#addressRecord(target, address.bytes));
    }
    return this.#found(asked, [...answers.values()], [...additionals.values()]);
  }

  #reverse(asked: ZoneQuestion): ZoneOutcome {
    const address = addressOfReverseName(asked.lowerName);
    if (address === undefined)
      return this.#denial(asked, this.#look(asked.request, asked) === undefined ? Rcode.NXDOMAIN : Rcode.NOERROR);
    const { records } = this.#source;
    const service = records.serviceAt(address);
    const names =
      service === undefined
        ? records.slicesAt(address).flatMap(({ service: key, endpoints }) => {
            const own = endpoints.filter((endpoint) => key !== undefined && endpoint.address === address);
            return own.map(({ label }) => `${label}.${key}`);
          })
        : [service.key];
    if (names.length === 0) return this.#denial(asked, Rcode.NXDOMAIN);
    const answers = [...new Set(names)].map((name) =>
      this.#record(asked.name, RecordType.PTR, { kind: 'name', target: `${name}.svc.${this.#domain}` }),
    );
    return this.#found(asked, answers);
  }

  #alias(asked: ZoneQuestion): ZoneOutcome {
    const found = asked.base === SERVER_NAME ? NOTHING : this.#look(asked.request, asked);
    if (found === undefined) return this.#denial(asked, Rcode.NXDOMAIN);
    if (found.type !== 'alias') return this.#denial(asked, Rcode.NOERROR);
    return this.#found(asked, [this.#record(asked.name, RecordType.CNAME, { kind: 'name', target: found.target })]);
  }

  /** There is one text; other names have none, and those without records do not exist as far as texts are concerned. */
  #text(asked: ZoneQuestion): ZoneOutcome {
    if (asked.base === 'dns-version') {
      const data = textData([SPECIFICATION]);
      const { name } = asked;
      const record = { name, type: RecordType.TXT, class: RecordClass.IN, ttl: SPECIFICATION_TTL, data };
      return this.#found(asked, [record]);
    }
    const found = this.#look(asked.request, asked);
    const hasRecords = found !== undefined && (found.type === 'alias' || found.hosts().length > 0);
    return this.#denial(asked, hasRecords ? Rcode.NOERROR : Rcode.NXDOMAIN);
  }

  #servers(asked: ZoneQuestion): ZoneOutcome {
    const servers = this.#serverHosts(asked);
    const answers = [...new Set(servers.map(({ name }) => name))].map((target) =>
      this.#record(asked.name, RecordType.NS, { kind: 'name', target }),
    );
    return this.#found(
      asked,
      answers,
      servers.map(({ name, address }) => this.#addressRecord(name, address.bytes)),
    );
  }

  #serverRecords(asked: ZoneQuestion, type: number): readonly ResourceRecord[] {
    const length = type === RecordType.A ? 4 : 16;
    return this.#serverHosts(asked)
      .filter(({ address }) => address.bytes.length === length)
      .map(({ address }) => this.#addressRecord(asked.name, address.bytes));
  }

  /** The services that lead to this server; where there is none, its own addresses. */
  #serverHosts(asked: ZoneQuestion): readonly { readonly name: string; readonly address: HostAddress }[] {
    const { records } = this.#source;
    const own = this.#serverAddresses();
    const services = own
      .flatMap((address) => records.slicesAt(address))
      .map(({ service }) => (service === undefined ? undefined : records.service(service)));
    if (services.length > 0) {
      const hosts = services.flatMap((service) => service?.hosts(WHOLE_SERVICE) ?? []);
      const unique = new Map(hosts.map(({ name, address }) => [`${name} ${address.text}`, { name, address }]));
      return [...unique.values()].map(({ name, address }) => ({ name: `${name}.${asked.zone}`, address }));
    }
    const name = `${SERVER_NAME}.${asked.zone}`;
    return own.flatMap((text) => {
      const address = hostAddress(text);
      return address === undefined ? [] : [{ name, address }];
    });
  }

  /** What a name below the zone leads to; undefined when it does not exist. */
  #look(request: ZoneRequest, { isReverse }: ZoneQuestion): Found | undefined {
    switch (request.type) {
      case 'branch':
        return NOTHING;
      case 'unknown':
        return undefined;
      case 'namespace':
        return !isReverse && this.#source.records.hasNamespace(request.namespace) ? NOTHING : undefined;
      case 'pod': {
        if (isReverse || !this.#source.records.hasNamespace(request.namespace)) return undefined;
        const address = addressOfLabel(request.address);
        if (address === undefined) return undefined;
        return hostsFound([{ address, port: POD_PORT, name: `${request.address}.${request.namespace}.pod` }]);
      }
      case 'service': {
        if (isReverse || !this.#source.records.hasNamespace(request.namespace)) return undefined;
        const service = this.#source.records.service(`${request.service}.${request.namespace}`);
        return service === undefined ? undefined : serviceFound(service, request);
      }
    }
  }

  #addressRecords(name: string, type: number, found: FoundHosts): readonly ResourceRecord[] {
    const { ipv4, ipv6 } = found.addresses();
    const addresses = type === RecordType.A ? ipv4 : ipv6;
    const records = addresses.map((bytes) => this.#addressRecord(name, bytes));
    if (this.#random !== undefined && records.length > 1) shuffle(records, this.#random);
    return records;
  }

  #addressRecord(name: string, bytes: Uint8Array): ResourceRecord {
    return this.#record(name, bytes.length === 4 ? RecordType.A : RecordType.AAAA, bytes);
  }

  #record(name: string, type: number, data: ResourceRecord['data']): ResourceRecord {
    return { name, type, class: RecordClass.IN, ttl: this.#ttl, data };
  }

  #soa({ zone }: ZoneQuestion): ResourceRecord {
    return {
      name: zone,
      type: RecordType.SOA,
      class: RecordClass.IN,
      ttl: Math.min(this.#ttl, MAX_SOA_TTL),
      data: {
        kind: 'soa',
        primary: `${SERVER_NAME}.${zone}`,
        mailbox: `hostmaster.${zone}`,
        serial: this.#source.serial,
        refresh: 7200,
        retry: 1800,
        expire: 86_400,
        minimum: this.#ttl,
      },
    };
  }

  #found(asked: ZoneQuestion, answers: readonly ResourceRecord[], additionals = NONE): ZoneOutcome {
    if (answers.length === 0) return this.#denial(asked, Rcode.NOERROR);
    return answerOf(asked.lowerZone, { answers, additionals });
  }

  #denial(asked: ZoneQuestion, rcode: number): ZoneOutcome {
    return answerOf(asked.lowerZone, { rcode, authorities: [this.#soa(asked)] });
  }
}

/** A name in a zone, in the case of the question and in lower case. */
class ZoneQuestion {
  readonly name: string;
  readonly lowerName: string;
  /** The zone as the question spells it. */
  readonly zone: string;
  readonly lowerZone: string;

  /** The name below the zone, in lower case; empty for the zone itself. */
  readonly base: string;

  constructor(name: string, lowerName: string, lowerZone: string) {
    this.name = name;
    this.lowerName = lowerName;
    this.lowerZone = lowerZone;
    this.zone = name === lowerName ? lowerZone : name.slice(-lowerZone.length);
    this.base = lowerName.slice(0, Math.max(0, lowerName.length - lowerZone.length - 1));
  }

  get request(): ZoneRequest {
    return zoneRequest(this.base);
  }

  /** Names of the reverse tree are addresses, never services. */
  get isReverse(): boolean {
    return this.lowerName.endsWith('.in-addr.arpa.') || this.lowerName.endsWith('.ip6.arpa.');
  }
}

interface FoundHosts {
  readonly type: 'hosts';
  hosts(): readonly HostRecord[];
  addresses(): AddressBytes;
}

type Found = FoundHosts | { readonly type: 'alias'; readonly target: string };

const NO_ADDRESSES: AddressBytes = { ipv4: [], ipv6: [] };
/** A name that exists and has no records. */
const NOTHING: Found = { type: 'hosts', hosts: () => [], addresses: () => NO_ADDRESSES };

function hostsFound(hosts: readonly HostRecord[]): Found {
  return { type: 'hosts', hosts: () => hosts, addresses: () => addressBytes(hosts) };
}

function serviceFound(service: ServiceRecords, { part }: Extract<ZoneRequest, { type: 'service' }>): Found | undefined {
  const { spec } = service;
  if (spec?.type === 'external')
    return isWhole(part) && spec.target !== undefined ? { type: 'alias', target: spec.target } : undefined;
  if (!isWhole(part)) {
    const hosts = service.hosts(part);
    return hosts === undefined ? undefined : hostsFound(hosts);
  }
  const addresses = service.addresses();
  return addresses === undefined
    ? undefined
    : { type: 'hosts', hosts: () => service.hosts(part) ?? [], addresses: () => addresses };
}

type AnswerParts = Partial<Omit<ZoneAnswer, 'type' | 'zone'>>;

function answerOf(zone: string, parts: AnswerParts): ZoneAnswer {
  const { rcode = Rcode.NOERROR, isAuthoritative = true } = parts;
  const { answers = NONE, authorities = NONE, additionals = NONE } = parts;
  return { type: 'answer', zone, rcode, isAuthoritative, answers, authorities, additionals };
}

function shuffle<T>(items: T[], random: Random): void {
  for (let index = items.length - 1; index > 0; index--) {
    const other = random.int(index + 1);
    const item = items[index] as T;
    items[index] = items[other] as T;
    items[other] = item;
  }
}
