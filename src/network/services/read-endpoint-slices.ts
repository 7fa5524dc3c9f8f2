import type { Endpoint, EndpointSlice } from '../../api/types/discovery/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { IpFamily, ServiceEndpoint } from './proxied-port.ts';
import { addressOf } from './read-service.ts';

/** The label that names the Service of an EndpointSlice. */
const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/** An endpoint with what hints say: where it is meant to be used. Empty lists where they say nothing. */
export interface HintedEndpoint extends ServiceEndpoint {
  readonly zones: readonly string[];
  readonly nodes: readonly string[];
}

const NONE: readonly string[] = [];

/** The `namespace/name` of the Service that a slice belongs to; undefined for slices of none. */
export function serviceOfSlice({ metadata }: DeepReadonly<EndpointSlice>): string | undefined {
  const name = metadata?.labels?.[SERVICE_NAME_LABEL] ?? '';
  return name === '' ? undefined : `${metadata?.namespace ?? ''}/${name}`;
}

/**
 * The endpoints in the slices of a Service, by port: `http/TCP`, and `/TCP` for a port without a name. Slices of another family do not count.
 *
 * An address and port that slices name twice is one endpoint. One that does not terminate is preferred: its address was given to a new pod.
 */
export function readEndpointSlices(
  slices: Iterable<DeepReadonly<EndpointSlice>>,
  { family, node }: { readonly family: IpFamily; readonly node: string },
): ReadonlyMap<string, readonly HintedEndpoint[]> {
  const byPort = new Map<string, Map<string, HintedEndpoint>>();
  for (const { addressType, ports, endpoints } of slices) {
    if (addressType !== family) continue;
    // Servers write null for lists without entries.
    for (const { name, protocol = 'TCP', port = 0 } of ports ?? []) {
      if (name === undefined || port === 0) continue;
      const key = portKey(name, protocol);
      const found = byPort.get(key) ?? new Map<string, HintedEndpoint>();
      byPort.set(key, found);
      for (const written of endpoints ?? []) {
        const endpoint = endpointOf(written, { port, family, node });
        if (endpoint === undefined) continue;
        const place = endpointPlace(endpoint);
        if (!endpoint.isTerminating || !found.has(place)) found.set(place, endpoint);
      }
    }
  }
  return new Map([...byPort].map(([key, found]) => [key, inOrder(found)]));
}

export function portKey(portName: string, protocol: string): string {
  return `${portName}/${protocol}`;
}

/** `10.0.0.1:80`, `[fd00::1]:80` */
export function endpointPlace({ address, port }: Pick<ServiceEndpoint, 'address' | 'port'>): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function inOrder(found: ReadonlyMap<string, HintedEndpoint>): readonly HintedEndpoint[] {
  return [...found].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, endpoint]) => endpoint);
}

interface Reading {
  readonly port: number;
  readonly family: IpFamily;
  readonly node: string;
}

function endpointOf(
  { addresses, conditions, nodeName, hints }: DeepReadonly<Endpoint>,
  { port, family, node }: Reading,
): HintedEndpoint | undefined {
  const address = addressOf(addresses[0] ?? '', family);
  if (address === undefined) return undefined;
  return {
    address,
    port,
    isLocal: node !== '' && nodeName === node,
    isReady: conditions?.ready ?? true,
    isServing: conditions?.serving ?? true,
    isTerminating: conditions?.terminating ?? false,
    zones: namesOf(hints?.forZones),
    nodes: namesOf(hints?.forNodes),
  };
}

function namesOf(hints: readonly { readonly name: string }[] | undefined): readonly string[] {
  return hints === undefined || hints.length === 0 ? NONE : hints.map(({ name }) => name);
}
