import { dashedAddress, type HostAddress, hostAddress } from './host-address.ts';
import { type ServicePart, WHOLE_SERVICE } from './zone-request.ts';

export interface PortRecord {
  readonly name: string;
  /** In lower case; empty where it is not known. */
  readonly protocol: string;
  /** Undefined for a port without a number, which has no SRV record. */
  readonly number: number | undefined;
}

/** Stands for the ports of a service or slice that has none: its addresses are known all the same. */
export const NO_PORTS: readonly PortRecord[] = [{ name: '', protocol: '', number: undefined }];

export interface EndpointRecord {
  readonly address: string;
  /** The label of its own name: its host name, or its address with dashes. */
  readonly label: string;
}

/** Ready endpoints that share their ports. */
export interface SliceRecords {
  /** `service.namespace`; undefined for a slice of no service. */
  readonly service: string | undefined;
  readonly endpoints: readonly EndpointRecord[];
  readonly ports: readonly PortRecord[];
}

/** One address with one port, and the name that an SRV record gives it. */
export interface HostRecord {
  readonly address: HostAddress;
  readonly port: PortRecord;
  /** Without the zone: `pod-0.web.default.svc`. */
  readonly name: string;
}

export type ServiceSpec =
  | { readonly type: 'cluster'; readonly addresses: readonly string[]; readonly ports: readonly PortRecord[] }
  | { readonly type: 'headless' }
  /** `target` is undefined for a name that is none, such as an address. */
  | { readonly type: 'external'; readonly target: string | undefined };

export interface AddressBytes {
  readonly ipv4: readonly Uint8Array[];
  readonly ipv6: readonly Uint8Array[];
}

const NO_SLICES: ReadonlyMap<string, SliceRecords> = new Map();

/** The records of one service: its own, and those of its endpoints. Either may be known before the other. */
export class ServiceRecords {
  /** `web.default` */
  readonly key: string;
  #spec: ServiceSpec | undefined;
  /** By key of the slice; most services have one. */
  #slices: Map<string, SliceRecords> | undefined;
  /** What the whole service has, once it was asked for. */
  #addresses: AddressBytes | undefined;
  #ownHosts: readonly HostRecord[] | undefined;
  #endpointHosts: ReadonlyMap<string, readonly HostRecord[]> | undefined;

  constructor(key: string) {
    this.key = key;
  }

  /** Undefined when there are endpoints but no service. */
  get spec(): ServiceSpec | undefined {
    return this.#spec;
  }

  set spec(spec: ServiceSpec | undefined) {
    this.#spec = spec;
    this.#forget();
  }

  get isEmpty(): boolean {
    return this.#spec === undefined && (this.#slices === undefined || this.#slices.size === 0);
  }

  get slices(): ReadonlyMap<string, SliceRecords> {
    return this.#slices ?? NO_SLICES;
  }

  setSlice(key: string, slice: SliceRecords): void {
    this.#slices ??= new Map();
    this.#slices.set(key, slice);
    this.#forget();
  }

  deleteSlice(key: string): void {
    this.#slices?.delete(key);
    this.#forget();
  }

  /** The addresses of the whole service, each once; undefined when it has no records at all. */
  addresses(): AddressBytes | undefined {
    if (this.#addresses === undefined) {
      const hosts = this.hosts(WHOLE_SERVICE);
      if (hosts === undefined) return undefined;
      this.#addresses = addressBytes(hosts);
    }
    return this.#addresses;
  }

  /**
   * The hosts of a part of the service, one for each address and port; undefined when there is no such part.
   *
   * A headless service is its endpoints, and an endpoint is asked for by name at any service.
   */
  hosts(part: ServicePart): readonly HostRecord[] | undefined {
    const spec = this.#spec;
    if (spec === undefined || spec.type === 'external') return undefined;
    const all = part.endpoint === '' ? this.#own(spec) : this.#endpoint(part.endpoint);
    const wanted = part.port === '' && part.protocol === '' ? all : all.filter(({ port }) => isWanted(port, part));
    return wanted.length === 0 ? undefined : wanted;
  }

  #own(spec: Exclude<ServiceSpec, { type: 'external' }>): readonly HostRecord[] {
    this.#ownHosts ??= spec.type === 'headless' ? [...this.#endpoints().values()].flat() : clusterHosts(spec, this.key);
    return this.#ownHosts;
  }

  #endpoint(label: string): readonly HostRecord[] {
    return this.#endpoints().get(label) ?? [];
  }

  /** By label. */
  #endpoints(): ReadonlyMap<string, readonly HostRecord[]> {
    if (this.#endpointHosts !== undefined) return this.#endpointHosts;
    const byLabel = new Map<string, HostRecord[]>();
    for (const { endpoints, ports } of this.slices.values()) {
      for (const { address: text, label } of endpoints) {
        const address = hostAddress(text);
        if (address === undefined) continue;
        const name = `${label}.${this.key}.svc`;
        const known = byLabel.get(label) ?? [];
        byLabel.set(label, known);
        for (const port of ports) known.push({ address, port, name });
      }
    }
    this.#endpointHosts = byLabel;
    return byLabel;
  }

  #forget(): void {
    this.#addresses = undefined;
    this.#ownHosts = undefined;
    this.#endpointHosts = undefined;
  }
}

function clusterHosts(
  { addresses, ports }: Extract<ServiceSpec, { type: 'cluster' }>,
  key: string,
): readonly HostRecord[] {
  const name = `${key}.svc`;
  const found = addresses.flatMap((text) => hostAddress(text) ?? []);
  return ports.flatMap((port) => found.map((address) => ({ address, port, name })));
}

/** Each address once. */
export function addressBytes(hosts: readonly HostRecord[]): AddressBytes {
  const unique = new Map(hosts.map(({ address }) => [address.text, address.bytes]));
  const all = [...unique.values()];
  return { ipv4: all.filter(({ length }) => length === 4), ipv6: all.filter(({ length }) => length === 16) };
}

function isWanted({ name, protocol }: PortRecord, part: ServicePart): boolean {
  return (part.port === '' || part.port === name) && (part.protocol === '' || part.protocol === protocol);
}

/** The label of an endpoint's own name. */
export function endpointLabel(address: string, hostname: string | undefined): string {
  return hostname === undefined || hostname === '' ? dashedAddress(address) : hostname.toLowerCase();
}
