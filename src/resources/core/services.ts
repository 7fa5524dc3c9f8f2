import { cidrWarnings, formatLabels, ipWarnings } from '../../api/index.ts';
import type { Service, ServicePort, ServiceSpec } from '../../api/types/core/v1.d.ts';
import type { Alongside, Change, WriteContext } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn, NONE, UNKNOWN, wide } from '../columns/column.ts';
import { loadBalancerAddresses } from '../columns/load-balancer.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind, type Whole } from '../kind.ts';
import { labelName } from '../name-rules.ts';
import { proxied } from './connections.ts';
import { ServiceAllotment } from './service-allotment.ts';
import { checkLoadBalancerStatus, checkService, checkServiceUpdate } from './service-rules.ts';
import {
  isExternalName,
  isReachableFromOutside,
  needsHealthCheck,
  nodePortsOf,
  HEADLESS,
  sameList,
  usesNodePorts,
  wantsNodePorts,
} from './service-shape.ts';

export function services(environment: KindEnvironment): Kind {
  const allotment = new ServiceAllotment(environment);
  const endpoints = environment.objects.of('', 'endpoints');

  /** Deletes the Endpoints of a service with it, so that the next service with that name does not inherit them. */
  async function alongside(change: Change, context: WriteContext): Promise<Alongside> {
    const own = await allotment.alongside(change, context);
    if (change.type !== 'delete') return own;
    const { namespace = '', name = '' } = change.old.metadata;
    const key = endpoints.keyOf(namespace, name);
    return { ...own, operations: [...own.operations, { type: 'delete', key }] };
  }

  return defineKind<Service>({
    changeSteps: ['metadataChange', 'change', 'object'],
    group: '',
    plural: 'services',
    columns: [
      nameColumn,
      column('Type', 'How the service can be reached', ({ spec }) => spec?.type ?? ''),
      column('Cluster-IP', 'First address inside of the cluster', ({ spec }) => each(spec?.clusterIPs)[0] ?? NONE),
      column('External-IP', 'Addresses or names outside of the cluster', externalAddress),
      column('Port(s)', 'Ports, with the node ports they have', servicePorts),
      ageColumn,
      wide('Selector', 'Labels of the pods behind it', ({ spec }) => formatLabels(spec?.selector ?? {})),
    ],
    folder: 'services/specs',
    checkName: labelName,
    ownRulesFor: ['spec.type', 'spec.ipFamilies', 'spec.ipFamilyPolicy', 'spec.externalTrafficPolicy'],
    createOnUpdate: true,
    returnsDeletedObject: true,
    applyDefaults: defaultService,

    async prepareForCreate(service, context) {
      syncClusterIps(service, undefined);
      await allotment.choose(service, undefined, context);
    },

    async prepareForUpdate(service, old, context) {
      keepAllotted(service, old);
      syncClusterIps(service, old);
      await allotment.choose(service, old, context);
      dropWhatTypeLacks(service, old);
    },

    /** An alias has no policy, though earlier versions stored one; what is sent is dropped once it was checked. */
    complete(service) {
      if (!isExternalName(service)) return;
      const { internalTrafficPolicy: _, ...spec } = service.spec;
      service.spec = spec;
    },

    validate: (service) => checkService(service, undefined),
    validateUpdate: checkService,
    validateChange: checkServiceUpdate,
    validateStatus: (service, old) =>
      checkLoadBalancerStatus(service.status, { old: old.status, type: service.spec.type ?? '' }),
    warnings: serviceWarnings,
    alongside,

    selectable: {
      'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '',
      'spec.type': ({ spec }) => spec.type ?? '',
    },
    subresources: { proxy: proxied(environment, 'serviceproxy') },
  });
}

const AFFINITY_SECONDS = 10_800;

function defaultService({ spec, status }: Whole<Service>): void {
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
  }
  for (const port of spec.ports ?? []) {
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
  }
  if (isReachableFromOutside({ spec })) spec.externalTrafficPolicy ||= 'Cluster';
  if (usesNodePorts({ spec }) || spec.type === 'ClusterIP') spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status.loadBalancer?.ingress ?? []) {
    if ((ingress.ip ?? '') !== '') ingress.ipMode ??= 'VIP';
  }
}

type AnyService = Whole<Service>;

/** Keeps allocated values if the writer leaves them out: sending the same manifest again changes nothing. */
function keepAllotted(service: AnyService, old: AnyService): void {
  const spec = { ...service.spec };
  if (!isExternalName(old) && !isExternalName(service)) {
    if ((spec.clusterIP ?? '') === '') spec.clusterIP = old.spec.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && (old.spec.clusterIPs ?? []).length > 0) {
      spec.clusterIPs = old.spec.clusterIPs;
    }
  }
  if (wantsNodePorts(old) && wantsNodePorts(service)) spec.ports = withOldNodePorts(spec, old.spec);
  if (needsHealthCheck(old) && needsHealthCheck(service) && (spec.healthCheckNodePort ?? 0) === 0) {
    spec.healthCheckNodePort = old.spec.healthCheckNodePort;
  }
  service.spec = spec;
}

function withOldNodePorts(spec: ServiceSpec, old: ServiceSpec): ServicePort[] | undefined {
  const wanted = new Set(nodePortsOf(spec));
  const used = new Set(nodePortsOf(old).filter((port) => wanted.has(port)));
  const byName = new Map((old.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  return spec.ports?.map((port) => {
    if ((port.nodePort ?? 0) !== 0) return port;
    const before = byName.get(port.name ?? '') ?? 0;
    return before === 0 || used.has(before) ? port : { ...port, nodePort: before };
  });
}

/** `clusterIP` is the first of `clusterIPs`; a writer that only knows one of the two changes both. */
function syncClusterIps(service: AnyService, old: AnyService | undefined): void {
  const { clusterIP = '', clusterIPs = [] } = service.spec;
  if (old === undefined) {
    if (clusterIP !== '' && clusterIPs.length === 0) service.spec = { ...service.spec, clusterIPs: [clusterIP] };
    return;
  }
  const { clusterIP: oldIp = '', clusterIPs: oldIps = [] } = old.spec;
  let next: readonly string[] = clusterIPs;
  if (oldIps.length > 0 && next.length === 0 && oldIp === clusterIP) next = oldIps;
  if (oldIp !== clusterIP && sameList(oldIps, next)) next = oldIp !== '' && clusterIP === '' ? [] : [clusterIP];
  service.spec = { ...service.spec, clusterIPs: next.length === 0 ? undefined : [...next] };
}

/** After a change of type, drops fields that only the old type had and the writer did not touch. */
function dropWhatTypeLacks(service: AnyService, old: AnyService): void {
  const spec = { ...service.spec };
  const was = old.spec;
  if (!isExternalName(old) && isExternalName(service)) {
    if ((spec.clusterIP ?? '') === (was.clusterIP ?? '') && sameList(spec.clusterIPs, was.clusterIPs)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (sameList(spec.ipFamilies, was.ipFamilies)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === was.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  const oldPorts = new Set(nodePortsOf(was));
  const keepsPorts = nodePortsOf(spec).every((port) => oldPorts.has(port));
  if (usesNodePorts(old) && !usesNodePorts(service) && keepsPorts) {
    spec.ports = spec.ports?.map(({ nodePort: _, ...port }) => port);
  }
  if (needsHealthCheck(old) && !needsHealthCheck(service) && spec.healthCheckNodePort === was.healthCheckNodePort) {
    delete spec.healthCheckNodePort;
  }
  if (was.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (spec.allocateLoadBalancerNodePorts === was.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (spec.loadBalancerClass === was.loadBalancerClass) delete spec.loadBalancerClass;
  }
  const isHidden = isReachableFromOutside(old) && !isReachableFromOutside(service);
  if (isHidden && spec.externalTrafficPolicy === was.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  service.spec = spec;
  if (spec.type !== 'LoadBalancer') service.status = { ...service.status, loadBalancer: {} };
}

const HINTS = 'service.kubernetes.io/topology-aware-hints';
const MODE = 'service.kubernetes.io/topology-mode';

/** Warnings about valid fields that may not have the expected effect. */
function serviceWarnings({ metadata, spec }: Whole<Service>): string[] {
  const { externalIPs = [], clusterIPs = [], loadBalancerIP = '', type } = spec;
  const warnings: string[] = [];
  const isHeadless = type === 'ClusterIP' && spec.clusterIP === HEADLESS;
  if (metadata.annotations?.[HINTS] !== undefined) {
    warnings.push(`annotation ${HINTS} is deprecated, please use ${MODE} instead`);
  }
  if (spec.clusterIP !== HEADLESS && spec.clusterIP !== undefined) {
    warnings.push(...clusterIPs.flatMap((address, index) => ipWarnings(`spec.clusterIPs[${index}]`, address)));
  }
  if (isHeadless) {
    if (loadBalancerIP !== '') warnings.push('spec.loadBalancerIP is ignored for headless services');
    if (externalIPs.length > 0) warnings.push('spec.externalIPs is ignored for headless services');
    if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services');
  }
  warnings.push(...externalIPs.flatMap((address, index) => ipWarnings(`spec.externalIPs[${index}]`, address)));
  if (externalIPs.length > 0 && !isHeadless && type !== 'ExternalName') {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (loadBalancerIP !== '') warnings.push(...ipWarnings('spec.loadBalancerIP', loadBalancerIP));
  for (const [index, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    warnings.push(...cidrWarnings(`spec.loadBalancerSourceRanges[${index}]`, range));
  }
  if (type === 'ExternalName' && externalIPs.length > 0) {
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (type !== 'ExternalName' && (spec.externalName ?? '') !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}

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

function servicePorts({ spec }: Service): string {
  const printed = each(spec?.ports).map(({ port, nodePort = 0, protocol = '' }) =>
    nodePort > 0 ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return printed.length === 0 ? NONE : printed.join(',');
}
