import {
  asJson,
  duplicate,
  invalidValue,
  isIpv4,
  legacyIpProblems,
  notSupported,
  parseIp,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Service } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { isExternalName, isHeadless, HEADLESS } from './service-shape.ts';
import { firstIndexes } from '../first-indexes.ts';

const ADDRESSES = 'spec.clusterIPs';
const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** Whether the addresses, families and policy of a service fit together. */
export function checkClusterIps(service: Whole<Service>, old: Whole<Service> | undefined): FieldError[] {
  if (isExternalName(service)) return [];
  const { clusterIPs = [], ipFamilyPolicy } = service.spec;
  const errors = [...checkFirst(service), ...checkFamilyNames(service.spec.ipFamilies ?? [])];
  if (ipFamilyPolicy !== undefined && !POLICIES.includes(ipFamilyPolicy)) {
    errors.push(notSupported('spec.ipFamilyPolicy', asJson(ipFamilyPolicy ?? ''), POLICIES));
  }
  const bad = checkAddresses(clusterIPs, old?.spec.clusterIPs ?? []);
  errors.push(...bad);
  if (clusterIPs.length > 2) errors.push(invalidValue(ADDRESSES, clusterIPs, 'may only hold up to 2 values'));
  if (bad.length > 0) return errors;
  if (clusterIPs.length > 1 && !hasBothFamilies(clusterIPs)) {
    errors.push(invalidValue(ADDRESSES, clusterIPs, 'may specify no more than one IP for each IP family'));
  }
  return [...errors, ...(isHeadless(service) ? [] : checkFamiliesOf(service))];
}

function checkFirst({ spec }: Whole<Service>): FieldError[] {
  const { clusterIP = '', clusterIPs = [] } = spec;
  if (clusterIP === '') {
    if (clusterIPs.length === 0) return [];
    return [invalidValue(ADDRESSES, clusterIPs, 'must be empty when `clusterIP` is not specified')];
  }
  if (clusterIPs.length === 0) return [required(ADDRESSES)];
  if (clusterIPs[0] === clusterIP) return [];
  return [invalidValue(ADDRESSES, clusterIPs, 'first value must match `clusterIP`')];
}

function checkFamilyNames(families: readonly string[]): FieldError[] {
  const first = firstIndexes(families);
  return families.flatMap((family, index) => {
    const field = `spec.ipFamilies[${index}]`;
    return [
      ...(FAMILIES.includes(family) ? [] : [notSupported(field, asJson(family ?? ''), FAMILIES)]),
      ...(first.get(family) !== index ? [duplicate(field, family)] : []),
    ];
  });
}

function checkAddresses(addresses: readonly string[], old: readonly string[]): FieldError[] {
  const known = new Set(old);
  return addresses.flatMap((address, index) => {
    if (index === 0 && address === HEADLESS) {
      if (addresses.length === 1) return [];
      return [invalidValue(ADDRESSES, addresses, "'None' must be the first and only value")];
    }
    if (known.has(address)) return [];
    return legacyIpProblems(address).map((problem) => invalidValue(`${ADDRESSES}[${index}]`, address, problem));
  });
}

function isV4(address: string): boolean {
  const parsed = parseIp(address);
  return parsed !== undefined && isIpv4(parsed);
}

function hasBothFamilies(addresses: readonly string[]): boolean {
  return addresses.some(isV4) && addresses.some((address) => !isV4(address));
}

function checkFamiliesOf({ spec }: Whole<Service>): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  return clusterIPs.flatMap((address, index) => {
    const family = ipFamilies[index];
    if (family !== 'IPv4' && family !== 'IPv6') return [];
    if ((family === 'IPv4') === isV4(address)) return [];
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return [invalidValue(`${ADDRESSES}[${index}]`, address, detail)];
  });
}
