import { formatLabelSelector } from '../../api/index.ts';
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from '../../api/types/networking/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, NONE } from './column.ts';
import { loadBalancerAddresses } from './load-balancer.ts';

export const ingressColumns: readonly Column[] = [
  nameColumn,
  column<Ingress>('Class', 'Class that serves the ingress', ({ spec }) => spec?.ingressClassName ?? NONE),
  column<Ingress>('Hosts', 'First hosts of the rules', hosts),
  column<Ingress>('Address', 'Where the load balancer listens', ({ status }) =>
    loadBalancerAddresses(each(status?.loadBalancer?.ingress)).join(','),
  ),
  column<Ingress>('Ports', 'Ports that are open', ({ spec }) => (each(spec?.tls).length === 0 ? '80' : '80, 443')),
  ageColumn,
];

const MOST_HOSTS = 3;

/** Rules without a host are not shown, but those behind the third host are counted. */
function hosts({ spec }: Ingress): string {
  const rules = each(spec?.rules);
  const shown: string[] = [];
  let hasMore = false;
  for (const { host = '' } of rules) {
    hasMore ||= shown.length === MOST_HOSTS;
    if (!hasMore && host !== '') shown.push(host);
  }
  if (shown.length === 0) return '*';
  return hasMore ? `${shown.join(',')} + ${rules.length - MOST_HOSTS} more...` : shown.join(',');
}

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';

export const ingressClassColumns: readonly Column[] = [
  {
    ...nameColumn,
    value: ({ metadata }) =>
      `${metadata.name ?? ''}${metadata.annotations?.[DEFAULT_CLASS] === 'true' ? ' (default)' : ''}`,
  },
  column<IngressClass>('Controller', 'Who serves ingresses of the class', ({ spec }) => spec?.controller ?? ''),
  column<IngressClass>('Parameters', 'Object with more settings', parameters),
  ageColumn,
];

function parameters({ spec }: IngressClass): string {
  if (spec?.parameters === undefined) return NONE;
  const { kind, apiGroup, name } = spec.parameters;
  return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`;
}

export const networkPolicyColumns: readonly Column[] = [
  nameColumn,
  column<NetworkPolicy>('Pod-Selector', 'Labels of the pods it is about', ({ spec }) =>
    formatLabelSelector(spec?.podSelector ?? {}),
  ),
  ageColumn,
];

export const serviceCidrColumns: readonly Column[] = [
  nameColumn,
  column<ServiceCIDR>('CIDRs', 'Ranges of addresses for services', ({ spec }) => each(spec?.cidrs).join(',')),
  ageColumn,
];

export const ipAddressColumns: readonly Column[] = [
  nameColumn,
  column<IPAddress>('ParentRef', 'Object that uses the address', parent),
];

function parent({ spec }: IPAddress): string {
  const reference = spec?.parentRef;
  if (reference === undefined) return NONE;
  const { group = '', resource, namespace = '', name } = reference;
  const type = (group === '' ? resource : `${resource}.${group}`).toLowerCase();
  return [type, ...(namespace === '' ? [] : [namespace]), name].join('/');
}
