// The configuration with which the runtime creates the sandbox of a pod.
import type { Observed, Pod } from '../../client/index.ts';
import type { Machine } from '../backend/machine.ts';
import type { ContainerSpec } from '../life/index.ts';
import {
  type IdMapping,
  POD_NAME,
  POD_NAMESPACE,
  POD_UID,
  type PodSandboxConfig,
  type PortMapping,
} from '../runtime/index.ts';
import { cgroupPath, KUBEPODS, podCgroupName } from './cgroup-name.ts';
import { ContainerConfigError } from './config-error.ts';
import { sandboxResources } from './linux-resources.ts';
import { podDns } from './pod-dns.ts';
import { sandboxSecurity } from './security-context.ts';

const MAX_HOSTNAME = 63;
/** The longest host name that Linux takes. */
const MAX_KERNEL_NAME = 64;

/** The members of a machine that pods are configured from, and the ids of the pod's user namespace if it has one. */
export type SandboxMachine = Pick<Machine, 'folders' | 'dns' | 'cgroupDriver' | 'podCgroups' | 'resourceRules'> & {
  readonly userNamespace?: IdMapping | undefined;
};

export function sandboxConfig(pod: Observed<Pod>, attempt: number, machine: SandboxMachine): PodSandboxConfig {
  const { name, namespace = '', uid, labels = {}, annotations = {} } = pod.metadata;
  const dnsConfig = podDns(pod, machine.dns);
  const place = machine.podCgroups ?? KUBEPODS;
  return {
    metadata: { name, namespace, uid, attempt },
    hostname: pod.spec?.hostNetwork === true ? '' : fullHostname(pod, machine.dns.clusterDomain),
    logDirectory: `${machine.folders.podLogs}/${namespace}_${name}_${uid}`,
    ...(dnsConfig === undefined ? {} : { dnsConfig }),
    portMappings: (pod.spec?.containers ?? []).flatMap(portMappings),
    labels: { ...labels, ...podLabels(pod) },
    annotations,
    linux: {
      cgroupParent: place.isPerPod ? cgroupPath(podCgroupName(pod, place), machine.cgroupDriver) : '',
      securityContext: sandboxSecurity(pod, machine.userNamespace),
      sysctls: Object.fromEntries((pod.spec?.securityContext?.sysctls ?? []).map((each) => [each.name, each.value])),
      ...sandboxResources(pod, machine.resourceRules),
    },
  };
}

/** The configuration of a pod's sandbox, made once for all its containers: there may be thousands, and it depends on all of them. */
export class KeptSandboxConfig {
  #kept: { readonly pod: Observed<Pod>; readonly config: PodSandboxConfig } | undefined;

  of(pod: Observed<Pod>, attempt: number, machine: SandboxMachine): PodSandboxConfig {
    const kept = this.#kept;
    if (kept?.pod === pod && kept.config.metadata.attempt === attempt) return kept.config;
    const config = sandboxConfig(pod, attempt, machine);
    this.#kept = { pod, config };
    return config;
  }
}

/** Labels by which the agent recognises its pods and containers. */
export function podLabels({ metadata }: Observed<Pod>): Record<string, string> {
  return { [POD_NAME]: metadata.name, [POD_NAMESPACE]: metadata.namespace ?? '', [POD_UID]: metadata.uid };
}

/** The host name of a pod, without its domain. */
export function hostnameOf({ metadata, spec }: Observed<Pod>): string {
  const full = spec?.hostnameOverride ?? spec?.hostname ?? metadata.name;
  return full.slice(0, MAX_HOSTNAME).replace(/[-.]+$/, '');
}

function fullHostname(pod: Observed<Pod>, clusterDomain: string): string {
  const { metadata, spec } = pod;
  const hostname = hostnameOf(pod);
  if (spec?.setHostnameAsFQDN !== true || spec.subdomain === undefined || spec.hostnameOverride !== undefined)
    return hostname;
  const name = `${hostname}.${spec.subdomain}.${metadata.namespace ?? ''}.svc.${clusterDomain}`;
  if (name.length <= MAX_KERNEL_NAME) return name;
  const limit = `${MAX_KERNEL_NAME} characters is the max, ${name.length} characters requested`;
  throw new ContainerConfigError(
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${name} is too long (${limit})`,
  );
}

function portMappings({ ports = [] }: ContainerSpec): PortMapping[] {
  return ports.map(({ protocol = 'TCP', containerPort, hostPort = 0, hostIP = '' }) => ({
    protocol,
    containerPort,
    hostPort,
    hostIp: hostIP,
  }));
}
