import { amountsOf, podRequests } from '../../api/client.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Node, Pod } from '../../client/index.ts';

/** A pod that a scheduler asks about. */
export interface PodView {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly pod: DeepReadonly<Pod>;
  /** The pod's request of a resource over all containers: CPU in cores, memory in bytes, others by count. */
  requests(resource: string): number;
}

/** A candidate node with its pods. */
export interface NodeView {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly node: DeepReadonly<Node>;
  /** The running pods that are bound to the node, from the app's cache. */
  readonly pods: readonly PodView[];
  /** The node's allocatable amount of a resource. */
  allocatable(resource: string): number;
  /** The allocatable amount that the node's pods have not requested. */
  free(resource: string): number;
}

export function podView(pod: DeepReadonly<Pod>): PodView {
  const { name = '', namespace = '', uid = '', labels = {}, annotations = {} } = pod.metadata ?? {};
  let requested: ReturnType<typeof podRequests> | undefined;
  return {
    name,
    namespace,
    uid,
    labels,
    annotations,
    pod,
    requests: (resource) => (requested ??= podRequests(pod)).get(resource)?.toNumber() ?? 0,
  };
}

export function nodeView(node: DeepReadonly<Node>, podsOn: () => readonly DeepReadonly<Pod>[]): NodeView {
  const { name = '', labels = {}, annotations = {} } = node.metadata ?? {};
  let pods: readonly PodView[] | undefined;
  const view: NodeView = {
    name,
    labels,
    annotations,
    node,
    get pods() {
      return (pods ??= podsOn().filter(isRunning).map(podView));
    },
    allocatable: (resource) => amountsOf(node.status?.allocatable).get(resource)?.toNumber() ?? 0,
    free: (resource) => view.allocatable(resource) - view.pods.reduce((sum, pod) => sum + pod.requests(resource), 0),
  };
  return view;
}

function isRunning({ status }: DeepReadonly<Pod>): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}
