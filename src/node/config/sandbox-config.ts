// Pods as the runtime is told of them.
import type { Observed, Pod } from '../../client/index.ts';
import type { ContainerSpec } from '../life/index.ts';
import {
  type DnsConfig,
  POD_NAME,
  POD_NAMESPACE,
  POD_UID,
  type PodSandboxConfig,
  type PortMapping,
} from '../runtime/index.ts';
import { sandboxSecurity } from './security-context.ts';

const LOG_FOLDER = '/var/log/pods';
const CLUSTER_DOMAIN = 'cluster.local';
const LONGEST_HOSTNAME = 63;

export function sandboxConfig(pod: Observed<Pod>, attempt: number): PodSandboxConfig {
  const { name, namespace = '', uid, labels = {}, annotations = {} } = pod.metadata;
  const dnsConfig = dnsOf(pod);
  return {
    metadata: { name, namespace, uid, attempt },
    hostname: pod.spec?.hostNetwork === true ? '' : hostnameOf(pod),
    logDirectory: `${LOG_FOLDER}/${namespace}_${name}_${uid}`,
    ...(dnsConfig === undefined ? {} : { dnsConfig }),
    portMappings: (pod.spec?.containers ?? []).flatMap(portMappings),
    labels: { ...labels, ...podLabels(pod) },
    annotations,
    linux: {
      cgroupParent: cgroupParent(pod),
      securityContext: sandboxSecurity(pod),
      sysctls: Object.fromEntries((pod.spec?.securityContext?.sysctls ?? []).map((each) => [each.name, each.value])),
    },
  };
}

/** By these labels pods and containers are known again. */
export function podLabels({ metadata }: Observed<Pod>): Record<string, string> {
  return { [POD_NAME]: metadata.name, [POD_NAMESPACE]: metadata.namespace ?? '', [POD_UID]: metadata.uid };
}

function hostnameOf({ metadata, spec }: Observed<Pod>): string {
  const full = spec?.hostnameOverride ?? spec?.hostname ?? metadata.name;
  const hostname = full.slice(0, LONGEST_HOSTNAME).replace(/[-.]+$/, '');
  if (spec?.setHostnameAsFQDN !== true || spec.subdomain === undefined || spec.hostnameOverride !== undefined)
    return hostname;
  return `${hostname}.${spec.subdomain}.${metadata.namespace ?? ''}.svc.${CLUSTER_DOMAIN}`;
}

/** As the pod says. A node knows of no cluster DNS, so that all else is as on the node. */
function dnsOf({ spec }: Observed<Pod>): DnsConfig | undefined {
  const { dnsPolicy, dnsConfig } = spec ?? {};
  if (dnsPolicy !== 'None' && dnsConfig === undefined) return undefined;
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  return {
    servers: nameservers,
    searches,
    options: options.map(({ name = '', value }) => (value === undefined ? name : `${name}:${value}`)),
  };
}

function cgroupParent({ metadata, status }: Observed<Pod>): string {
  const qos = status?.qosClass === 'Guaranteed' ? '' : `/${(status?.qosClass ?? 'BestEffort').toLowerCase()}`;
  return `/kubepods${qos}/pod${metadata.uid}`;
}

function portMappings({ ports = [] }: ContainerSpec): PortMapping[] {
  return ports.map(({ protocol = 'TCP', containerPort, hostPort = 0, hostIP = '' }) => ({
    protocol,
    containerPort,
    hostPort,
    hostIp: hostIP,
  }));
}
