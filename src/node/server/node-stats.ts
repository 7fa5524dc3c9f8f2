import type { NodeBackend, NodeSettings } from '../backend/index.ts';
import {
  CONTAINER_NAME,
  type MeasuredUsage,
  type NodeUsage,
  POD_NAME,
  POD_NAMESPACE,
  POD_UID,
} from '../runtime/index.ts';
import { type Family, metricLines, type Sample } from './metric-lines.ts';

/** What a running container uses. */
export interface ContainerUse extends MeasuredUsage {
  readonly id: string;
  readonly image: string;
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly name: string;
  readonly startedAtMs: number;
}

/** The members of a node that its statistics need. */
export interface MeasuredNode {
  readonly settings: Pick<NodeSettings, 'name'>;
  readonly startedAtMs: number;
  readonly backend: Pick<NodeBackend, 'runtime'>;
  usage(): Promise<NodeUsage>;
}

const RUNNING = { state: 'CONTAINER_RUNNING' } as const;

export async function usesOf(
  node: MeasuredNode,
): Promise<Pick<NodeUsage, 'whole' | 'pods' | 'machine' | 'groups'> & { readonly uses: readonly ContainerUse[] }> {
  const containers = await node.backend.runtime.listContainers(RUNNING);
  const { containers: measured, ...others } = await node.usage();
  const uses = containers.flatMap(({ id, image, labels, startedAtMs = 0 }) => {
    const usage = measured.get(id);
    if (usage === undefined) return [];
    const {
      [POD_NAMESPACE]: namespace = '',
      [POD_NAME]: pod = '',
      [POD_UID]: uid = '',
      [CONTAINER_NAME]: name = '',
    } = labels;
    return [{ ...usage, id, image: image.image, namespace, pod, uid, name, startedAtMs }];
  });
  return { ...others, uses };
}

export function byPod(uses: readonly ContainerUse[]): readonly (readonly ContainerUse[])[] {
  const pods = new Map<string, ContainerUse[]>();
  for (const use of uses) {
    const own = pods.get(use.uid);
    if (own === undefined) pods.set(use.uid, [use]);
    else own.push(use);
  }
  return [...pods.values()];
}

/** What containers use together. */
export function sumOf(uses: readonly ContainerUse[]): MeasuredUsage & { readonly usageNanoCores: number } {
  return {
    timestampMs: Math.max(0, ...uses.map(({ timestampMs }) => timestampMs)),
    usageNanoCores: sum(uses, nanoCores),
    usageCoreNanoSeconds: sum(uses, ({ usageCoreNanoSeconds }) => usageCoreNanoSeconds),
    workingSetBytes: sum(uses, memoryOf),
  };
}

/** Averaged over the whole life of a container whose runtime does not measure it. */
function nanoCores({ usageNanoCores, usageCoreNanoSeconds, timestampMs, startedAtMs }: ContainerUse): number {
  const livedMs = timestampMs - startedAtMs;
  return usageNanoCores ?? (livedMs > 0 ? Math.round((usageCoreNanoSeconds * 1000) / livedMs) : 0);
}

/** The same as metrics, by the names that metrics-server looks for: the document of `/metrics/resource`. */
export async function resourceMetrics(node: MeasuredNode): Promise<string> {
  const { whole, uses, pods: measured } = await usesOf(node);
  const families: Family[] = [];
  const family = (name: string, type: Family['type'], samples: readonly Sample[]): void => {
    families.push({ name, type, help: `[${ALPHA.includes(name) ? 'ALPHA' : 'STABLE'}] ${HELP[name] ?? ''}`, samples });
  };
  const containers = (value: (use: ContainerUse) => number): readonly Sample[] =>
    uses.map((use) => ({
      labels: { container: use.name, namespace: use.namespace, pod: use.pod },
      value: value(use),
      atMs: use.timestampMs,
    }));
  const pods = (value: (use: MeasuredUsage) => number): readonly Sample[] =>
    byPod(uses).map((own) => {
      const [{ namespace, pod, uid, timestampMs }] = own as readonly [ContainerUse];
      const whole = measured?.get(uid)?.usage;
      const sampled = whole === undefined ? sum(own, value) : value(whole);
      return { labels: { namespace, pod }, value: sampled, atMs: whole?.timestampMs ?? timestampMs };
    });
  const hasSwap = whole.details?.swap !== undefined;
  family('container_cpu_usage_seconds_total', 'counter', containers(cpuSeconds));
  family('container_memory_working_set_bytes', 'gauge', containers(memoryOf));
  family(
    'container_start_time_seconds',
    'gauge',
    containers(({ startedAtMs }) => startedAtMs / 1000),
  );
  family('node_cpu_usage_seconds_total', 'counter', [{ value: cpuSeconds(whole), atMs: whole.timestampMs }]);
  family('node_memory_working_set_bytes', 'gauge', [{ value: memoryOf(whole), atMs: whole.timestampMs }]);
  family('pod_cpu_usage_seconds_total', 'counter', pods(cpuSeconds));
  family('pod_memory_working_set_bytes', 'gauge', pods(memoryOf));
  if (hasSwap) {
    family('container_swap_usage_bytes', 'gauge', containers(swapOf));
    family('node_swap_usage_bytes', 'gauge', [{ value: swapOf(whole), atMs: whole.timestampMs }]);
    family('pod_swap_usage_bytes', 'gauge', pods(swapOf));
  }
  family('resource_scrape_error', 'gauge', [{ value: 0 }]);
  return metricLines(families);
}

const ALPHA = ['container_swap_usage_bytes', 'node_swap_usage_bytes', 'pod_swap_usage_bytes'];
const HELP: Readonly<Record<string, string>> = {
  container_cpu_usage_seconds_total: 'Processor time that the container has used, in seconds of one core',
  container_memory_working_set_bytes: 'Memory that the container uses now, in bytes',
  container_start_time_seconds: 'When the container was started, in seconds since 1970',
  node_cpu_usage_seconds_total: 'Processor time that the node has used, in seconds of one core',
  node_memory_working_set_bytes: 'Memory that the node uses now, in bytes',
  pod_cpu_usage_seconds_total: 'Processor time that the pod has used, in seconds of one core',
  pod_memory_working_set_bytes: 'Memory that the pod uses now, in bytes',
  container_swap_usage_bytes: 'Swap that the container uses now, in bytes',
  node_swap_usage_bytes: 'Swap that the node uses now, in bytes',
  pod_swap_usage_bytes: 'Swap that the pod uses now, in bytes',
  resource_scrape_error: '1 if the figures could not be had, 0 otherwise',
};

function cpuSeconds({ usageCoreNanoSeconds }: MeasuredUsage): number {
  return usageCoreNanoSeconds / 1e9;
}

function swapOf({ details }: MeasuredUsage): number {
  return details?.swap?.usageBytes ?? 0;
}

function memoryOf({ workingSetBytes }: MeasuredUsage): number {
  return workingSetBytes;
}

function sum(uses: readonly ContainerUse[], value: (use: ContainerUse) => number): number {
  return uses.reduce((total, use) => total + value(use), 0);
}

/** As Kubernetes writes times. */
export function timeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
