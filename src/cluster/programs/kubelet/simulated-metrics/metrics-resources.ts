import type { ApiObject, TypeTable } from '../../../../api/index.ts';
import type { Node, Pod } from '../../../../api/types/core/v1.d.ts';
import { type Resource, type ServerObjects, timestamp } from '../../../../apiserver/index.ts';
import type { Clock, DeepReadonly } from '../../../../base/index.ts';
import { METRICS, metricsKind } from './metrics-kinds.ts';
import { containerTexts, usageOfNode, usageTexts } from './usage.ts';

export interface SimulatedMetricsOptions {
  readonly types: TypeTable;
  readonly objects: ServerObjects;
  readonly clock: Clock;
  /** The nodes that are simulated: nothing is made up about others. */
  readonly nodes: readonly string[];
}

const API_VERSION = `${METRICS.group}/${METRICS.version}`;
const WINDOW = '10s';

/** `metrics.k8s.io` over simulated nodes: what `kubectl top` and autoscalers read, made up when it is asked for. */
export function metricsResources(options: SimulatedMetricsOptions): readonly Resource[] {
  const simulated = new Set(options.nodes);
  const { objects, clock } = options;
  const pods = objects.of<DeepReadonly<Pod>>('', 'pods');
  const nodes = objects.of<DeepReadonly<Node>>('', 'nodes');
  const metricsOf = (kind: string, { metadata }: DeepReadonly<Node | Pod>): ApiObject => {
    const now = timestamp(clock.now());
    const { name = '', namespace, labels } = metadata ?? {};
    const place = namespace === undefined ? { name } : { name, namespace };
    const given = { ...place, creationTimestamp: now, ...(labels === undefined ? {} : { labels }) };
    return { kind, apiVersion: API_VERSION, metadata: given, timestamp: now, window: WINDOW };
  };
  const podMetrics = (pod: DeepReadonly<Pod>): ApiObject | undefined => {
    if (!simulated.has(pod.spec?.nodeName ?? '')) return undefined;
    const containers = containerTexts(pod);
    return containers.length === 0 ? undefined : { ...metricsOf('PodMetrics', pod), containers };
  };
  const nodeMetrics = (node: DeepReadonly<Node>, on: readonly DeepReadonly<Pod>[]): ApiObject | undefined =>
    simulated.has(node.metadata?.name ?? '') && isReady(node)
      ? { ...metricsOf('NodeMetrics', node), usage: usageTexts(usageOfNode(node, on)) }
      : undefined;
  const onNode = (all: readonly DeepReadonly<Pod>[], name: string): readonly DeepReadonly<Pod>[] =>
    all.filter(({ spec }) => spec?.nodeName === name);
  return [
    metricsKind('nodes', options.types, {
      async get(name) {
        const node = await nodes.get('', name);
        return node === undefined ? undefined : nodeMetrics(node, onNode(await pods.list(), name));
      },
      async list() {
        const byNode = new Map<string, DeepReadonly<Pod>[]>();
        for (const pod of await pods.list()) {
          const { nodeName = '' } = pod.spec ?? {};
          const known = byNode.get(nodeName);
          if (known === undefined) byNode.set(nodeName, [pod]);
          else known.push(pod);
        }
        const all = await nodes.list();
        return all.flatMap((node) => nodeMetrics(node, byNode.get(node.metadata?.name ?? '') ?? []) ?? []);
      },
    }),
    metricsKind('pods', options.types, {
      async get(name, namespace) {
        const pod = await pods.get(namespace, name);
        return pod === undefined ? undefined : podMetrics(pod);
      },
      list: async (namespace) => (await pods.list(namespace)).flatMap((pod) => podMetrics(pod) ?? []),
    }),
  ];
}

function isReady({ status }: DeepReadonly<Node>): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}
