import { isIPv6 } from 'node:net';
import { isFinished, isReady, isSidecar } from '../../api/meaning/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { Observed, Pod, Service } from '../../client/index.ts';

type ServicePort = NonNullable<NonNullable<Observed<Service>['spec']>['ports']>[number];

/** Whether the pod has an address that can receive traffic; optionally also while it is terminating. */
export function isBackend(pod: Observed<Pod>, options: { readonly includeTerminating: boolean }): boolean {
  const { podIP = '', podIPs = [] } = pod.status ?? {};
  if (isFinished(pod)) return false;
  if (podIP === '' && podIPs.length === 0) return false;
  return options.includeTerminating || pod.metadata.deletionTimestamp === undefined;
}

/** The pod's addresses of one family. */
export function addressesOf(pod: Observed<Pod>, family: 'IPv4' | 'IPv6'): string[] {
  const addresses = (pod.status?.podIPs ?? []).map(({ ip }) => ip ?? '');
  return addresses.filter((address) => isIPv6(address) === (family === 'IPv6'));
}

/** The pod's hostname in the service's domain, if it has one. */
export function hostnameIn(service: Observed<Service>, pod: Observed<Pod>): string | undefined {
  const { hostname = '', subdomain } = pod.spec ?? {};
  return hostname !== '' && subdomain === service.metadata.name ? hostname : undefined;
}

/** The pod's port for a service port: the target port, or the container port with that name. */
export function targetPortOf(pod: Observed<Pod>, { targetPort, protocol, port }: ServicePort): number | undefined {
  if (typeof targetPort !== 'string') return targetPort ?? port;
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  for (const { ports = [] } of [...containers, ...initContainers.filter(isSidecar)]) {
    const found = ports.find((candidate) => candidate.name === targetPort && candidate.protocol === protocol);
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

/** Whether a change of the pod may affect endpoints: address, readiness, labels or termination. */
export function backendChanged(pod: Observed<Pod>, old: Observed<Pod> | undefined): boolean {
  if (old === undefined || old === pod) return true;
  return !(
    pod.metadata.deletionTimestamp === old.metadata.deletionTimestamp &&
    pod.spec?.hostname === old.spec?.hostname &&
    pod.spec?.subdomain === old.spec?.subdomain &&
    isReady(pod) === isReady(old) &&
    isFinished(pod) === isFinished(old) &&
    deepEqual(pod.metadata.labels, old.metadata.labels) &&
    deepEqual(pod.status?.podIPs, old.status?.podIPs)
  );
}
