import { formatLabels } from '../../api/index.ts';
import type { Endpoints, Service } from '../../api/types/core/v1.d.ts';
import type { EndpointSlice } from '../../api/types/discovery/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, firstThree, nameColumn, NONE, UNKNOWN, UNSET, wide } from './column.ts';
import { loadBalancerAddresses } from './load-balancer.ts';

export const serviceColumns: readonly Column[] = [
  nameColumn,
  column<Service>('Type', 'How the service can be reached', ({ spec }) => spec?.type ?? ''),
  column<Service>('Cluster-IP', 'First address inside of the cluster', ({ spec }) => each(spec?.clusterIPs)[0] ?? NONE),
  column<Service>('External-IP', 'Addresses or names outside of the cluster', externalAddress),
  column<Service>('Port(s)', 'Ports, with the node ports they have', ports),
  ageColumn,
  wide<Service>('Selector', 'Labels of the pods behind it', ({ spec }) => formatLabels(spec?.selector ?? {})),
];

function externalAddress({ spec, status }: Service): string {
  const own = each(spec?.externalIPs);
  switch (spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return own.length === 0 ? NONE : own.join(',');
    case 'LoadBalancer': {
      const all = [...loadBalancerAddresses(each(status?.loadBalancer?.ingress)), ...own];
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    case undefined:
    default:
      return UNKNOWN;
  }
}

function ports({ spec }: Service): string {
  const printed = each(spec?.ports).map(({ port, nodePort = 0, protocol = '' }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return printed.length === 0 ? NONE : printed.join(',');
}

export const endpointsColumns: readonly Column[] = [
  nameColumn,
  column<Endpoints>('Endpoints', 'First addresses and ports behind the service', endpointAddresses),
  ageColumn,
];

function endpointAddresses({ subsets }: Endpoints): string {
  const all = each(subsets);
  if (all.length === 0) return NONE;
  const addresses = all.flatMap((subset) => {
    const ips = each(subset.addresses).map(({ ip }) => ip);
    const numbers = each(subset.ports).map(({ port }) => port);
    return numbers.length === 0 ? ips : numbers.flatMap((port) => ips.map((ip) => `${hostOf(ip)}:${port}`));
  });
  return firstThree(addresses, '');
}

/** Addresses of IP version 6 take brackets before a port. */
function hostOf(ip: string): string {
  return ip.includes(':') ? `[${ip}]` : ip;
}

export const endpointSliceColumns: readonly Column[] = [
  nameColumn,
  column<EndpointSlice>('AddressType', 'Kind of the addresses', ({ addressType }) => addressType),
  column<EndpointSlice>('Ports', 'First ports of the endpoints', slicePorts),
  column<EndpointSlice>('Endpoints', 'First addresses of the endpoints', sliceAddresses),
  ageColumn,
];

function slicePorts({ ports: slice }: EndpointSlice): string {
  return firstThree(
    each(slice).map(({ port, name }) => String(port ?? name ?? '*')),
    UNSET,
  );
}

function sliceAddresses({ endpoints }: EndpointSlice): string {
  return firstThree(
    each(endpoints).flatMap(({ addresses }) => each(addresses)),
    UNSET,
  );
}
