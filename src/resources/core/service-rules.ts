import {
  asJson,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  duplicate,
  forbiddenField,
  invalidValue,
  legacyCidrProblems,
  legacyIpProblems,
  notSupported,
  parseIp,
  portNameProblems,
  portNumberProblems,
  qualifiedNameProblems,
  quoteGo,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { Service, ServicePort, ServiceStatus } from '../../api/types/core/v1.d.ts';
import { checkLabels } from '../../apiserver/index.ts';
import type { Whole } from '../kind.ts';
import { checkEndpointIp } from './address-rules.ts';
import { checkClusterIps } from './service-address-rules.ts';
import { isExternalName, isHeadless, isReachableFromOutside, needsHealthCheck } from './service-shape.ts';

type AnyService = Whole<Service>;

const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

export function checkService(service: AnyService, old: AnyService | undefined): FieldError[] {
  const { spec } = service;
  const { ports = [] } = spec;
  const lacksPorts = ports.length === 0 && !isHeadless(service) && !isExternalName(service);
  return [
    ...checkTopologyAnnotations(service),
    ...(lacksPorts ? [required('spec.ports')] : []),
    ...checkByType(service),
    ...checkPorts(ports),
    ...checkLabels(spec.selector, 'spec.selector'),
    ...checkAffinity(spec),
    ...checkClusterIps(service, old),
    ...checkExternalIps(spec.externalIPs ?? [], old?.spec.externalIPs ?? []),
    ...checkType(spec),
    ...checkNodePorts(service),
    ...checkSourceRanges(service, old),
    ...checkLoadBalancerFields(service),
    ...checkTrafficPolicies(service),
  ];
}

const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';

function checkTopologyAnnotations({ metadata }: AnyService): FieldError[] {
  const hints = metadata.annotations?.[HINTS];
  const mode = metadata.annotations?.[MODE];
  if (hints === undefined || mode === undefined || hints === mode) return [];
  return [
    invalidValue(`metadata.annotations[${MODE}]`, mode, `must match annotations[${HINTS}] when both are specified`),
  ];
}

function checkByType(service: AnyService): FieldError[] {
  const { spec } = service;
  switch (spec.type) {
    case 'LoadBalancer':
    case 'NodePort':
      if (!isHeadless(service)) return [];
      return [invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`)];
    case 'ExternalName': {
      const set = (['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const).filter((name) => spec[name] !== undefined);
      const name = (spec.externalName ?? '').replace(/\.$/, '');
      return [
        ...set.map((member) => forbiddenField(`spec.${member}`, 'may not be set for ExternalName services')),
        ...(name === '' ? [required('spec.externalName')] : []),
        ...(name === ''
          ? []
          : dns1123SubdomainProblems(name).map((problem) => invalidValue('spec.externalName', name, problem))),
      ];
    }
    default:
      return [];
  }
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

function checkPorts(ports: readonly ServicePort[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = '', port, protocol = '', targetPort, appProtocol }, index) => {
    const field = `spec.ports[${index}]`;
    const errors: FieldError[] = [];
    if (name !== '') {
      for (const problem of dns1123LabelProblems(name)) errors.push(invalidValue(`${field}.name`, name, problem));
      if (names.has(name)) errors.push(duplicate(`${field}.name`, name));
      names.add(name);
    } else if (ports.length > 1) {
      errors.push(required(`${field}.name`));
    }
    for (const problem of portNumberProblems(port)) errors.push(invalidValue(`${field}.port`, port, problem));
    if (!PROTOCOLS.includes(protocol))
      errors.push(notSupported(`${field}.protocol`, asJson(protocol ?? ''), PROTOCOLS));
    const problems =
      typeof targetPort === 'string' ? portNameProblems(targetPort) : portNumberProblems(targetPort ?? 0);
    errors.push(...problems.map((problem) => invalidValue(`${field}.targetPort`, targetPort, problem)));
    if (appProtocol === undefined) return errors;
    for (const problem of qualifiedNameProblems(appProtocol)) {
      errors.push(invalidValue(`${field}.appProtocol`, appProtocol, problem));
    }
    return errors;
  });
}

function checkExternalIps(addresses: readonly string[], old: readonly string[]): FieldError[] {
  const known = new Set(old);
  return addresses.flatMap((address, index) => {
    const field = `spec.externalIPs[${index}]`;
    const problems = known.has(address) ? [] : legacyIpProblems(address);
    if (problems.length > 0) return problems.map((problem) => invalidValue(field, address, problem));
    return checkEndpointIp(address, field);
  });
}

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

function checkType({ type }: AnyService['spec']): FieldError[] {
  const given: string = type ?? '';
  return TYPES.includes(given) ? [] : [notSupported('spec.type', asJson(given), TYPES)];
}

function checkNodePorts({ spec }: AnyService): FieldError[] {
  const { ports = [], type } = spec;
  const errors: FieldError[] = [];
  for (const [index, { nodePort = 0 }] of ports.entries()) {
    if (type !== 'ClusterIP' || nodePort === 0) continue;
    errors.push(forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'"));
  }
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  for (const [index, { protocol = '', nodePort = 0 }] of ports.entries()) {
    const key = `${protocol}/${nodePort}`;
    if (nodePort !== 0 && nodePorts.has(key)) errors.push(duplicate(`spec.ports[${index}].nodePort`, nodePort));
    nodePorts.add(key);
  }
  for (const [index, { protocol = '', port }] of ports.entries()) {
    const key = `${protocol}/${port}`;
    if (numbers.has(key)) errors.push(duplicate(`spec.ports[${index}]`, printedPort(protocol, port)));
    numbers.add(key);
  }
  return errors;
}

/** A port as upstream prints its unversioned type. */
function printedPort(protocol: string, port: number): unknown {
  return { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
}

const AFFINITIES = ['ClientIP', 'None'];

/** The limits of the time are rules of its type. */
function checkAffinity({ sessionAffinity }: AnyService['spec']): FieldError[] {
  const affinity: string = sessionAffinity ?? '';
  if (AFFINITIES.includes(affinity)) return [];
  return [notSupported('spec.sessionAffinity', asJson(affinity ?? ''), AFFINITIES)];
}

const LOAD_BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'";

function checkSourceRanges({ metadata, spec }: AnyService, old: AnyService | undefined): FieldError[] {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const isBalancer = spec.type === 'LoadBalancer';
  if (ranges.length > 0) {
    const field = 'spec.LoadBalancerSourceRanges';
    const known = new Set((old?.spec.loadBalancerSourceRanges ?? []).map((range) => range.trim()));
    return [
      ...(isBalancer ? [] : [forbiddenField(field, LOAD_BALANCER_ONLY)]),
      ...ranges.flatMap((range, index) => checkCidr(range.trim(), `${field}[${index}]`, known)),
    ];
  }
  const annotation = metadata.annotations?.[SOURCE_RANGES];
  if (annotation === undefined) return [];
  const field = `metadata.annotations[${SOURCE_RANGES}]`;
  const isOld = old?.metadata.annotations?.[SOURCE_RANGES] === annotation;
  const parts = isOld || annotation.trim() === '' ? [] : annotation.trim().split(',');
  return [
    ...(isBalancer ? [] : [forbiddenField(field, LOAD_BALANCER_ONLY)]),
    ...parts.flatMap((range) => checkCidr(range.trim(), field, new Set())),
  ];
}

function checkCidr(value: string, field: string, known: ReadonlySet<string>): FieldError[] {
  if (known.has(value)) return [];
  return legacyCidrProblems(value).map((problem) => invalidValue(field, value, problem));
}

function checkLoadBalancerFields(service: AnyService): FieldError[] {
  const { type, allocateLoadBalancerNodePorts } = service.spec;
  const isMisplaced = type !== 'LoadBalancer' && allocateLoadBalancerNodePorts !== undefined;
  return [
    ...(isMisplaced ? [forbiddenField('spec.allocateLoadBalancerNodePorts', LOAD_BALANCER_ONLY)] : []),
    ...checkLoadBalancerClass(service),
  ];
}

function checkLoadBalancerClass({ spec: { type, loadBalancerClass } }: AnyService): FieldError[] {
  const field = 'spec.loadBalancerClass';
  if (loadBalancerClass === undefined) return [];
  if (type !== 'LoadBalancer') return [forbiddenField(field, LOAD_BALANCER_ONLY)];
  return qualifiedNameProblems(loadBalancerClass).map((problem) => invalidValue(field, loadBalancerClass, problem));
}

const EXTERNAL_POLICIES = ['Cluster', 'Local'];

function checkTrafficPolicies(service: AnyService): FieldError[] {
  const { externalTrafficPolicy = '', healthCheckNodePort = 0 } = service.spec;
  const errors: FieldError[] = [];
  const policy = 'spec.externalTrafficPolicy';
  if (!isReachableFromOutside(service)) {
    const detail = 'may only be set for externally-accessible services';
    if (externalTrafficPolicy !== '') errors.push(invalidValue(policy, externalTrafficPolicy, detail));
  } else if (!EXTERNAL_POLICIES.includes(externalTrafficPolicy)) {
    errors.push(notSupported(policy, asJson(externalTrafficPolicy ?? ''), EXTERNAL_POLICIES));
  }
  const field = 'spec.healthCheckNodePort';
  if (!needsHealthCheck(service)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    if (healthCheckNodePort !== 0) errors.push(invalidValue(field, healthCheckNodePort, detail));
    return errors;
  }
  if (healthCheckNodePort === 0) return [...errors, required(field)];
  return [
    ...errors,
    ...portNumberProblems(healthCheckNodePort).map((problem) => invalidValue(field, healthCheckNodePort, problem)),
  ];
}

const IP_MODES = ['Proxy', 'VIP'];

/** The rules of a load balancer's status. */
export function checkLoadBalancerStatus(
  { loadBalancer }: ServiceStatus,
  { old, type }: { readonly old: ServiceStatus; readonly type: string },
): FieldError[] {
  const { ingress = [] } = loadBalancer ?? {};
  const field = 'status.loadBalancer.ingress';
  if (type !== 'LoadBalancer' && ingress.length > 0) {
    return [forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const known = new Set((old.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip));
  return ingress.flatMap(({ ip = '', ipMode, hostname = '' }, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    if (ip !== '' && !known.has(ip)) {
      for (const problem of legacyIpProblems(ip)) errors.push(invalidValue(`${at}.ip`, ip, problem));
    }
    if (ipMode === undefined) {
      if (ip !== '') errors.push(required(`${at}.ipMode`, 'must be specified when `ip` is set'));
    } else if (ip === '') {
      errors.push(forbiddenField(`${at}.ipMode`, 'may not be specified when `ip` is not set'));
    } else if (!IP_MODES.includes(ipMode)) {
      const detail = `supported values: ${IP_MODES.map((mode) => quoteGo(mode)).join(', ')}`;
      errors.push({ reason: 'FieldValueNotSupported', field: `${at}.ipMode`, value: ipMode, detail });
    }
    if (hostname === '') return errors;
    for (const problem of dns1123SubdomainProblems(hostname))
      errors.push(invalidValue(`${at}.hostname`, hostname, problem));
    if (parseIp(hostname) !== undefined) {
      errors.push(invalidValue(`${at}.hostname`, hostname, 'must be a DNS name, not an IP address'));
    }
    return errors;
  });
}

const FIXED = 'may not change once set';

/** The immutable fields of a service: addresses, families, load balancer and health check, unless its type changes. */
export function checkServiceUpdate(service: AnyService, old: AnyService): FieldError[] {
  return [
    ...checkAddresses(service, old),
    ...checkFamilies(service, old),
    ...checkLoadBalancerClassUpdate(service, old),
    ...checkLoadBalancerClass(service), // once more among the rules of any service
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

function checkLoadBalancerClassUpdate({ spec }: AnyService, { spec: was }: AnyService): FieldError[] {
  if (spec.type !== 'LoadBalancer' || was.type !== 'LoadBalancer') return [];
  if (spec.loadBalancerClass === was.loadBalancerClass) return [];
  return [invalidValue('spec.loadBalancerClass', spec.loadBalancerClass ?? null, FIXED)];
}

function checkHealthCheckPort(service: AnyService, old: AnyService): FieldError[] {
  if (!needsHealthCheck(service) || !needsHealthCheck(old)) return [];
  if (service.spec.healthCheckNodePort === old.spec.healthCheckNodePort) return [];
  return [forbiddenField('spec.healthCheckNodePort', 'field is immutable')];
}
