// Pods and nodes for tests and benchmarks, as the API server would return them.
import { keyOf, type Kind, type KubernetesObject, type Node, type Observed, type Pod } from '../../client/index.ts';
import type { NodeSpec, PodSpec, PodStatus } from '../../api/types/core/v1.d.ts';
import { discardLogger, SeededRandom, VirtualClock } from '../../base/index.ts';
import { NodeInfo } from '../cache/node-info.ts';
import { NominatedPods } from '../cache/nominated-pods.ts';
import { PodInfo } from '../cache/pod-info.ts';
import type { Lister, SharedContext } from '../framework/plugin-context.ts';
import { PreBindingPods } from '../framework/pre-binding-pods.ts';
import { WaitingPods } from '../framework/waiting-pods.ts';

interface PodSketch extends Partial<PodSpec> {
  readonly name?: string;
  readonly uid?: string;
  readonly labels?: Record<string, string>;
  readonly requests?: Record<string, string>;
  readonly status?: PodStatus;
}

interface NodeSketch extends NodeSpec {
  readonly name?: string;
  readonly labels?: Record<string, string>;
  readonly allocatable?: Record<string, string>;
}

export function podOf({ name = 'pod', uid, labels, requests, status, ...spec }: PodSketch = {}): Observed<Pod> {
  const metadata = {
    name,
    namespace: 'default',
    uid: uid ?? `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: '',
    labels,
  };
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata,
    spec: {
      containers: [{ name: 'main', image: 'image', resources: { requests } }],
      schedulerName: 'default-scheduler',
      priority: 0,
      ...spec,
    },
    status: status ?? { phase: 'Pending' },
  } as Observed<Pod>;
}

export function podInfoOf(sketch?: PodSketch): PodInfo {
  return new PodInfo(podOf(sketch));
}

export function nodeOf({ name = 'node', labels, allocatable, ...spec }: NodeSketch = {}): Observed<Node> {
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name, uid: `uid-${name}`, resourceVersion: '1', creationTimestamp: '', labels },
    spec,
    status: { allocatable: allocatable ?? { cpu: '4', memory: '8Gi', pods: '110' } },
  } as Observed<Node>;
}

export function nodeInfoOf(sketch?: NodeSketch, pods: readonly PodInfo[] = []): NodeInfo {
  const node = nodeOf(sketch);
  const info = new NodeInfo(node.metadata.name);
  info.setNode(node);
  for (const pod of pods) info.addPod(pod);
  return info;
}

function noServer(): never {
  throw new Error('Cannot write objects: there is no API server');
}

/** A cache of the objects that have the kind. */
export function listerOf<T extends KubernetesObject>(
  { kind }: Kind<T>,
  objects: readonly KubernetesObject[],
): Lister<T> {
  const isOfKind = (object: KubernetesObject): object is Observed<T> & KubernetesObject => object.kind === kind;
  const observed: readonly Observed<T>[] = objects.filter(isOfKind);
  return {
    get: (key) => observed.find((object) => keyOf(object) === key),
    list: ({ namespace } = {}) =>
      observed.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
    byIndex: () => [],
    counts: () => new Map(),
    fetch: noServer,
    create: noServer,
    update: noServer,
    updateStatus: noServer,
    patchStatus: noServer,
    delete: noServer,
  };
}

/** The shared plugin context without an API server. */
export function sharedContext(given: Partial<SharedContext> = {}): SharedContext {
  return {
    client: undefined,
    clock: new VirtualClock(),
    random: new SeededRandom(1),
    log: discardLogger,
    nominatedPods: new NominatedPods(),
    waitingPods: new WaitingPods(),
    preBindingPods: new PreBindingPods(),
    extenders: [],
    allocationsInFlight: new Map(),
    event: () => undefined,
    runInBackground: () => undefined,
    activate: () => undefined,
    objects: (kind) => listerOf(kind, []),
    onChange: () => undefined,
    ...given,
  };
}
