import { hasPodLevelRequests, isSidecar, podRequests } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { milli } from './metric-apis.ts';

/** A resource of pods, or of one of their containers. */
export interface CountedResource {
  readonly name: string;
  readonly container?: string | undefined;
}

/** The request of each pod, in thousandths. Throws when a pod has none. */
export function requestsOf(pods: readonly Observed<Pod>[], resource: CountedResource): ReadonlyMap<string, bigint> {
  return new Map(pods.map((pod) => [pod.metadata.name, requestOf(pod, resource)]));
}

function requestOf(pod: Observed<Pod>, { name, container }: CountedResource): bigint {
  const { name: podName } = pod.metadata;
  if (container === undefined && hasPodLevelRequests(pod)) {
    const amount = podRequests(pod).get(name);
    if (amount === undefined) throw new Error(`missing pod-level request for ${name} in Pod ${podName}`);
    return amount.scaledValue(-3);
  }
  const running = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? []).filter(isSidecar)];
  const counted = container === undefined ? running : running.filter((each) => each.name === container);
  if (counted.length === 0 && container !== undefined)
    throw new Error(`container ${container} not found in Pod ${podName}`);
  return counted.reduce((sum, { name: containerName, resources }) => {
    const request = resources?.requests?.[name];
    if (request === undefined)
      throw new Error(`missing request for ${name} in container ${containerName} of Pod ${podName}`);
    return sum + milli(request);
  }, 0n);
}
