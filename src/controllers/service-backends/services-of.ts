import { keyOf, Node, Pod, Service } from '../../client/index.ts';
import type { Observed } from '../../client/index.ts';
import { podsByNode, watch } from '../../kit/index.ts';
import type { Objects, Watch } from '../../kit/index.ts';
import { backendChanged } from './backend-pod.ts';

/** Whether the controllers maintain the service's endpoints: it has a selector and is not of type ExternalName. */
export function selectsPods(service: Observed<Service>): boolean {
  return service.spec?.selector !== undefined && service.spec.type !== 'ExternalName';
}

/** The keys of the services in the pod's namespace that select it. */
export function servicesOf(pod: Observed<Pod>, services: Objects<Service>): string[] {
  const { namespace, labels = {} } = pod.metadata;
  const isSelecting = (service: Observed<Service>): boolean =>
    service.spec?.selector !== undefined &&
    Object.entries(service.spec.selector).every(([name, value]) => labels[name] === value);
  return services.list({ namespace }).filter(isSelecting).map(keyOf);
}

/** Requeues a service when a pod changes that it selects or selected. */
export function watchBackends(): Watch {
  return watch(Pod, { to: (pod, { objects }) => servicesOf(pod, objects(Service)), when: backendChanged });
}

const ZONE = 'topology.kubernetes.io/zone';

/** Requeues the services of a node's pods when the node is added, removed or moved. */
export function watchNodesOfBackends(): Watch {
  return watch(Node, {
    to: (node, { objects }) => {
      const pods = objects(Pod).byIndex(podsByNode, node.metadata.name);
      return new Set(pods.flatMap((pod) => servicesOf(pod, objects(Service))));
    },
    when: (node, old) => old === undefined || zoneOf(node) !== zoneOf(old),
  });
}

export function zoneOf(node: Observed<Node> | undefined): string | undefined {
  const zone = node?.metadata.labels?.[ZONE];
  return zone === '' ? undefined : zone;
}
