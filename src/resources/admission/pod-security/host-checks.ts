import type { Container, LifecycleHandler, Probe } from '../../../api/types/core/v1.d.ts';
import {
  type Check,
  containersOf,
  distinct,
  naming,
  plural,
  quoted,
  type SecuredPod,
  setters,
  type Violation,
} from './check.ts';

/** Checks of what a pod shares with its host; all baseline. */
export const hostNamespaces: Check = { id: 'hostNamespaces', revisions: [{ since: 0, judge: judgeNamespaces }] };
export const hostPathVolumes: Check = { id: 'hostPathVolumes', revisions: [{ since: 0, judge: judgePaths }] };
export const hostPorts: Check = { id: 'hostPorts', revisions: [{ since: 0, judge: judgePorts }] };
export const hostProbes: Check = { id: 'hostProbesAndHostLifecycle', revisions: [{ since: 34, judge: judgeProbes }] };
export const windowsHostProcess: Check = {
  id: 'windowsHostProcess',
  revisions: [{ since: 0, judge: judgeHostProcess }],
};

function judgeNamespaces({ spec }: SecuredPod): Violation | undefined {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((name) => `${name}=true`).join(', ') };
}

function judgePaths({ spec }: SecuredPod): Violation | undefined {
  const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  if (bad.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural('volume', bad.length)} ${quoted(bad)}` };
}

function judgePorts({ spec }: SecuredPod): Violation | undefined {
  const portsOf = ({ ports }: Container): number[] =>
    (ports ?? []).map(({ hostPort = 0 }) => hostPort).filter((port) => port !== 0);
  const bad = containersOf(spec).filter((container) => portsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = distinct(bad.flatMap(portsOf).map(String));
  return {
    reason: 'hostPort',
    detail: `${naming(bad)} ${use(bad)} ${plural('hostPort', ports.length)} ${ports.join(', ')}`,
  };
}

function judgeProbes({ spec }: SecuredPod): Violation | undefined {
  const bad = containersOf(spec).filter((container) => hostsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const names = distinct(bad.map(({ name }) => name));
  const hosts = distinct(bad.flatMap(hostsOf));
  const what = plural('probe or lifecycle host', hosts.length);
  return {
    reason: 'probe or lifecycle host',
    detail: `${plural('container', names.length)} ${quoted(names)} ${use(names)} ${what} ${quoted(hosts)}`,
  };
}

function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  const handlers: readonly (Probe | LifecycleHandler | undefined)[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  const hosts = handlers.flatMap((handler) => [handler?.httpGet?.host ?? '', handler?.tcpSocket?.host ?? '']);
  return hosts.filter((host) => host !== '');
}

function judgeHostProcess({ spec }: SecuredPod): Violation | undefined {
  const isPod = spec.securityContext?.windowsOptions?.hostProcess === true;
  const bad = containersOf(spec).filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  if (!isPod && bad.length === 0) return undefined;
  return {
    reason: 'hostProcess',
    detail: `${setters(isPod, bad)} must not set securityContext.windowsOptions.hostProcess=true`,
  };
}

function use({ length }: readonly unknown[]): string {
  return length === 1 ? 'uses' : 'use';
}
