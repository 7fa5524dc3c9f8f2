import type { EndpointSlice, Namespace, Observed, Service } from '../../../client/index.ts';
import { absoluteName } from '../../../wire/dns/index.ts';
import { hostAddress } from './host-address.ts';
import type { RecordTarget } from './record-feed.ts';
import {
  endpointLabel,
  NO_PORTS,
  type PortRecord,
  ServiceRecords,
  type ServiceSpec,
  type SliceRecords,
} from './service-records.ts';

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/**
 * What a cluster's zone has records of: namespaces, services and their endpoints, by name and by address.
 *
 * Every look-up is one of a map. Objects may arrive in any order.
 */
export class ClusterRecords {
  readonly #namespaces = new Set<string>();
  /** By `service.namespace`. */
  readonly #services = new Map<string, ServiceRecords>();
  /** Services by their cluster addresses, in canonical form. */
  readonly #byAddress = new Map<string, ServiceRecords>();
  /** By key of the slice. */
  readonly #slices = new Map<string, SliceRecords>();
  /** Slices by the addresses of their ready endpoints. */
  readonly #slicesByAddress = new Map<string, readonly SliceRecords[]>();

  hasNamespace(name: string): boolean {
    return this.#namespaces.has(name);
  }

  /** By `service.namespace`; also one that has only endpoints so far. */
  service(key: string): ServiceRecords | undefined {
    return this.#services.get(key);
  }

  /** The service with this cluster address. */
  serviceAt(address: string): ServiceRecords | undefined {
    return this.#byAddress.get(address);
  }

  /** The slices that have this address among their ready endpoints. */
  slicesAt(address: string): readonly SliceRecords[] {
    return this.#slicesByAddress.get(address) ?? [];
  }

  namespaceTarget(): RecordTarget<Namespace> {
    return {
      set: ({ metadata }) => void this.#namespaces.add(metadata.name),
      delete: ({ metadata }) => void this.#namespaces.delete(metadata.name),
      keys: () => this.#namespaces,
    };
  }

  serviceTarget(): RecordTarget<Service> {
    return {
      set: (service) => this.#setService(service),
      delete: (service) => this.#deleteService(service),
      keys: () => this.#serviceKeys(),
    };
  }

  sliceTarget(): RecordTarget<EndpointSlice> {
    return {
      set: (slice) => this.#setSlice(slice),
      delete: (slice) => this.#deleteSlice(slice),
      keys: () => this.#slices.keys(),
    };
  }

  *#serviceKeys(): Generator<string, void, undefined> {
    for (const { key, spec } of this.#services.values()) {
      const dot = key.indexOf('.');
      if (spec !== undefined) yield `${key.slice(dot + 1)}/${key.slice(0, dot)}`;
    }
  }

  #setService(service: Observed<Service>): void {
    const records = this.#at(`${service.metadata.name}.${service.metadata.namespace}`);
    this.#forgetAddresses(records);
    records.spec = specOf(service);
    for (const address of clusterAddresses(records.spec)) this.#byAddress.set(address, records);
  }

  #deleteService({ metadata }: Named): void {
    const records = this.#services.get(`${metadata.name}.${metadata.namespace}`);
    if (records === undefined) return;
    this.#forgetAddresses(records);
    records.spec = undefined;
    this.#dropEmpty(records);
  }

  #setSlice(slice: Observed<EndpointSlice>): void {
    const key = keyOfSlice(slice);
    const before = this.#slices.get(key);
    const after = sliceRecords(slice);
    if (before !== undefined) this.#removeSlice(key, before, after.service);
    this.#slices.set(key, after);
    if (after.service !== undefined) this.#at(after.service).setSlice(key, after);
    for (const { address } of after.endpoints) {
      const known = this.#slicesByAddress.get(address) ?? [];
      if (!known.includes(after)) this.#slicesByAddress.set(address, [...known, after]);
    }
  }

  #deleteSlice(slice: Named): void {
    const key = keyOfSlice(slice);
    const before = this.#slices.get(key);
    if (before === undefined) return;
    this.#slices.delete(key);
    this.#removeSlice(key, before, undefined);
  }

  /** `kept` is the service whose slice is about to be replaced by a newer one. */
  #removeSlice(key: string, slice: SliceRecords, kept: string | undefined): void {
    for (const { address } of slice.endpoints) {
      const others = (this.#slicesByAddress.get(address) ?? []).filter((other) => other !== slice);
      if (others.length === 0) this.#slicesByAddress.delete(address);
      else this.#slicesByAddress.set(address, others);
    }
    if (slice.service === undefined || slice.service === kept) return;
    const records = this.#services.get(slice.service);
    records?.deleteSlice(key);
    if (records !== undefined) this.#dropEmpty(records);
  }

  #at(key: string): ServiceRecords {
    const known = this.#services.get(key);
    if (known !== undefined) return known;
    const records = new ServiceRecords(key);
    this.#services.set(key, records);
    return records;
  }

  #forgetAddresses(records: ServiceRecords): void {
    for (const address of clusterAddresses(records.spec)) {
      if (this.#byAddress.get(address) === records) this.#byAddress.delete(address);
    }
  }

  #dropEmpty(records: ServiceRecords): void {
    if (records.isEmpty) this.#services.delete(records.key);
  }
}

function clusterAddresses(spec: ServiceSpec | undefined): readonly string[] {
  return spec?.type === 'cluster' ? spec.addresses : [];
}

function keyOfSlice({ metadata }: Named): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function specOf({ spec = {} }: Observed<Service>): ServiceSpec {
  const { type, externalName = '', clusterIP = '', clusterIPs = [clusterIP] } = spec;
  if (type === 'ExternalName')
    return {
      type: 'external',
      target: hostAddress(externalName) === undefined ? absoluteName(externalName) : undefined,
    };
  if (clusterIPs[0] === 'None') return { type: 'headless' };
  const ports = (spec.ports ?? []).map(({ name = '', protocol = 'TCP', port }): PortRecord => {
    return { name: name.toLowerCase(), protocol: protocol.toLowerCase(), number: port };
  });
  const addresses = clusterIPs.map((text) => hostAddress(text)?.text ?? '').filter((text) => text !== '');
  return { type: 'cluster', addresses, ports: ports.length === 0 ? NO_PORTS : ports };
}

function sliceRecords(slice: Observed<EndpointSlice>): SliceRecords {
  const { metadata, addressType, endpoints, ports } = slice;
  const name = metadata.labels?.[SERVICE_NAME_LABEL];
  const isOfNames = addressType === 'FQDN';
  const ready = isOfNames ? [] : (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
  const portRecords = (ports ?? []).map(({ name: portName, protocol, port }): PortRecord => {
    return {
      name: (portName ?? '').toLowerCase(),
      protocol: (protocol ?? '').toLowerCase(),
      number: port ?? undefined,
    };
  });
  return {
    service: name === undefined || name === '' ? undefined : `${name}.${metadata.namespace}`,
    endpoints: ready.flatMap(({ addresses, hostname }) =>
      addresses.map((text) => {
        const address = hostAddress(text)?.text ?? text;
        return { address, label: endpointLabel(address, hostname) };
      }),
    ),
    ports: portRecords.length === 0 ? NO_PORTS : portRecords,
  };
}
