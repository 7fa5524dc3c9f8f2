import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../api/types/core/v1.d.ts';
import type { Observed, Pod, Service } from '../../client/index.ts';
import { isReady } from '../../api/meaning/index.ts';
import { addressesOf, hostnameIn, isBackend, targetPortOf } from '../service-backends/backend-pod.ts';

/** Maximum number of addresses; more are dropped to keep the object small. */
export const MAX_ADDRESSES = 1000;

interface Backend {
  readonly address: EndpointAddress;
  readonly isReady: boolean;
  readonly ports: readonly EndpointPort[];
}

/** The subsets of a service's Endpoints: pods with the same ports and readiness share one. */
export function subsetsOf(service: Observed<Service>, pods: readonly Observed<Pod>[]): EndpointSubset[] {
  const backends = pods.flatMap((pod) => backendOf(service, pod));
  const byPort = groupBy(
    backends.flatMap((backend) =>
      (backend.ports.length === 0 ? [undefined] : backend.ports).map((port) => ({ port, backend })),
    ),
    ({ port }) => JSON.stringify(port ?? null),
  );
  const byAddresses = groupBy(
    [...byPort.values()].map((entries) => ({
      port: entries[0]?.port,
      backends: entries.map(({ backend }) => backend),
    })),
    (group) => JSON.stringify(group.backends.map(addressKey).toSorted()),
  );
  return [...byAddresses.values()].map((groups) =>
    subset(
      groups[0]?.backends ?? [],
      groups.map(({ port }) => port),
    ),
  );
}

/** Keeps the first thousand addresses, ready ones first; reports whether some were dropped. */
export function truncated(subsets: readonly EndpointSubset[]): {
  readonly subsets: EndpointSubset[];
  readonly isTruncated: boolean;
} {
  let room = MAX_ADDRESSES;
  const count = subsets.reduce(
    (sum, { addresses = [], notReadyAddresses = [] }) => sum + addresses.length + notReadyAddresses.length,
    0,
  );
  if (count <= MAX_ADDRESSES) return { subsets: [...subsets], isTruncated: false };
  const take = (addresses: EndpointAddress[] = []): EndpointAddress[] => {
    const taken = addresses.slice(0, room);
    room -= taken.length;
    return taken;
  };
  const ready = subsets.map(({ addresses }) => take(addresses));
  const notReady = subsets.map(({ notReadyAddresses }) => take(notReadyAddresses));
  const kept = subsets.map(({ ports }, index) => withAddresses(ready[index] ?? [], notReady[index] ?? [], ports));
  return {
    subsets: kept.filter(({ addresses, notReadyAddresses }) => addresses ?? notReadyAddresses),
    isTruncated: true,
  };
}

function backendOf(service: Observed<Service>, pod: Observed<Pod>): Backend[] {
  const {
    publishNotReadyAddresses = false,
    clusterIP,
    ports: servicePorts = [],
    ipFamilies = ['IPv4'],
  } = service.spec ?? {};
  if (!isBackend(pod, { includeTerminating: publishNotReadyAddresses })) return [];
  const ip = addressesOf(pod, ipFamilies[0] === 'IPv6' ? 'IPv6' : 'IPv4')[0];
  if (ip === undefined) return [];
  const ports = servicePorts.flatMap((servicePort): EndpointPort[] => {
    const port = targetPortOf(pod, servicePort);
    if (port === undefined) return [];
    const { name, protocol, appProtocol } = servicePort;
    return [
      {
        ...(name === undefined ? {} : { name }),
        port,
        protocol,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      },
    ];
  });
  if (ports.length === 0 && (servicePorts.length > 0 || clusterIP !== 'None')) return [];
  const { name, namespace, uid } = pod.metadata;
  const hostname = hostnameIn(service, pod);
  const nodeName = pod.spec?.nodeName ?? '';
  const address = {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === '' ? {} : { nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
  return [{ address, isReady: publishNotReadyAddresses || isReady(pod), ports }];
}

function subset(backends: readonly Backend[], ports: readonly (EndpointPort | undefined)[]): EndpointSubset {
  const addresses = (ready: boolean): EndpointAddress[] =>
    backends
      .filter((backend) => backend.isReady === ready)
      .map(({ address }) => address)
      .toSorted((a, b) => compare(a.ip, b.ip) || compare(a.targetRef?.uid ?? '', b.targetRef?.uid ?? ''));
  const known = ports.filter((port) => port !== undefined);
  return withAddresses(addresses(true), addresses(false), known.length === 0 ? undefined : known);
}

function withAddresses(
  addresses: EndpointAddress[],
  notReadyAddresses: EndpointAddress[],
  ports: EndpointPort[] | undefined,
): EndpointSubset {
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReadyAddresses.length === 0 ? {} : { notReadyAddresses }),
    ...(ports === undefined ? {} : { ports }),
  };
}

function addressKey({ address, isReady: ready }: Backend): string {
  return `${address.ip} ${address.targetRef?.uid ?? ''} ${ready}`;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
