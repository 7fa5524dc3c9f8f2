import { amountTexts, containerLimits, containerRequests, isPodLevelResource } from '../../api/meaning/index.ts';
import type { AppArmorProfile, Container, Pod, PodSpec, SecurityContext } from '../../api/types/core/v1.d.ts';
import type { WriteContext } from '../../apiserver/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { Whole } from '../kind.ts';
import { defaultPodSpec, withoutInitAnnotations } from './pod-spec-defaults.ts';
import { missingAmounts, roundToMilli, withAmounts } from './resource-list.ts';

/** Defaults of Pods only: templates stay as written until a pod is made from them. */
export function defaultPod(pod: Whole<Pod>): void {
  const { spec } = pod;
  pod.metadata = withoutInitAnnotations(pod.metadata);
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) requestWhatIsLimited(container);
  defaultPodLevelResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) useHostPorts(spec);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  defaultPodSpec(spec);
  defaultPodStatus(pod);
}

/** The default request is the limit. */
function requestWhatIsLimited(container: Container): void {
  const { resources } = container;
  const missing = missingAmounts(resources?.requests, resources?.limits);
  if (resources !== undefined && missing !== undefined) resources.requests = withAmounts(resources.requests, missing);
}

const POD_LEVEL = new Set(['cpu', 'memory']);
const HUGEPAGES = 'hugepages-';

/** Pod-level requests and limits that are not stated, from those of the containers. */
function defaultPodLevelResources(spec: PodSpec): void {
  const { resources } = spec;
  if (resources === undefined || (resources.limits === undefined && resources.requests === undefined)) return;
  const hugepages = missingAmounts(
    { ...resources.requests, ...resources.limits },
    amountTexts(containerLimits({ spec })),
    (name) => name.startsWith(HUGEPAGES),
  );
  if (hugepages !== undefined) resources.limits = withAmounts(resources.limits, hugepages);
  if (Object.keys(resources.limits ?? {}).length === 0) return;
  const asked = missingAmounts(resources.requests, amountTexts(containerRequests({ spec })), (name) =>
    POD_LEVEL.has(name),
  );
  if (asked !== undefined) resources.requests = withAmounts(resources.requests, asked);
  const limited = missingAmounts(resources.requests, resources.limits, isPodLevelResource);
  if (limited !== undefined) resources.requests = withAmounts(resources.requests, limited);
}

/** With host networking, container ports are host ports. */
function useHostPorts(spec: PodSpec): void {
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
  }
}

/** Defaults of a status: `podIP` is the first of `podIPs`; the singular wins. A frozen status was stored, and has them. */
export function defaultPodStatus({ status }: Whole<Pod>): void {
  if (Object.isFrozen(status)) return;
  const { podIP = '', podIPs = [] } = status;
  if (podIP !== '' && podIPs[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  else if (podIP === '' && podIPs[0]?.ip !== undefined) status.podIP = podIPs[0].ip;
  roundToMilli(status.allocatedResources);
  roundToMilli(status.resources?.limits);
  roundToMilli(status.resources?.requests);
  for (const list of [status.initContainerStatuses, status.containerStatuses, status.ephemeralContainerStatuses]) {
    for (const container of list ?? []) {
      roundToMilli(container.allocatedResources);
      roundToMilli(container.resources?.limits);
      roundToMilli(container.resources?.requests);
    }
  }
}

/** The prefix of the annotation that sets a container's AppArmor profile. */
export const APPARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST = 'localhost/';
const MAX_PROFILE_LENGTH = 4095;

/** Copies AppArmor profiles from the older annotations, one for each container, to the fields. */
export function withAppArmorProfiles(
  spec: PodSpec,
  annotations: Readonly<Record<string, string>> | undefined,
  context: WriteContext,
): PodSpec {
  if (spec.os?.name === 'windows' || !Object.keys(annotations ?? {}).some((name) => name.startsWith(APPARMOR_PREFIX)))
    return spec;
  const podProfile = spec.securityContext?.appArmorProfile;
  const carry = <T extends { name: string; securityContext?: SecurityContext }>(container: T): T => {
    const key = `${APPARMOR_PREFIX}${container.name}`;
    const annotation = annotations?.[key];
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) return container;
    const profile = appArmorProfileOf(annotation);
    const isNews = profile !== undefined && !deepEqual(profile, podProfile);
    if (profile === undefined || isNews) {
      context.warn(`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`);
    }
    if (!isNews) return container;
    return { ...container, securityContext: { ...container.securityContext, appArmorProfile: profile } };
  };
  return {
    ...spec,
    containers: (spec.containers ?? []).map(carry),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(carry) }),
    ...(spec.ephemeralContainers === undefined ? {} : { ephemeralContainers: spec.ephemeralContainers.map(carry) }),
  };
}

/** The profile of an annotation; undefined if it names none. */
export function appArmorProfileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const name = annotation.startsWith(LOCALHOST) ? annotation.slice(LOCALHOST.length) : '';
  if (name === '' || name.trim() !== name || Buffer.byteLength(name) > MAX_PROFILE_LENGTH) return undefined;
  return { type: 'Localhost', localhostProfile: name };
}
