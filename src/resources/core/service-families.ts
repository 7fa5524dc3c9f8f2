import { type FieldError, invalid, invalidValue } from '../../api/index.ts';
import type { Service, ServiceSpec } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import type { IpFamily } from '../networking/ip-range.ts';
import { familyOf } from '../networking/service-addresses.ts';
import { checkClusterIps } from './service-address-rules.ts';
import { isExternalName, HEADLESS, sameList } from './service-shape.ts';

type AnyService = Whole<Service>;

const POLICY = 'spec.ipFamilyPolicy';

/** Decides the IP families of a service, from its spec, its previous state and the cluster. */
export function decideFamilies(service: AnyService, old: AnyService | undefined, families: readonly IpFamily[]): void {
  if (isExternalName(service) || isUnchangedPreference(service, old)) return;
  const spec = { ...service.spec };
  service.spec = spec;
  const name = service.metadata.name ?? '';
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? defaultPolicy(spec);
  refuse(name, checkClusterIps(service, old));
  refuse(name, [
    ...(old === undefined ? [] : reduceToOne(spec, old.spec)),
    ...checkPolicy(spec),
    ...inferFamilies(spec, families),
  ]);
  if (isSelectorlessHeadless(spec)) return completeHeadless(spec, families);
  refuse(name, checkConfigured(spec, families));
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = families.slice(0, 1);
  const [first] = spec.ipFamilies ?? [];
  if (spec.ipFamilyPolicy !== 'SingleStack' && spec.ipFamilies?.length === 1 && families.length === 2) {
    spec.ipFamilies = [first as IpFamily, other(first as IpFamily)];
  }
}

function refuse(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: '', resource: 'Service' }, name, errors);
}

function isSelectorlessHeadless({ clusterIP, selector }: ServiceSpec): boolean {
  return clusterIP === HEADLESS && Object.keys(selector ?? {}).length === 0;
}

function defaultPolicy(spec: ServiceSpec): 'RequireDualStack' | 'SingleStack' {
  return isSelectorlessHeadless(spec) ? 'RequireDualStack' : 'SingleStack';
}

function other(family: IpFamily): IpFamily {
  return family === 'IPv4' ? 'IPv6' : 'IPv4';
}

/** A service that prefers dual stack keeps its families when the cluster changes. */
function isUnchangedPreference({ spec }: AnyService, old: AnyService | undefined): boolean {
  if (old === undefined || spec.ipFamilyPolicy !== 'PreferDualStack' || spec.type !== old.spec.type) return false;
  if ((old.spec.ipFamilyPolicy ?? 'PreferDualStack') !== 'PreferDualStack') return false;
  return sameList(spec.clusterIPs, old.spec.clusterIPs) && sameList(spec.ipFamilies, old.spec.ipFamilies);
}

/** Dropping the second family requires a change of the policy, not just a missing address. */
function reduceToOne(spec: ServiceSpec, old: ServiceSpec): FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (sameList(clusterIPs, old.clusterIPs) && clusterIPs.length > 1) spec.clusterIPs = clusterIPs.slice(0, 1);
    if (sameList(ipFamilies, old.ipFamilies) && ipFamilies.length > 1) spec.ipFamilies = ipFamilies.slice(0, 1);
    return [];
  }
  const errors: FieldError[] = [];
  if (clusterIPs.length > 0 && clusterIPs.length < (old.clusterIPs ?? []).length) {
    const detail = "must be 'SingleStack' to release the secondary cluster IP";
    errors.push(invalidValue(POLICY, spec.ipFamilyPolicy, detail));
  }
  if (ipFamilies.length > 0 && ipFamilies.length < (old.ipFamilies ?? []).length) {
    const detail = "must be 'SingleStack' to release the secondary IP family";
    errors.push(invalidValue(POLICY, spec.ipFamilyPolicy, detail));
  }
  return errors;
}

function checkPolicy({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec): FieldError[] {
  if (ipFamilyPolicy !== 'SingleStack') return [];
  const detail = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  return [
    ...(clusterIPs.length === 2 ? [invalidValue(POLICY, ipFamilyPolicy, `${detail} cluster IPs are specified`)] : []),
    ...(ipFamilies.length === 2 ? [invalidValue(POLICY, ipFamilyPolicy, `${detail} IP families are specified`)] : []),
  ];
}

/** Infers the families from the addresses. */
function inferFamilies(spec: ServiceSpec, families: readonly IpFamily[]): FieldError[] {
  const errors: FieldError[] = [];
  const { clusterIPs = [] } = spec;
  for (const [index, address] of clusterIPs.entries()) {
    if (address === HEADLESS) break;
    if (index < (spec.ipFamilies ?? []).length) continue;
    const family = familyOf(address);
    if (families.includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else
      errors.push(invalidValue(`spec.clusterIPs[${index}]`, clusterIPs, `${family} is not configured on this cluster`));
  }
  return errors;
}

/** The endpoints of a headless service without a selector are unknown, so it has both families on any cluster. */
function completeHeadless(spec: ServiceSpec, families: readonly IpFamily[]): void {
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = families.slice(0, 1);
  const [first] = spec.ipFamilies ?? [];
  if (spec.ipFamilies?.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    spec.ipFamilies = [first as IpFamily, other(first as IpFamily)];
  }
}

function checkConfigured(spec: ServiceSpec, families: readonly IpFamily[]): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.ipFamilyPolicy === 'RequireDualStack' && families.length < 2) {
    const detail = 'this cluster is not configured for dual-stack services';
    errors.push(invalidValue(POLICY, spec.ipFamilyPolicy, detail));
  }
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (families.includes(family as IpFamily)) continue;
    errors.push(invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  }
  return errors;
}
