import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  invalidValue,
  ipWarnings,
  legacyIpProblems,
  required,
} from '../../api/index.ts';
import type { EndpointAddress, Endpoints } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { ageColumn, column, each, firstThree, nameColumn, NONE } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkEndpointIp, isApiEndpoint } from './address-rules.ts';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const CONTROLLER = 'endpoint-controller';

export const endpoints = defineKind<Endpoints>({
  changeSteps: ['metadataChange', 'metadata', 'object'],
  group: '',
  plural: 'endpoints',
  columns: [
    nameColumn,
    column('Endpoints', 'First addresses and ports behind the service', endpointAddresses),
    ageColumn,
  ],
  folder: 'services/endpoints',
  createOnUpdate: true,
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  validate: checkEndpoints,
  /** Stored values may stay, although they would be refused today. */
  validateUpdate: (object, old) => (deepEqual(object.subsets ?? [], old.subsets ?? []) ? [] : checkEndpoints(object)),
  warnings: (object) => addressWarnings(object),
});

/** Skips the controller's own objects, whose addresses are always canonical. */
function addressWarnings({ metadata, subsets = [] }: Whole<Endpoints>): string[] {
  if (metadata.labels?.[MANAGED_BY] === CONTROLLER) return [];
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [] }, index) => [
    ...addresses.flatMap(({ ip }, at) => ipWarnings(`subsets[${index}].addresses[${at}].ip`, ip)),
    ...notReadyAddresses.flatMap(({ ip }, at) => ipWarnings(`subsets[${index}].notReadyAddresses[${at}].ip`, ip)),
  ]);
}

function checkEndpoints({ metadata, subsets = [] }: Whole<Endpoints>): FieldError[] {
  if (isApiEndpoint(metadata)) return [];
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const field = `subsets[${index}]`;
    const isEmpty = addresses.length === 0 && notReadyAddresses.length === 0;
    return [
      ...(isEmpty ? [required(field, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...checkAddresses(addresses, `${field}.addresses`),
      ...checkAddresses(notReadyAddresses, `${field}.notReadyAddresses`),
      ...ports.flatMap(({ name = '' }, at) =>
        ports.length > 1 && name === '' ? [required(`${field}.ports[${at}].name`)] : [],
      ),
    ];
  });
}

function checkAddresses(addresses: readonly EndpointAddress[], field: string): FieldError[] {
  return addresses.flatMap(({ ip, hostname = '', nodeName }, index) => {
    const at = `${field}[${index}]`;
    const names = hostname === '' ? [] : dns1123LabelProblems(hostname);
    const nodes = nodeName === undefined ? [] : dns1123SubdomainProblems(nodeName);
    return [
      ...legacyIpProblems(ip).map((problem) => invalidValue(`${at}.ip`, ip, problem)),
      ...names.map((problem) => invalidValue(`${at}.hostname`, hostname, problem)),
      ...nodes.map((problem) => invalidValue(`${at}.nodeName`, nodeName, problem)),
      ...checkEndpointIp(ip, `${at}.ip`),
    ];
  });
}

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

/** IPv6 addresses need brackets before a port. */
function hostOf(ip: string): string {
  return ip.includes(':') ? `[${ip}]` : ip;
}
