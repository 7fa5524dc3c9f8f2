// The calls of the Container Runtime Interface about what containers use.
import { type ContainerFilter, type ContainerStats, type PodSandboxStatus, RuntimeError } from '../../node/index.ts';
import type { ServedMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import {
  type containerStats,
  MetricType,
  type podSandboxMetrics,
  type podSandboxStats,
  RuntimeService as methods,
} from '../protocol/runtime-v1.ts';
import { listed } from './container-methods.ts';
import { pagesOf } from './pages.ts';
import { containerFilterOf, sandboxFilterOf } from './read-messages.ts';
import type { ServerParts } from './server-parts.ts';
import { served, servedStream } from './served-method.ts';
import { nanoseconds, podStatsMessage, statsMessage } from './write-messages.ts';

type StatsMessage = MessageOf<typeof containerStats>;

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: keyof typeof MetricType;
  value(stats: ContainerStats): number;
}

/** Named as cAdvisor names them. */
const METRICS: readonly Metric[] = [
  {
    name: 'container_cpu_usage_seconds_total',
    help: 'Processor time that the container has used, in seconds',
    type: 'COUNTER',
    value: ({ usageCoreNanoSeconds }) => usageCoreNanoSeconds / 1e9,
  },
  {
    name: 'container_memory_working_set_bytes',
    help: 'Memory that the container uses and that cannot be reclaimed, in bytes',
    type: 'GAUGE',
    value: ({ workingSetBytes }) => workingSetBytes,
  },
  {
    name: 'container_fs_usage_bytes',
    help: 'Bytes in the writable layer of the container',
    type: 'GAUGE',
    value: ({ writableLayerBytes }) => writableLayerBytes,
  },
];
const LABELS = ['pod', 'namespace', 'container', 'id', 'image'];

export function statsMethods(parts: ServerParts): readonly ServedMethod[] {
  const { ids } = parts;
  const stats = async (filter: ContainerFilter, signal: AbortSignal): Promise<readonly StatsMessage[]> =>
    (await containersWith(parts, filter, signal)).map(({ message }) => message);
  return [
    served(methods.containerStats, async ({ containerId = '' }, signal) => {
      const id = await ids.container(containerId);
      const [found] = await stats({ id }, signal);
      if (found === undefined) throw new RuntimeError('NotFound', `container "${containerId}" has no stats`);
      return { stats: found };
    }),
    served(methods.listContainerStats, async ({ filter }, signal) => ({
      stats: await stats(containerFilterOf(filter), signal),
    })),
    servedStream(methods.streamContainerStats, async function* ({ filter }, signal) {
      for (const page of pagesOf(await stats(containerFilterOf(filter), signal))) yield { containerStats: page };
    }),
    served(methods.podSandboxStats, async ({ podSandboxId = '' }, signal) => {
      const id = await ids.sandbox(podSandboxId);
      const [found] = await podStats(parts, { id }, signal);
      if (found === undefined) throw new RuntimeError('NotFound', `sandbox "${podSandboxId}" has no stats`);
      return { stats: found };
    }),
    served(methods.listPodSandboxStats, async ({ filter }, signal) => ({
      stats: await podStats(parts, sandboxFilterOf(filter), signal),
    })),
    servedStream(methods.streamPodSandboxStats, async function* ({ filter }, signal) {
      const found = await podStats(parts, sandboxFilterOf(filter), signal);
      for (const page of pagesOf(found)) yield { podSandboxStats: page };
    }),
    served(methods.listMetricDescriptors, async () => ({
      descriptors: METRICS.map(({ name, help }) => ({ name, help, labelKeys: LABELS })),
    })),
    served(methods.listPodSandboxMetrics, async (_, signal) => ({ podMetrics: await podMetrics(parts, signal) })),
    servedStream(methods.streamPodSandboxMetrics, async function* (_, signal) {
      for (const page of pagesOf(await podMetrics(parts, signal))) yield { podSandboxMetrics: page };
    }),
  ];
}

interface MeasuredContainer {
  readonly podSandboxId: string;
  readonly image: string;
  readonly stats: ContainerStats;
  readonly message: StatsMessage;
}

/** The running containers that a filter selects, with what they use. */
async function containersWith(
  parts: ServerParts,
  filter: ContainerFilter,
  signal: AbortSignal,
): Promise<readonly MeasuredContainer[]> {
  const { runtime, images } = parts;
  const containers = await listed(parts, { ...filter, state: 'CONTAINER_RUNNING' }, signal);
  if (containers.length === 0) return [];
  const { mountpoint } = await images.fsInfo({ signal });
  const measured = await runtime.containerStats({ state: 'CONTAINER_RUNNING' }, { signal });
  const byId = new Map(measured.map((each) => [each.id, each]));
  return containers.flatMap((container) => {
    const stats = byId.get(container.id);
    const { podSandboxId, image } = container;
    return stats === undefined
      ? []
      : [{ podSandboxId, image: image.image, stats, message: statsMessage(stats, container, mountpoint) }];
  });
}

type SandboxFilter = Parameters<ServerParts['runtime']['listPodSandbox']>[0];

interface MeasuredPod {
  readonly sandbox: PodSandboxStatus;
  readonly containers: readonly MeasuredContainer[];
}

async function measuredPods(
  parts: ServerParts,
  filter: SandboxFilter,
  signal: AbortSignal,
): Promise<readonly MeasuredPod[]> {
  const sandboxes = await parts.runtime.listPodSandbox({ ...filter, state: 'SANDBOX_READY' }, { signal });
  const byPod = new Map<string, MeasuredContainer[]>(sandboxes.map(({ id }) => [id, []]));
  for (const each of await containersWith(parts, {}, signal)) byPod.get(each.podSandboxId)?.push(each);
  return sandboxes.map((sandbox) => ({ sandbox, containers: byPod.get(sandbox.id) ?? [] }));
}

async function podStats(
  parts: ServerParts,
  filter: SandboxFilter,
  signal: AbortSignal,
): Promise<readonly MessageOf<typeof podSandboxStats>[]> {
  const nowMs = parts.clock.now();
  return (await measuredPods(parts, filter, signal)).map(({ sandbox, containers }) =>
    podStatsMessage(
      sandbox,
      containers.map(({ stats, message }) => [stats, message] as const),
      nowMs,
    ),
  );
}

async function podMetrics(
  parts: ServerParts,
  signal: AbortSignal,
): Promise<readonly MessageOf<typeof podSandboxMetrics>[]> {
  const pods = await measuredPods(parts, {}, signal);
  return pods.map(({ sandbox, containers }) => ({
    podSandboxId: sandbox.id,
    containerMetrics: containers.map(({ image, stats }) => ({
      containerId: stats.id,
      metrics: METRICS.map(({ name, type, value }) => ({
        name,
        timestamp: nanoseconds(stats.timestampMs),
        metricType: MetricType[type],
        labelValues: [sandbox.metadata.name, sandbox.metadata.namespace, stats.metadata.name, stats.id, image],
        value: { value: Math.round(value(stats)) },
      })),
    })),
  }));
}
