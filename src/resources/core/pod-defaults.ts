import { amountTexts, containerLimits, containerRequests, isPodLevelResource } from '../../api/meaning/index.ts';
import type { Container, Pod, PodSpec } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';
import { defaultPodSpec, withoutInitAnnotations } from './pod-spec-defaults.ts';
import { missingAmounts, roundToMilli, withAmounts } from './resource-list.ts';

/** Defaults of a Pod, which templates do not have yet: they stay as they were written until a pod is made from them. */
export function defaultPod(pod: Whole<Pod>): void {
  const { spec } = pod;
  pod.metadata = withoutInitAnnotations(pod.metadata);
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) requestWhatIsLimited(container);
  defaultPodLevelResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) useHostPorts(spec);
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  defaultPodSpec(spec);
  defaultStatus(pod);
}

/** What is limited but not asked for is asked for up to the limit. */
function requestWhatIsLimited(container: Container): void {
  const { resources } = container;
  const missing = missingAmounts(resources?.requests, resources?.limits);
  if (resources !== undefined && missing !== undefined) resources.requests = withAmounts(resources.requests, missing);
}

const POD_LEVEL = new Set(['cpu', 'memory']);
const HUGEPAGES = 'hugepages-';

/** Requests and limits for the pod as a whole, from those of its containers where they are not stated. */
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

/** On the node's network a container's ports are the node's. */
function useHostPorts(spec: PodSpec): void {
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
  }
}

/** `podIP` is the first of `podIPs`; the singular wins. */
function defaultStatus({ status }: Whole<Pod>): void {
  const { podIP = '', podIPs = [] } = status;
  if (podIP !== '' && podIPs[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  else if (podIP === '' && podIPs[0]?.ip !== undefined) status.podIP = podIPs[0].ip;
  roundToMilli(status.allocatedResources);
  for (const container of [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ]) {
    roundToMilli(container.allocatedResources);
    roundToMilli(container.resources?.limits);
    roundToMilli(container.resources?.requests);
  }
}
