import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicate,
  invalidValue,
  isIpv4,
  legacyIpProblems,
  parseIp,
  required,
  tooMany,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { EndpointPort, EndpointSlice } from '../../api/types/discovery/v1.d.ts';
import { checkEndpointIp, isApiEndpoint } from '../core/address-rules.ts';
import type { Whole } from '../kind.ts';

const MAX_ENDPOINTS = 1000;
const MAX_PORTS = 20_000;
const MAX_ADDRESSES = 100;

export function checkEndpointSlice(slice: Whole<EndpointSlice>): FieldError[] {
  return isApiEndpoint(slice.metadata) ? [] : checkAll(slice, new Set());
}

export function checkEndpointSliceUpdate(slice: Whole<EndpointSlice>, old: Whole<EndpointSlice>): FieldError[] {
  if (isApiEndpoint(slice.metadata)) return [];
  return checkAll(slice, new Set((old.endpoints ?? []).flatMap(({ addresses }) => addresses)));
}

/** Addresses that were there before are not judged again. */
function checkAll({ addressType, endpoints, ports }: Whole<EndpointSlice>, known: ReadonlySet<string>): FieldError[] {
  const all = endpoints ?? [];
  if (all.length > MAX_ENDPOINTS) return [tooMany('endpoints', all.length, MAX_ENDPOINTS), ...checkPorts(ports ?? [])];
  const errors = all.flatMap(({ addresses = [] }, index) => {
    const field = `endpoints[${index}].addresses`;
    if (addresses.length === 0) return [required(field, 'must contain at least 1 address')];
    if (addresses.length > MAX_ADDRESSES) return [tooMany(field, addresses.length, MAX_ADDRESSES)];
    return addresses.flatMap((address, at) =>
      known.has(address) ? [] : checkAddress(address, `${field}[${at}]`, addressType),
    );
  });
  return [...errors, ...checkPorts(ports ?? [])];
}

function checkAddress(address: string, field: string, type: string): FieldError[] {
  if (type === 'FQDN') {
    const problems = dns1123SubdomainProblems(address.replace(/\.$/, ''));
    return problems.map((problem) => invalidValue(field, address, problem));
  }
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const errors = legacyIpProblems(address).map((problem) => invalidValue(field, address, problem));
  if (errors.length > 0) return errors;
  const parsed = parseIp(address);
  if (parsed !== undefined && isIpv4(parsed) !== (type === 'IPv4')) {
    errors.push(invalidValue(field, address, `must be an ${type} address`));
  }
  return [...errors, ...checkEndpointIp(address, field)];
}

function checkPorts(ports: readonly EndpointPort[]): FieldError[] {
  if (ports.length > MAX_PORTS) return [tooMany('ports', ports.length, MAX_PORTS)];
  const names = new Set<string>();
  return ports.flatMap(({ name = '' }, index) => {
    const field = `ports[${index}].name`;
    const problems = name === '' ? [] : dns1123LabelProblems(name);
    const errors = problems.map((problem) => invalidValue(field, name, problem));
    if (names.has(name)) errors.push(duplicate(field, name));
    names.add(name);
    return errors;
  });
}
