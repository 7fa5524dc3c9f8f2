import { forbiddenField, invalidValue } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Service } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { isExternalName, isHeadless, needsHealthCheck } from './service-shape.ts';

type AnyService = Whole<Service>;

const FIXED = 'may not change once set';

/** What may not change about a service: its addresses, families, load balancer and health check, unless its type does. */
export function checkServiceUpdate(service: AnyService, old: AnyService): FieldError[] {
  return [
    ...checkAddresses(service, old),
    ...checkFamilies(service, old),
    ...checkLoadBalancerClass(service, old),
    ...checkHealthCheckPort(service, old),
  ];
}

function checkAddresses(service: AnyService, old: AnyService): FieldError[] {
  if (isExternalName(service) || isExternalName(old) || (isHeadless(service) && isHeadless(old))) return [];
  const { clusterIPs: now = [], ipFamilyPolicy } = service.spec;
  const { clusterIPs: was = [] } = old.spec;
  const field = 'spec.clusterIPs';
  if (now.length === was.length) {
    return was.flatMap((address, index) =>
      address === now[index] ? [] : [invalidValue(`${field}[${index}]`, now, FIXED)],
    );
  }
  const errors: FieldError[] = [];
  if (now.length === 0) errors.push(invalidValue(`${field}[0]`, now, 'primary clusterIP can not be unset'));
  if (now.length > 0 && was.length > 0 && now[0] !== was[0]) errors.push(invalidValue(`${field}[0]`, now, FIXED));
  if (was.length > now.length && now.length === 1 && ipFamilyPolicy !== 'SingleStack') {
    const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP";
    errors.push(invalidValue('spec.ipFamilyPolicy', ipFamilyPolicy ?? null, detail));
  }
  return errors;
}

function checkFamilies(service: AnyService, old: AnyService): FieldError[] {
  if (isExternalName(service) || isExternalName(old)) return [];
  if (isHeadless(service) || isHeadless(old)) return [];
  const { ipFamilies: now = [], clusterIPs = [], ipFamilyPolicy } = service.spec;
  const { ipFamilies: was = [] } = old.spec;
  const field = 'spec.ipFamilies[0]';
  if (now.length === was.length) {
    return was.flatMap((family, index) => (family === now[index] ? [] : [invalidValue(field, now, FIXED)]));
  }
  const errors: FieldError[] = [];
  if (was.length > now.length && clusterIPs.length === 0) {
    errors.push(invalidValue(field, now, 'primary ipFamily can not be unset'));
  }
  if (now.length > 0 && was.length > 0 && now[0] !== was[0]) errors.push(invalidValue(field, clusterIPs, FIXED));
  if (was.length > now.length && now.length === 1 && ipFamilyPolicy !== 'SingleStack') {
    const detail = "must be set to 'SingleStack' when releasing the secondary ipFamily";
    errors.push(invalidValue('spec.ipFamilyPolicy', ipFamilyPolicy ?? null, detail));
  }
  return errors;
}

function checkLoadBalancerClass({ spec }: AnyService, { spec: was }: AnyService): FieldError[] {
  if (spec.type !== 'LoadBalancer' || was.type !== 'LoadBalancer') return [];
  if (spec.loadBalancerClass === was.loadBalancerClass) return [];
  return [invalidValue('spec.loadBalancerClass', spec.loadBalancerClass ?? null, FIXED)];
}

function checkHealthCheckPort(service: AnyService, old: AnyService): FieldError[] {
  if (!needsHealthCheck(service) || !needsHealthCheck(old)) return [];
  if (service.spec.healthCheckNodePort === old.spec.healthCheckNodePort) return [];
  return [forbiddenField('spec.healthCheckNodePort', 'field is immutable')];
}
