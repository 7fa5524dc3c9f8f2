import type { Endpoint, EndpointPort } from '../../api/types/discovery/v1.d.ts';
import type { Node, Observed, Pod, Service } from '../../client/index.ts';
import { isReady } from '../../api/meaning/index.ts';
import { addressesOf, hostnameIn, isBackend, targetPortOf } from '../service-backends/backend-pod.ts';
import { zoneOf } from '../service-backends/services-of.ts';
import { wantsZoneHints } from './zone-annotation.ts';

export type AddressFamily = 'IPv4' | 'IPv6';

/** Endpoints with the same ports, which can share slices. */
export interface PortGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface DesiredSlices {
  readonly groups: ReadonlyMap<string, PortGroup>;
  /** Pods that were skipped because their node is unknown. */
  readonly podsWithoutNode: readonly string[];
}

/** The desired endpoints of a service for one address family. */
export function desiredSlices(
  service: Observed<Service>,
  pods: readonly Observed<Pod>[],
  options: { readonly family: AddressFamily; readonly nodeNamed: (name: string) => Observed<Node> | undefined },
): DesiredSlices {
  const groups = new Map<string, { ports: EndpointPort[]; endpoints: Endpoint[] }>();
  const podsWithoutNode: string[] = [];
  for (const pod of pods) {
    if (!isBackend(pod, { includeTerminating: true })) continue;
    const ports = portsOf(service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    const node = options.nodeNamed(pod.spec?.nodeName ?? '');
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) podsWithoutNode.push(pod.metadata.name);
    else {
      const addresses = addressesOf(pod, options.family);
      if (addresses.length > 0) group.endpoints.push(endpointOf(service, pod, { addresses, node }));
    }
  }
  return { groups, podsWithoutNode };
}

/** A key for a set of ports, independent of order. The API server returns null for an empty list. */
export function portsKey(ports: readonly EndpointPort[] | null | undefined): string {
  const parts = (ports ?? []).map(({ name = '', protocol, port, appProtocol }) =>
    JSON.stringify([name, protocol, port, appProtocol]),
  );
  return parts.toSorted().join();
}

function portsOf(service: Observed<Service>, pod: Observed<Pod>): EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((servicePort) => {
    const port = targetPortOf(pod, servicePort);
    if (port === undefined) return [];
    const { name = '', protocol, appProtocol } = servicePort;
    return [{ name, protocol, port, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function endpointOf(
  service: Observed<Service>,
  pod: Observed<Pod>,
  { addresses, node }: { readonly addresses: string[]; readonly node: Observed<Node> | undefined },
): Endpoint {
  const { name, namespace, uid, deletionTimestamp } = pod.metadata;
  const nodeName = pod.spec?.nodeName ?? '';
  const serving = isReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameIn(service, pod);
  const zone = zoneOf(node);
  return {
    addresses,
    conditions: { ready, serving, terminating },
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName === '' ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
    ...(hostname === undefined ? {} : { hostname }),
    ...hintsFor(service, { ready, zone, nodeName }),
  };
}

/** The hints of an endpoint when the service prefers close traffic. */
function hintsFor(
  service: Observed<Service>,
  { ready, zone, nodeName }: { readonly ready: boolean; readonly zone?: string; readonly nodeName: string },
): Pick<Endpoint, 'hints'> {
  const { spec } = service;
  const isNear = ['PreferClose', 'PreferSameZone', 'PreferSameNode'].includes(spec?.trafficDistribution ?? '');
  if (!isNear || !ready || wantsZoneHints(service)) return {};
  const forZones = zone === undefined ? undefined : [{ name: zone }];
  const wantsNode = spec?.trafficDistribution === 'PreferSameNode' && nodeName !== '';
  const forNodes = wantsNode ? [{ name: nodeName }] : undefined;
  if (forZones === undefined && forNodes === undefined) return {};
  return {
    hints: { ...(forZones === undefined ? {} : { forZones }), ...(forNodes === undefined ? {} : { forNodes }) },
  };
}
